// Auth policies of the peer, whose fields have flat names with dots.

import { type AuthPolicyRecord, authPolicyKind } from '../../records/auth-policy.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { type ConversionContext, defineConversion } from './conversion.ts';
import { nameOf, textIn } from './entity-values.ts';
import type { EntityNotes } from './notes.ts';
import { quotedList } from './quoted.ts';

/** How identities may log in. */
export const authPolicies = defineConversion({
  bucket: 'authPolicies',
  kind: authPolicyKind,
  derived: [],
  convert(entity, context, notes) {
    const name = nameOf(entity, notes);
    const primary = primaryOf(entity, context, notes);
    const requireTotp = entity.flag('secondary.requireTotp');
    const requireExtJwtSigner = textIn(entity, 'secondary.requireExtJwtSigner');
    if (requireExtJwtSigner === undefined) return { name, primary, secondary: { requireTotp } };
    if (context.has('externalJwtSigner', requireExtJwtSigner)) {
      return { name, primary, secondary: { requireTotp, requireExtJwtSigner } };
    }
    // Nobody could log in, so without the demand nobody must be let in either.
    notes.changed(
      'It demands a token of an external JWT signer that does not exist: the demand is dropped, ' +
        'and all its ways to log in are switched off.',
    );
    return { name, primary: withoutLogins(primary), secondary: { requireTotp } };
  },
  taken(record, { logins, secondary }) {
    logins.notePolicy(record);
    secondary.set(record.id, record.secondary);
  },
});

type Primary = AuthPolicyRecord['primary'];

function primaryOf(entity: PeerEntity, context: ConversionContext, notes: EntityNotes): Primary {
  const flag = (field: string) => entity.flag(`primary.${field}`);
  return {
    cert: {
      allowed: flag('cert.allowed'),
      allowExpiredCerts: flag('cert.allowExpiredCerts'),
    },
    extJwt: signersOf(entity, context, notes),
    updb: {
      allowed: flag('updb.allowed'),
      ...numbersOf(entity, notes),
      requireMixedCase: flag('updb.requireMixedCase'),
      requireNumberChar: flag('updb.requireNumberChar'),
      requireSpecialChar: flag('updb.requireSpecialChar'),
    },
  };
}

/** An empty list admits every signer, so it must not become empty. */
function signersOf(
  entity: PeerEntity,
  { has }: ConversionContext,
  notes: EntityNotes,
): Primary['extJwt'] {
  const allowed = entity.flag('primary.extJwt.allowed');
  const named = entity.set('primary.extJwt.allowedSigners');
  const allowedSigners = named.filter((id) => has('externalJwtSigner', id));
  const gone = named.filter((id) => !allowedSigners.includes(id));
  if (gone.length === 0) return { allowed, allowedSigners };
  const isLast = allowedSigners.length === 0;
  notes.changed(
    `It allows external JWT signers that do not exist, which are dropped: ${quotedList(gone)}.` +
      (isLast ? ' It allowed no others, so external JWTs are switched off in it.' : ''),
  );
  return { allowed: allowed && !isLast, allowedSigners };
}

/** The least values, as a write would correct them (behaviour/login#policy-values). */
const least = { lockoutDurationMinutes: 0, maxAttempts: 0, minPasswordLength: 5 } as const;

function numbersOf(entity: PeerEntity, notes: EntityNotes) {
  const number = (field: keyof typeof least) => {
    const given = entity.integer(`primary.updb.${field}`) ?? 0;
    if (given >= least[field]) return given;
    notes.changed(`Its ${field} of ${given} becomes ${least[field]}, the least that there is.`);
    return least[field];
  };
  return {
    lockoutDurationMinutes: number('lockoutDurationMinutes'),
    maxAttempts: number('maxAttempts'),
    minPasswordLength: number('minPasswordLength'),
  };
}

function withoutLogins(primary: Primary): Primary {
  return {
    cert: { ...primary.cert, allowed: false },
    extJwt: { ...primary.extJwt, allowed: false },
    updb: { ...primary.updb, allowed: false },
  };
}

// Third-party CAs of the peer.

import { claimProblem } from '../../auth/external-jwt/external-id-claim.ts';
import { readCertificates } from '../../pki/x509/certificate-text.ts';
import { fingerprint, parseCertificates } from '../../pki/x509/pem.ts';
import {
  type CaRecord,
  caKind,
  claimLocations,
  claimMatchers,
  claimParsers,
} from '../../records/ca.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { defineConversion } from './conversion.ts';
import { nameOf, sortedSetIfAny, textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';
import type { EntityNotes } from './notes.ts';

/** CAs, verified or not. */
export const cas = defineConversion({
  bucket: 'cas',
  kind: caKind,
  derived: ['enrollments'],
  convert(entity, _context, notes) {
    const certPem = entity.text('certPem') ?? '';
    const read = readCertificates(certPem, certPem.length);
    const stated = textIn(entity, 'fingerprint')?.toLowerCase();
    const values = {
      name: nameOf(entity, notes),
      state: entity.flag('isVerified') ? 'verified' : 'unverified',
      verificationToken: entity.text('verificationToken') ?? '',
      identityNameFormat:
        textIn(entity, 'identityNameFormat') ?? caKind.fields.identityNameFormat.fallback,
      identityRoles: sortedSetIfAny(entity, 'identityRoles'),
      isAuthEnabled: entity.flag('isAuthEnabled'),
      isAutoCaEnrollmentEnabled: entity.flag('isAutoCaEnrollmentEnabled'),
      isOttCaEnrollmentEnabled: entity.flag('isOttCaEnrollmentEnabled'),
      externalIdClaim: claimOf(entity, notes),
    };
    if ('unreadable' in read) return new LeftOut(`Its certificate text ${read.reason}.`);
    const print = fingerprint(read.certificates[0]);
    if (stated !== undefined && stated !== print) {
      notes.changed('Its fingerprint was not that of its certificate, and is now.');
    }
    return { ...values, certPem, fingerprint: print };
  },
  taken(record, { logins, thirdParties }) {
    logins.noteCa(record);
    const [certificate] = parseCertificates(record.certPem, 'certPem');
    thirdParties.push({ id: record.id, certificate });
  },
});

type Claim = NonNullable<CaRecord['externalIdClaim']>;

/** The fields of a claim repeat the name of its bucket. */
function claimOf(entity: PeerEntity, notes: EntityNotes): Claim | undefined {
  const fields = entity.below('externalIdClaim');
  if (fields === undefined || fields.names().length === 0) return undefined;
  const text = (name: string) => fields.text(`externalIdClaim.${name}`) ?? '';
  const location = claimLocations.find((one) => one === text('location'));
  const matcher = claimMatchers.find((one) => one === text('matcher'));
  const parser = claimParsers.find((one) => one === text('parser'));
  const criteria = {
    matcherCriteria: text('matcherCriteria'),
    parserCriteria: text('parserSeparator'),
    index: fields.integer('externalIdClaim.index') ?? 0,
  };
  if (location === undefined || matcher === undefined || parser === undefined) {
    notes.changed('Its external id claim has a part that is unknown, and is dropped.');
    return undefined;
  }
  const claim = { location, matcher, parser, ...criteria };
  const problem = claimProblem(claim);
  if (problem !== undefined) {
    notes.kept(
      `Its ${problem.field} is kept, although it is refused at a write: ${problem.reason}.`,
    );
  }
  return claim;
}

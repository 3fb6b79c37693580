// Authenticators of the peer: certificates and passwords.

import { authenticatorKind } from '../../records/authenticator.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { certificateOf } from './certificates.ts';
import { type ConversionContext, defineConversion } from './conversion.ts';
import { textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';
import type { EntityNotes } from './notes.ts';
import { type AuthenticatorValues, passwordOf } from './passwords.ts';
import { quoted } from './quoted.ts';

/** Certificates and passwords. */
export const authenticators = defineConversion({
  bucket: 'authenticators',
  kind: authenticatorKind,
  derived: [],
  // Where the identity does not link both of them.
  stops: { method: 'second-authenticator' },
  convert(entity, context, notes) {
    const [method, identityId] = [entity.text('method'), textIn(entity, 'identity')];
    const values = valuesOf(method, entity, context, notes);
    if (values instanceof LeftOut) return values;
    if (identityId === undefined) return new LeftOut('It names no identity.');
    const other = context.found.secondAuthenticators.insteadOf(entity.id);
    if (other !== undefined) {
      const reason = `Its identity ${quoted(identityId)} has another authenticator of the method`;
      const text = `${reason} ${values.method}, ${quoted(other)}, which was used or changed later.`;
      return new LeftOut(text, 'second-authenticator');
    }
    return { identityId, ...values };
  },
  taken(record, { logins, caOfAuthenticators }) {
    logins.noteAuthenticator(record);
    if (record.caId !== undefined) caOfAuthenticators.set(record.id, record.caId);
  },
});

function valuesOf(
  method: string | undefined,
  entity: PeerEntity,
  context: ConversionContext,
  notes: EntityNotes,
): AuthenticatorValues | LeftOut {
  if (method === 'updb') return passwordOf(entity);
  if (method === 'cert') return certificateOf(entity, context, notes);
  return new LeftOut(`Its method ${quoted(method ?? '')} is not known.`);
}

// Passwords of the peer: their hashes in our form.

import { formatPhc } from '../../auth/passwords/password-hash.ts';
import type { AuthenticatorRecord } from '../../records/authenticator.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';

/** The values of an authenticator. */
export type AuthenticatorValues = Partial<AuthenticatorRecord> &
  Pick<AuthenticatorRecord, 'method'>;

/** The only parameters that the peer hashes with. */
const hashParameters = { memoryKib: 3072, timeCost: 1, parallelism: 4 };
const hashBytes = 32;
/** The least and the most bytes of a salt that a hash in our form may have. */
const [saltBytesMin, saltBytesMax] = [9, 64];

/** A password in our form, or why it is left out. */
export function passwordOf(entity: PeerEntity): AuthenticatorValues | LeftOut {
  const username = textIn(entity, 'updbUsername');
  const hash = base64In(entity.text('updbPassword'));
  const salt = base64In(entity.text('updbSalt'));
  if (username === undefined) return new LeftOut('It has no user name.');
  if (hash?.length !== hashBytes) return new LeftOut('Its password hash is not one of 32 bytes.');
  if (salt === undefined || salt.length < saltBytesMin || salt.length > saltBytesMax) {
    return new LeftOut('The salt of its password hash is missing, or too short or too long.');
  }
  const passwordHash = formatPhc(hashParameters, salt, hash);
  return { method: 'updb', state: 'life:existing', username, passwordHash };
}

/** The bytes of a text in base64 with padding; undefined for any other text. */
function base64In(text: string | undefined): Buffer | undefined {
  if (text === undefined || text === '') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

// Authenticators: the credentials of identities (behaviour/certificates, behaviour/login).

import Type from 'typebox';
import { tagsOf } from '../../declare/resources/bodies.ts';
import { createActor } from '../../declare/resources/crud.ts';
import { publicKeyFingerprintIn } from '../../pki/x509/pem.ts';
import {
  type AuthenticatorRecord,
  authenticatorKind,
  usernameBounds,
} from '../../records/authenticator.ts';
import type { Context } from '../context.ts';
import { clearWrongPasswords } from './wrong-passwords.ts';

/** A user name at login. It may have been stored before user names had to be plain text. */
export const loginUsernameSchema = Type.String(usernameBounds);

/** A password in a body (behaviour/login#limits); the auth policy's rules apply in addition. */
export const passwordSchema = Type.String({ minLength: 5, maxLength: 100 });

/** The parts of a new user name and password authenticator. */
export interface NewUpdb {
  readonly identityId: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly tags?: AuthenticatorRecord['tags'] | undefined;
}

/**
 * Creates a user name and password authenticator.
 * @throws ApiError MAX_AUTHENTICATOR_METHODS_REACHED when the identity has one; DuplicateKey for
 *   the name.
 */
export function createUpdb(context: Writing, id: string, { tags, ...fields }: NewUpdb): void {
  create(context, id, tags, { ...fields, method: 'updb', isIssuedByNetwork: false });
}

/** The parts of a certificate that an authenticator stores. */
export interface StoredCertificate {
  /** The certificate first, then its issuers. */
  readonly certPem: string;
  /** SHA-1 of its DER in lower-case hex. */
  readonly fingerprint: string;
  readonly isIssuedByNetwork: boolean;
  /**
   * The third-party CA that issued it; the authenticator is deleted with that CA
   * (behaviour/cas#deletion).
   */
  readonly caId: string | undefined;
}

/** The parts of a new certificate authenticator. */
export interface NewCertificate extends StoredCertificate {
  readonly identityId: string;
  readonly tags?: AuthenticatorRecord['tags'] | undefined;
}

/**
 * Creates a certificate authenticator.
 * @throws ApiError MAX_AUTHENTICATOR_METHODS_REACHED when the identity has one; DuplicateKey for
 *   the fingerprint.
 */
export function createCertificateAuthenticator(
  context: Writing,
  id: string,
  { tags, ...fields }: NewCertificate,
): void {
  const publicKeyPrint = publicKeyFingerprintIn(fields.certPem);
  create(context, id, tags, { ...fields, publicKeyPrint, method: 'cert' });
}

/** The changes of an authenticator. */
export interface AuthenticatorChange {
  readonly username?: string | undefined;
  readonly tags?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Writes a new user name, new tags or the hash of a new password. Absent parts stay unchanged.
 * @throws ApiError CAN_NOT_UPDATE_AUTHENTICATOR for the password of a certificate,
 *   COULD_NOT_VALIDATE for bad tags; DuplicateKey for the name.
 */
export function changeAuthenticator(
  context: Writing,
  id: string,
  change: AuthenticatorChange,
  passwordHash: string | undefined,
): void {
  const { env, tx, now } = context;
  const table = env.store.table(authenticatorKind);
  if (passwordHash !== undefined) {
    env.send(tx, 'authenticator', id, { type: 'changePassword', now, passwordHash });
    clearWrongPasswords(context, id);
  }
  const stored = table.find(id)?.record;
  if (stored === undefined) return;
  const tags = tagsOf({ tags: change.tags }) ?? stored.tags;
  const username = change.username ?? stored.username;
  tx.put(table, { ...stored, username, tags, updatedAt: now });
}

type Writing = Pick<Context, 'env' | 'tx' | 'now'>;

/** The machine refuses a second one of the same method. */
function create(
  context: Writing,
  id: string,
  tags: AuthenticatorRecord['tags'] | undefined,
  fields: Partial<AuthenticatorRecord>,
): void {
  const { now } = context;
  const record = { id, createdAt: now, updatedAt: now, tags: tags ?? {}, ...fields };
  createActor(context, authenticatorKind, 'method', record);
}

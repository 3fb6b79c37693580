// Authenticators: the credentials of identities (spec/1 "Authenticator", behaviour §4.2, §6.5).

import Type from 'typebox';
import { authenticator } from '../../machines/authenticator.ts';
import { tagsOf } from '../declare/bodies.ts';
import { createActor } from '../declare/create-actor.ts';
import { field, optional, optionalReference, reference } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import type { Context } from '../declare/operation.ts';
import { plainTextFormat } from '../declare/plain-text.ts';
import { publicKeyPrintIn } from '../pki/public-key-print.ts';

const usernameBounds = { minLength: 4, maxLength: 100 };

/** A user name that is given to an identity (spec/3 "Limits"). */
export const usernameSchema = Type.String({ ...usernameBounds, format: plainTextFormat });

/**
 * A user name at login. It may be one that was stored before user names had to be plain text.
 */
export const loginUsernameSchema = Type.String(usernameBounds);

/** A password in a body (spec/3 "Limits"); the auth policy's rules come on top. */
export const passwordSchema = Type.String({ minLength: 5, maxLength: 100 });

const certificateText = () =>
  optional(Type.String(), { write: 'never', show: 'present', symbol: 'string' });
const print = () => optional(Type.String(), { write: 'never', show: 'never', symbol: 'string' });
const flag = () => field(Type.Boolean(), { fallback: false, write: 'never' });

/** Where the certificate stands among the values of version 1. */
const certPemAt = 9;

/** The stored side of authenticators. */
export const authenticatorKind = defineKind({
  kind: 'authenticator',
  version: 2,
  fields: {
    state: field(Type.String(), { fallback: '', write: 'never', show: 'never' }),
    method: field(Type.Enum(['updb', 'cert']), {
      required: true,
      write: 'create',
      symbol: 'string',
    }),
    identityId: reference('identity', {
      inverse: 'authenticators',
      onDelete: 'cascade',
      write: 'create',
    }),
    username: optional(usernameSchema, { unique: true, symbol: 'string' }),
    /** A PHC string. */
    passwordHash: optional(Type.String(), { write: 'never', show: 'never', secret: true }),
    certPem: certificateText(),
    fingerprint: optional(Type.String(), { write: 'never', unique: true, symbol: 'string' }),
    pendingCertPem: optional(Type.String(), { write: 'never', show: 'never' }),
    pendingFingerprint: optional(Type.String(), { write: 'never', show: 'never' }),
    isIssuedByNetwork: flag(),
    caId: optionalReference('ca', {
      inverse: 'authenticators',
      onDelete: 'cascade',
      write: 'never',
      show: 'never',
    }),
    /** SHA-256 of the certificate's public key. */
    publicKeyPrint: print(),
    pendingPublicKeyPrint: print(),
    /** The last extension came with another key. */
    lastExtendRolledKeys: flag(),
    /** The last login with the certificate showed the way up to a root of this network. */
    lastAuthResolvedToRoot: flag(),
  },
  // Version 2 appends what is known of the certificate's key and of its last use.
  migrations: {
    1: (values) => [...values, publicKeyPrintIn(values[certPemAt]) ?? null, null, false, false],
  },
  many: [],
  calledBy: ['method', 'identityId'],
  uniqueKeys: [{ name: 'method', key: ({ identityId, method }) => `${identityId}/${method}` }],
  machine: { declaration: authenticator, creates: 'create', removes: 'remove' },
});

/** A stored authenticator. */
export type AuthenticatorRecord = RecordOf<typeof authenticatorKind.fields>;

/** What a new user name and password authenticator is made of. */
export interface NewUpdb {
  readonly identityId: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly tags: AuthenticatorRecord['tags'] | undefined;
}

/**
 * Makes a user name and password authenticator.
 * @throws ApiError MAX_AUTHENTICATOR_METHODS_REACHED when the identity has one; DuplicateKey for
 *   the name.
 */
export function createUpdb(context: Writing, id: string, { tags, ...fields }: NewUpdb): void {
  create(context, id, tags, { ...fields, method: 'updb', isIssuedByNetwork: false });
}

/** What a new certificate authenticator is made of. */
export interface NewCertificate {
  readonly identityId: string;
  /** The certificate first, then those above it. */
  readonly certPem: string;
  /** SHA-1 of its DER in lower-case hex. */
  readonly fingerprint: string;
  readonly isIssuedByNetwork: boolean;
  /** The third-party CA it was issued under: it goes when that CA does (behaviour §7.7). */
  readonly caId: string | undefined;
  readonly tags?: AuthenticatorRecord['tags'] | undefined;
}

/**
 * Makes a certificate authenticator.
 * @throws ApiError MAX_AUTHENTICATOR_METHODS_REACHED when the identity has one; DuplicateKey for
 *   the fingerprint.
 */
export function createCertificateAuthenticator(
  context: Writing,
  id: string,
  { tags, ...fields }: NewCertificate,
): void {
  const publicKeyPrint = publicKeyPrintIn(fields.certPem);
  create(context, id, tags, { ...fields, publicKeyPrint, method: 'cert' });
}

/** What somebody changes of an authenticator. */
export interface AuthenticatorChange {
  readonly username?: string | undefined;
  readonly tags?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Writes a new user name, new tags or the hash of a new password. What is absent stays.
 * @throws ApiError CAN_NOT_UPDATE_AUTHENTICATOR for the password of a certificate,
 *   COULD_NOT_VALIDATE for bad tags; DuplicateKey for the name.
 */
export function changeAuthenticator(
  { env, tx, now }: Writing,
  id: string,
  change: AuthenticatorChange,
  passwordHash: string | undefined,
): void {
  const table = env.store.table<AuthenticatorRecord>('authenticator');
  if (passwordHash !== undefined) {
    env.send(tx, 'authenticator', id, { type: 'changePassword', now, passwordHash });
    tx.afterCommit(() => env.lockouts.clear(id));
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
  fields: object,
): void {
  const { now } = context;
  const record = { id, createdAt: now, updatedAt: now, tags: tags ?? {}, ...fields };
  createActor(context, authenticatorKind as never, 'method', record);
}

// Login by user name and password (behaviour/login#passwords).

import type { Share } from '../../auth/passwords/login-queue.ts';
import { needsRehash } from '../../auth/passwords/password-hash.ts';
import type { Refused } from '../../declare/operations/operation.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { authenticatorKind } from '../../records/authenticator.ts';
import { identityKind } from '../../records/identity.ts';
import { loginShare, wrongPassword } from '../authenticators/passwords.ts';
import { clearWrongPasswords } from '../authenticators/wrong-passwords.ts';
import type { Context } from '../context.ts';
import { type Admitted, admitted, type Login, type Proof } from './authentication-session.ts';

/** The result of checking the password. */
export interface CheckedPassword {
  /** The authenticator of the user name; undefined for an unknown user. */
  readonly authenticatorId: string | undefined;
  /** The password was checked and is right. */
  readonly isRight: boolean;
  /** The password was checked. */
  readonly wasChecked: boolean;
  /**
   * A hash with the present parameters, if the stored one is weaker (behaviour/login#passwords).
   */
  readonly newHash: string | undefined;
}

/** The credentials of a login. */
interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Checks user name and password. @throws ApiError 400 if one is missing. */
export async function checkCredentials(context: Context, login: Login): Promise<CheckedPassword> {
  const { username, password } = credentialsOf(login);
  const { env } = context;
  const table = env.store.table(authenticatorKind);
  const row = table.findBy('username', username);
  const identities = env.store.table(identityKind);
  const share = loginShare(
    context,
    username,
    row && identities.find(row.record.identityId)?.record,
  );
  const isOpen = row !== undefined && loginOf(context, row.record.identityId) !== undefined;
  const phc = isOpen ? row.record.passwordHash : undefined;
  if (row !== undefined) context.restsOn('authenticator', row);
  // An unknown, disabled or barred user costs a verification too, so that the time reveals nothing.
  const isRight = await env.checkPassword(phc, password, share);
  const isWeak = isRight && phc !== undefined && needsRehash(phc, env.config.argon2);
  const newHash = isWeak ? await rehash(context, password, share) : undefined;
  return { authenticatorId: row?.record.id, isRight, wasChecked: isOpen, newHash };
}

/**
 * Decides by the result of the check. A refusal that is returned has counted the wrong password, so
 * the transaction has to be kept. @throws ApiError INVALID_AUTH.
 */
export function proveByPassword(
  context: Context,
  login: Login,
  checked: CheckedPassword,
): Proof | Refused {
  const { env, tx, now } = context;
  const { authenticatorId } = checked;
  const table = env.store.table(authenticatorKind);
  const found = authenticatorId === undefined ? undefined : table.find(authenticatorId)?.record;
  const admission = found === undefined ? undefined : loginOf(context, found.identityId);
  if (found === undefined || admission === undefined || !checked.wasChecked) {
    throw new ApiError('INVALID_AUTH');
  }
  if (!checked.isRight) return wrongPassword(context, found, 'INVALID_AUTH');
  clearWrongPasswords(context, found.id);
  env.recentLogins.note(context.request.peer.address, credentialsOf(login).username);
  if (checked.newHash !== undefined) {
    const passwordHash = checked.newHash;
    env.send(tx, 'authenticator', found.id, { type: 'changePassword', now, passwordHash });
  }
  return { identity: admission.identity, authenticatorId: found.id };
}

function credentialsOf({ username, password }: Login): Credentials {
  if (username === undefined) throw fieldError('username', 'is required', undefined);
  if (password === undefined) throw fieldError('password', 'is required', undefined);
  return { username, password };
}

/** A right password proves the identity. */
function rehash({ env }: Context, password: string, share: Share): Promise<string> {
  return env.hasher.hash(password, env.config.argon2, { ...share, isKnown: true });
}

/** Undefined when the identity may not log in by a password. */
function loginOf(context: Context, identityId: string): Admitted | undefined {
  const identities = context.env.store.table(identityKind);
  const login = admitted(context, identities.find(identityId));
  return login?.policy.primary.updb.allowed ? login : undefined;
}

// Restores an administrator's access by order of the owner of the home.

import { isDisabled } from '../../auth/callers.ts';
import { passwordProblem } from '../../auth/passwords/password-rules.ts';
import {
  type AuthPolicyRecord,
  authPolicyKind,
  defaultAuthPolicyId,
} from '../../records/auth-policy.ts';
import { type AuthenticatorRecord, authenticatorKind } from '../../records/authenticator.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import { mfaEnrollmentKind } from '../../records/mfa-enrollment.ts';
import type { Row } from '../../store/record.ts';
import type { Context, ResourceEnvironment } from '../context.ts';
import { administratorsOf } from './admin-logins.ts';
import { changeAuthenticator, createUpdb } from './authenticator.ts';

/** The request. */
export interface AdministratorReset {
  /** The default administrator if absent. */
  readonly username: string | undefined;
  readonly password: string;
  readonly removeMfa: boolean;
}

/** The result. */
export interface AdministratorResetDone {
  readonly identityId: string;
  readonly isDefaultAdmin: boolean;
  /** Sentences for the operator, without secrets. */
  readonly lines: readonly string[];
}

/** What a controller answers: what it did, or why not. */
export type ResetAnswer = AdministratorResetDone | { readonly refused: string };

/** The reset is not possible; the message is a sentence without secrets. Nothing was changed. */
export class ResetRefused extends Error {
  override readonly name = 'ResetRefused';
}

/** The author and the action in the log. */
const cause = {
  actor: 'edge-control admin reset',
  requestId: '',
  operation: 'resetAdministrator',
};

/** The owner of the home does not wait for other callers. */
const share = { address: '', username: '', isKnown: true };

/**
 * Sets a new password, enables the administrator, assigns the default auth policy, and ends the API
 * sessions, all in one frame. Resolves once that is durable.
 * @throws ResetRefused; ApiError, Busy, DuplicateKey or errors of the journal, like operations.
 */
export async function resetAdministrator(
  env: ResourceEnvironment,
  order: AdministratorReset,
): Promise<AdministratorResetDone> {
  const { store, config, hasher, limits } = env;
  administratorOf(env, order.username);
  const problem = passwordProblem(defaultPolicy(env).primary.updb, order.password, limits);
  if (problem !== undefined) throw new ResetRefused(`The password ${problem}.`);
  const passwordHash = await hasher.hash(order.password, config.argon2, share);
  // The reset restores rights, so pending removals of access are finished first.
  await grantsMayGo(env);
  const done = store.transact(cause, (tx) => reset({ env, tx, now: tx.now }, order, passwordHash));
  await store.journal.flush();
  return done;
}

async function grantsMayGo({ store }: ResourceEnvironment): Promise<void> {
  while (store.deferredCascades.holdsGrants) {
    await new Promise<void>((resolve) => void store.deferredCascades.onceGrantsMayGo(resolve));
  }
}

type Writing = Pick<Context, 'env' | 'tx' | 'now'>;

function reset(
  context: Writing,
  { username, removeMfa }: AdministratorReset,
  passwordHash: string,
): AdministratorResetDone {
  const { env, tx, now } = context;
  const row = administratorOf(env, username);
  const { id, name, isDefaultAdmin } = row.record;
  const lines = [...permitPasswords(context, removeMfa)];
  const identities = env.store.table(identityKind);
  if (row.record.authPolicyId !== defaultAuthPolicyId) {
    const moved = { ...row.record, authPolicyId: defaultAuthPolicyId, updatedAt: now };
    tx.put(identities, moved);
    lines.push('The administrator has the default auth policy now.');
  }
  const { lockedOutUntil } = row.record;
  if (isDisabled(row.record, now)) {
    lines.push('The administrator was disabled, and is enabled now.');
  } else if (lockedOutUntil !== undefined && lockedOutUntil > now) {
    lines.push('The administrator was locked out, and is not any more.');
  }
  env.send(tx, 'identity', id, { type: 'enable', now });
  const loginName = setPassword(context, row.record, username, passwordHash);
  env.endApiSessions(tx, id);
  if (removeMfa && removeEnrollment(context, id))
    lines.push('The MFA of the administrator was removed.');
  lines.unshift(`Administrator ${name} has a new password; the user name is ${loginName}.`);
  return { identityId: id, isDefaultAdmin, lines };
}

/**
 * The default policy must allow passwords and count for administrators, or the reset would be
 * useless. An external token that it requires besides is a second factor, which is removed with the
 * others.
 */
function* permitPasswords({ env, tx, now }: Writing, removeMfa: boolean): Generator<string> {
  const table = env.store.table(authPolicyKind);
  const policy = defaultPolicy(env);
  const { primary, secondary } = policy;
  const { requireExtJwtSigner, ...others } = secondary;
  const liftsToken = removeMfa && requireExtJwtSigner !== undefined;
  if (!primary.updb.allowed) {
    yield 'The default auth policy forbade passwords, and allows them now.';
  }
  if (liftsToken) yield 'The default auth policy asks for no external token any more.';
  else if (requireExtJwtSigner !== undefined) {
    yield 'The default auth policy asks for an external token besides; --remove-mfa lifts that.';
  }
  if (policy.isUnconfirmed) yield 'The default auth policy was changed by another caller.';
  if (primary.updb.allowed && !liftsToken && !policy.isUnconfirmed) return;
  tx.put(table, {
    ...policy,
    primary: { ...primary, updb: { ...primary.updb, allowed: true } },
    secondary: liftsToken ? others : secondary,
    isUnconfirmed: undefined,
    updatedAt: now,
  });
}

/** @returns the user name; a deleted authenticator is created again */
function setPassword(
  context: Writing,
  { id, name }: IdentityRecord,
  username: string | undefined,
  passwordHash: string,
): string {
  const { env } = context;
  const held = passwordOf(env, id);
  if (held !== undefined) {
    changeAuthenticator(context, held.id, {}, passwordHash);
    return held.username ?? name;
  }
  const chosen = username ?? name;
  if (chosen.length < 4 || chosen.length > 100) {
    throw new ResetRefused(`${chosen} is no user name, as these have 4 to 100 characters.`);
  }
  const fields = { identityId: id, username: chosen, passwordHash };
  createUpdb(context, env.ids.entity(), fields);
  return chosen;
}

function passwordOf(env: ResourceEnvironment, identityId: string): AuthenticatorRecord | undefined {
  const table = env.store.table(authenticatorKind);
  for (const { record } of table.members('identityId', identityId)) {
    if (record.method === 'updb') return record;
  }
  return undefined;
}

function removeEnrollment(context: Writing, identityId: string): boolean {
  const { env, tx, now } = context;
  const row = env.store.table(mfaEnrollmentKind).findBy('identityId', identityId);
  if (row === undefined) return false;
  env.send(tx, 'mfaEnrollment', row.record.id, { type: 'remove', now });
  return true;
}

/**
 * Finds the administrator by user name, or by the name of an identity that no longer has a user
 * name.
 * @throws ResetRefused if there is none, or the identity is not an administrator.
 */
function administratorOf(
  env: ResourceEnvironment,
  username: string | undefined,
): Row<IdentityRecord> {
  const authenticators = env.store.table(authenticatorKind);
  const holder = username && authenticators.findBy('username', username)?.record.identityId;
  for (const row of administratorsOf(env.store)) {
    const { id, name, isDefaultAdmin } = row.record;
    if (username === undefined ? isDefaultAdmin : holder === id) return row;
    if (!holder && name === username && passwordOf(env, id) === undefined) return row;
  }
  throw new ResetRefused(
    username === undefined
      ? 'There is no default administrator: name another one with --username.'
      : `No administrator has the user name ${username}.`,
  );
}

function defaultPolicy(env: ResourceEnvironment): AuthPolicyRecord {
  const policy = env.store.table(authPolicyKind).find(defaultAuthPolicyId)?.record;
  if (policy === undefined) throw new Error('there is no default auth policy');
  return policy;
}

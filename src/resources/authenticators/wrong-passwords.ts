// Counts consecutive wrong passwords per authenticator (behaviour/login#lockout).

import { wrongPasswordsKind } from '../../records/wrong-passwords.ts';
import type { Context } from '../context.ts';

type Writing = Pick<Context, 'env' | 'tx' | 'now'>;

/**
 * Counts a wrong password. Must not be called while the identity is disabled: such attempts don't
 * count, and a check that was running when another one locked must test that again. Each costs a
 * hash and then a frame, so hashing bounds how fast strangers can make the log grow.
 * @param maxAttempts of the auth policy; 0 never locks, and nothing is counted.
 * @returns whether the identity has to be locked out; counting restarts from zero then
 */
export function countWrongPassword(
  context: Writing,
  authenticatorId: string,
  maxAttempts: number,
): boolean {
  const { env, tx, now } = context;
  const table = env.store.table(wrongPasswordsKind);
  const before = table.findBy('authenticatorId', authenticatorId)?.record;
  const count = (before?.count ?? 0) + 1;
  if (maxAttempts <= 0 || count >= maxAttempts) {
    clearWrongPasswords(context, authenticatorId);
    return maxAttempts > 0;
  }
  const fresh = { id: env.ids.entity(), createdAt: now, tags: {}, authenticatorId };
  tx.put(table, { ...(before ?? fresh), count, updatedAt: now });
  return false;
}

/** A right or a new password: counting restarts from zero. */
export function clearWrongPasswords(
  { env, tx }: Pick<Context, 'env' | 'tx'>,
  authenticatorId: string,
): void {
  const table = env.store.table(wrongPasswordsKind);
  const before = table.findBy('authenticatorId', authenticatorId);
  if (before !== undefined) tx.delete(table, before.record.id);
}

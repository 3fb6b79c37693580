// Makes an API session fully authenticated when a request brings the JWT that it owed
// (behaviour/api-sessions#secondary-jwts).

import { JournalStalled } from '../../../snapshots/errors.ts';
import type { Caller } from '../../declare/operations/operation.ts';
import { ApiError } from '../../errors/errors.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import type { Context } from '../context.ts';

/** The parts of a request that the transition needs. */
export type SecondaryJwtContext = Pick<Context, 'env' | 'requestId'>;

/**
 * Sends the session of `caller` the JWT of the request if that completes its factors and is news to
 * it: a first one, or one that expires noticeably later. The session is then up to date in
 * `caller`, and the answer waits until it is durable. Other requests with a JWT write nothing.
 *
 * It counts as a write of the caller. If the caller has written too much, or the log accepts no
 * writes, nothing happens: the request rests on its own JWT, and a later one tries again.
 */
export function noteSecondaryJwt({ env, requestId }: SecondaryJwtContext, caller: Caller): void {
  const { session, identity, secondFactorUntil, isPartial } = caller;
  if (secondFactorUntil === undefined || isPartial) return;
  const { id, state, secondFactorUntil: known } = session.record;
  const isKnown = known !== undefined && secondFactorUntil < known + extensionMsMin;
  if (state === 'full' && isKnown) return;
  const cause = { actor: identity.id, requestId, operation: 'secondaryJwt' };
  ifThereIsRoom(() => {
    env.rates.countWrite({ access: 'partial' }, caller);
    env.store.transact(cause, (tx) => {
      env.send(tx, apiSessionKind.kind, id, {
        type: 'completeSecondFactor',
        now: tx.now,
        factor: 'jwt',
        secondFactorRequired: false,
        secondFactorUntil,
      });
    });
  });
}

/** Writes something that a later request can write as well. */
export function ifThereIsRoom(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isTemporary(error)) throw error;
  }
}

/** Whether a later request may succeed in writing. */
function isTemporary(error: unknown): boolean {
  return (
    error instanceof JournalStalled || (error instanceof ApiError && error.code === 'RATE_LIMITED')
  );
}

/**
 * A JWT that expires later by less does not extend the session's time: some clients get a new one
 * for every request. @bound per session
 */
const extensionMsMin = 10_000;

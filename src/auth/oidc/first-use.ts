// Notes that the tokens of a refresh have arrived: from then on, the refresh token before them is
// good for a few seconds only (behaviour/oidc#refresh).

import type { Caller } from '../../declare/operations/operation.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import type { Context } from '../context.ts';
import { ifThereIsRoom } from '../second-factor/secondary-jwt.ts';

/** Whether a request brings an access token of the newest refresh for the first time. */
export function isFirstUse({ session, access }: Caller): boolean {
  const { jwt } = session.record;
  return jwt !== undefined && jwt.usedAt === 0 && jwt.generation === access?.generation;
}

/** Writes it to the session. If the log accepts no writes, a later request does. */
export function noteFirstUse(
  { env, requestId }: Pick<Context, 'env' | 'requestId'>,
  { session, identity }: Caller,
): void {
  const cause = { actor: identity.id, requestId, operation: 'useTokens' };
  ifThereIsRoom(() =>
    env.store.transact(cause, (tx) => {
      env.send(tx, apiSessionKind.kind, session.record.id, { type: 'useTokens', now: tx.now });
    }),
  );
}

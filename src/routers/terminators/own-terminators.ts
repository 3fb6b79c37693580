// The terminators that a router may change: those that it has created.

import type { Environment } from '../../declare/operations/environment.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { RoutersContext } from '../context.ts';
import type { ConnectedRouter } from '../router-feature.ts';

/** The terminator of this id, if it is one that the router has created. */
export function ownTerminator(
  { store }: Pick<Environment, 'store'>,
  router: Pick<ConnectedRouter, 'id'>,
  id: string,
): TerminatorRecord | undefined {
  const record = store.table(terminatorKind).find(id)?.record;
  return record?.router === router.id && record.isOfRouter ? record : undefined;
}

/**
 * Deletes those of the ids that are terminators which the router has created: some in each turn, as
 * there may be many. Then it calls `done`, which it never does when the log takes no writes.
 */
export function removeOwn(
  { env, log }: Pick<RoutersContext, 'env' | 'log'>,
  router: Pick<ConnectedRouter, 'id'>,
  ids: Iterable<string>,
  { operation, done }: { readonly operation: string; done?(): void },
): void {
  const { rowsMax } = env.store.deferredCascades;
  const isOwn = (id: string) => ownTerminator(env, router, id) !== undefined;
  let left = [...new Set(ids)].filter(isOwn);
  const step = () => {
    const slice = left.slice(0, rowsMax);
    left = left.slice(rowsMax);
    if (slice.length > 0) {
      env.store.transact({ actor: router.id, requestId: '', operation }, (tx) => {
        for (const id of slice) if (isOwn(id)) removeTerminator(env, tx, id);
      });
    }
    if (left.length === 0) done?.();
    else env.clock.soon(later);
  };
  const later = () => {
    try {
      step();
    } catch (err) {
      log.warn({ err, router: router.id }, 'terminators could not be removed');
    }
  };
  step();
}

/** Removes a terminator that exists. */
export function removeTerminator(
  env: Pick<Environment, 'send'>,
  tx: Transaction,
  id: string,
): void {
  env.send(tx, terminatorKind.kind, id, { type: 'remove', now: tx.now });
}

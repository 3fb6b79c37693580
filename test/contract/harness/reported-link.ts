// A link between two routers, as one of them has reported it.

import { linkKind, unmeasuredLatencyNs } from '../../../src/records/link.ts';
import type { Network } from '../../simulated/network.ts';

/** Adds the link, which nobody has measured. */
export function reportLink(
  { env }: Network,
  {
    id,
    ...routers
  }: { readonly id: string; readonly sourceRouter: string; readonly destRouter: string },
): void {
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  env.store.transact(cause, (tx) => {
    env.send(tx, linkKind.kind, id, {
      type: 'report',
      now: tx.now,
      iteration: 1,
      isReachable: true,
      isRefresh: false,
      refusal: '',
      fields: { tags: {}, ...routers, protocol: 'tls', ...unmeasured },
    });
  });
}

const unmeasured = {
  dialAddress: 'tls:north:6000',
  staticCost: 1,
  down: false,
  sourceLatency: unmeasuredLatencyNs,
  destLatency: unmeasuredLatencyNs,
  isNamed: false,
};

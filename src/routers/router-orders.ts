// What a router asks for about itself: no further circuits, circuits again, its removal
// (behaviour/control-channel#presence).

import type { Frame } from '../channel/channel-api.ts';
import { contentTypes } from '../channel/content-types.ts';
import type { Transaction } from '../store/transaction.ts';
import type { RoutersContext } from './context.ts';
import type { PresenceEvents } from './presence-events.ts';
import type { ConnectedRouter, MessageHandler, RouterFeature } from './router-feature.ts';

/** What orders need. */
export interface OrdersOptions extends RoutersContext {
  readonly presence: PresenceEvents;
  /** Deletes a router with everything that goes with it. */
  removeRouter(tx: Transaction, routerId: string): void;
}

/** Carries out the orders of all routers; each concerns only the router that gives it. */
export function createRouterOrders(options: OrdersOptions): RouterFeature {
  const quiesce = (isQuiesced: boolean) => (router: ConnectedRouter, frame: Frame) => {
    router.isQuiesced = isQuiesced;
    options.presence.quiesce(router, isQuiesced);
    options.env.paths.quiesce(router.id, isQuiesced);
    router.channel.replyResult(frame, true);
  };
  return {
    handlers: new Map<number, MessageHandler>([
      [contentTypes.quiesceRouter, quiesce(true)],
      [contentTypes.dequiesceRouter, quiesce(false)],
      [contentTypes.decommissionRouter, (router, frame) => decommission(options, router, frame)],
    ]),
  };
}

function decommission(
  { env, removeRouter }: OrdersOptions,
  { id, channel }: ConnectedRouter,
  frame: Frame,
): void {
  const cause = { actor: id, requestId: '', operation: 'decommissionRouter' };
  env.store.transact(cause, (tx) => removeRouter(tx, id));
  // It takes something away, so the answer need not wait until that is durable.
  channel.replyResult(frame, true);
}

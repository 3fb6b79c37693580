// Writes what happens to the control channels of routers into their presence records.

import type {
  RouterPresenceRecord as PresenceFields,
  RouterPresenceEvent,
} from '../../machines/router-presence.ts';
import type { Environment } from '../declare/operations/environment.ts';
import { routerPresenceKind } from '../records/router-presence.ts';
import type { ConnectedRouter, ConnectedRouters } from './router-feature.ts';

/** An event without its time. */
type Untimed = RouterPresenceEvent extends infer Event
  ? Event extends RouterPresenceEvent
    ? Omit<Event, 'now'>
    : never
  : never;

/** What a hello and its connection tell. */
export type ConnectFields = Omit<
  Extract<RouterPresenceEvent, { type: 'connect' }>['fields'],
  'routerId' | 'connectedAt'
>;

interface SyncStep {
  readonly router: ConnectedRouter;
  readonly type: 'beginSync' | 'finishSync' | 'askResync';
}

/** The presence records as the control plane writes them. */
export class PresenceEvents {
  readonly #env: Environment;
  readonly #connected: ConnectedRouters;
  #steps: SyncStep[] = [];

  constructor(env: Environment, connected: ConnectedRouters) {
    this.#env = env;
    this.#connected = connected;
  }

  connect(router: ConnectedRouter, isEdge: boolean, fields: ConnectFields): void {
    const { id: routerId } = router;
    const connectedAt = this.#env.clock.now();
    this.#send(routerId, { type: 'connect', isEdge, fields: { ...fields, routerId, connectedAt } });
  }

  askHello(router: ConnectedRouter): void {
    this.#sendConnected(router, { type: 'askHello' });
  }

  greet(
    router: ConnectedRouter,
    told: Pick<PresenceFields, 'hostname' | 'supportedProtocols'>,
  ): void {
    this.#sendConnected(router, { type: 'greet', ...told });
  }

  report(router: ConnectedRouter, interfaces: PresenceFields['interfaces']): void {
    this.#sendConnected(router, { type: 'report', interfaces });
  }

  quiesce(router: ConnectedRouter, isQuiesced: boolean): void {
    this.#sendConnected(router, { type: 'quiesce', isQuiesced });
  }

  /** The sync of API sessions: the full state begins to leave. */
  inProgress(routerId: string): void {
    this.#later(routerId, 'beginSync');
  }

  /** All of it was handed to the channel. */
  done(routerId: string): void {
    this.#later(routerId, 'finishSync');
  }

  /** The router needs the full state again. */
  resync(routerId: string): void {
    this.#later(routerId, 'askResync');
  }

  /** The controller closes the channel; the router is no longer among the connected ones. */
  close(routerId: string, reason: string): void {
    this.#sendAway(routerId, { type: 'close', reason });
  }

  /** The channel is closed. */
  disconnect(routerId: string, reason: string): void {
    this.#sendAway(routerId, { type: 'disconnect', reason });
  }

  /**
   * Steps of a turn are written together in the next one: many routers are synced at once, and some
   * steps are found by followers of commits, which must not write.
   */
  #later(routerId: string, type: SyncStep['type']): void {
    const router = this.#connected.get(routerId);
    if (router === undefined) return;
    this.#steps.push({ router, type });
    if (this.#steps.length === 1) this.#env.clock.soon(() => this.#writeSteps());
  }

  #writeSteps(): void {
    const steps = this.#steps;
    this.#steps = [];
    const { store } = this.#env;
    store.fence.begin();
    const cause = { actor: '', requestId: '', operation: 'routerPresence.sync' };
    store.transact(cause, (tx) => {
      for (const { router, type } of steps) {
        if (this.#connected.get(router.id) !== router || !this.#isThere(router.id)) continue;
        this.#env.send(tx, 'routerPresence', router.id, { type, now: tx.now });
      }
    });
  }

  #sendConnected(router: ConnectedRouter, event: Untimed): void {
    if (this.#connected.get(router.id) !== router || !this.#isThere(router.id)) return;
    this.#send(router.id, event);
  }

  /** The record went with its router, or there is a newer channel, which the event is not about. */
  #sendAway(routerId: string, event: Untimed): void {
    if (this.#connected.get(routerId) !== undefined || !this.#isThere(routerId)) return;
    this.#send(routerId, event);
  }

  /** A router that deletes itself is connected a little longer than it has a record. */
  #isThere(routerId: string): boolean {
    return this.#env.store.table(routerPresenceKind).peek(routerId) !== undefined;
  }

  #send(routerId: string, event: Untimed): void {
    const { store } = this.#env;
    const operation = `routerPresence.${event.type}`;
    store.transact({ actor: routerId, requestId: '', operation }, (tx) => {
      this.#env.send(tx, 'routerPresence', routerId, { ...event, now: tx.now });
    });
  }
}

// The presence of the routers that are connected at present, for whatever shows or chooses routers.

import { type RouterPresenceRecord, routerPresenceKind } from '../records/router-presence.ts';
import type { Store } from '../store/store.ts';

/** The connected routers' records by id. Reading costs one look-up in a map. */
export class RouterPresences {
  readonly #connected = new Map<string, RouterPresenceRecord>();

  constructor(store: Store) {
    store.table(routerPresenceKind).observe(({ id }, _before, after) => {
      if (after !== undefined && isConnected(after)) this.#connected.set(id, after);
      else this.#connected.delete(id);
    });
  }

  /** How many are connected. */
  get size(): number {
    return this.#connected.size;
  }

  /** The present record of a router; undefined while it is not connected. */
  of(routerId: string): RouterPresenceRecord | undefined {
    return this.#connected.get(routerId);
  }
}

/** Whether a control channel is open and is to stay so. */
export function isConnected({ state }: Pick<RouterPresenceRecord, 'state'>): boolean {
  return state !== 'offline' && state !== 'closing';
}

/** The word of the API for a presence (behaviour/control-channel#presence). */
export function syncStatusOf(presence: RouterPresenceRecord): string {
  const { state, serverHellos, hasGreeted } = presence;
  if (state === 'online') return 'SYNC_DONE';
  if (state === 'syncing') return 'SYNC_IN_PROGRESS';
  if (state === 'resync') return 'SYNC_RESYNC_WAIT';
  if (state !== 'hello') return 'SYNC_UNKNOWN';
  if (hasGreeted) return 'SYNC_HELLO_WAIT';
  if (serverHellos === 0) return 'SYNC_QUEUED';
  return serverHellos === 1 ? 'SYNC_HELLO' : 'SYNC_HELLO_TIMEOUT';
}

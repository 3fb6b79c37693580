// Events with the number of records of each kind, at intervals (behaviour/events#entity-counts).

import type { EventFields, EventType } from '../observe/events.ts';
import type { Clock, Timer } from '../platform/ports.ts';
import { countsOf } from '../resources/controller/summary.ts';
import type { Store } from '../store/store.ts';
import type { ToldEvent } from './told-event.ts';

/** Dependencies of `EntityCounts`. */
export interface EntityCountsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly eventOf: (type: EventType, fields: EventFields) => ToldEvent;
}

/** Counts records for those who subscribe to that. */
export class EntityCounts {
  readonly #options: EntityCountsOptions;

  constructor(options: EntityCountsOptions) {
    this.#options = options;
  }

  /** Sends counts in the next turn, and then at intervals. @returns a function that ends this */
  every(intervalMs: number, send: (event: ToldEvent) => void): () => void {
    const { clock, eventOf, store } = this.#options;
    let timer: Timer | undefined;
    const next = () => {
      timer = clock.after(intervalMs, next);
      // Nobody may be told by a node that does not lead.
      if (store.isAttached) send(eventOf('entityCount', { counts: countsOf(store) }));
    };
    timer = clock.after(0, next);
    return () => timer?.cancel();
  }
}

// The subscriptions of one reader, and the lines that it gets by them.

import type { EventType } from '../observe/events.ts';
import type { EntityCounts } from './entity-counts.ts';
import type { EventSubscription } from './subscription.ts';
import type { ToldEvent } from './told-event.ts';

/** The subscriptions of one reader. */
export class Subscriptions {
  readonly #counts: EntityCounts;
  readonly #send: (event: ToldEvent) => void;
  readonly #subscriptions: EventSubscription[] = [];
  readonly #types = new Set<EventType>();
  readonly #endings: (() => void)[] = [];

  /** @param send gets the counts of entities, at once and then at intervals */
  constructor(counts: EntityCounts, send: (event: ToldEvent) => void) {
    this.#counts = counts;
    this.#send = send;
  }

  /** How many there are. */
  get size(): number {
    return this.#subscriptions.length + this.#endings.length;
  }

  /** The types that they take from the hub. */
  get types(): ReadonlySet<EventType> {
    return this.#types;
  }

  /** Adds some; whoever has them must tell the hub. */
  add(subscriptions: readonly EventSubscription[]): void {
    for (const subscription of subscriptions) {
      const { type, intervalMs } = subscription;
      if (type === 'entityCount') this.#endings.push(this.#counts.every(intervalMs, this.#send));
      else {
        this.#subscriptions.push(subscription);
        this.#types.add(type);
      }
    }
  }

  /** The lines of an event: one for each subscription that wants it. */
  linesOf(event: ToldEvent): Buffer[] {
    if (!this.#types.has(event.type)) return [];
    const lines: Buffer[] = [];
    for (const subscription of this.#subscriptions) {
      if (subscription.type === event.type) lines.push(...subscription.linesOf(event));
    }
    return lines;
  }

  /** Ends the counts of entities. */
  end(): void {
    for (const end of this.#endings.splice(0)) end();
  }
}

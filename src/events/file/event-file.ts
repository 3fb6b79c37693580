// Events as lines of a file (behaviour/events#the-file).

import type { EventType } from '../../observe/events.ts';
import type { Log } from '../../observe/logs.ts';
import type { Clock } from '../../platform/ports.ts';
import type { EntityCounts } from '../entity-counts.ts';
import type { EventHub } from '../event-hub.ts';
import type { EventReader } from '../event-reader.ts';
import { subscriptionTo } from '../subscription.ts';
import { Subscriptions } from '../subscriptions.ts';
import type { ToldEvent } from '../told-event.ts';
import type { LineOutput, LineOutputOptions } from './line-output.ts';

/** Dependencies of `EventFile`. */
export interface EventFileOptions {
  readonly hub: EventHub;
  readonly counts: EntityCounts;
  readonly clock: Clock;
  readonly log: Log;
  readonly types: readonly EventType[];
  readonly open: (handlers: Pick<LineOutputOptions, 'dropped' | 'failed'>) => LineOutput;
}

/** Writes events from its creation on. What cannot be written is dropped and counted. */
export class EventFile implements EventReader {
  readonly #options: EventFileOptions;
  readonly #output: LineOutput;
  readonly #subscriptions: Subscriptions;
  readonly #leave: () => void;
  #dropped = 0;
  /** Monotonic ms of the last line about a failure. */
  #toldMs = Number.NEGATIVE_INFINITY;

  /** @throws what `open` throws */
  constructor(options: EventFileOptions) {
    this.#options = options;
    const { hub, counts, types, open } = options;
    this.#output = open({
      dropped: (lines) => {
        this.#dropped += lines;
        this.#failed(undefined);
      },
      failed: (error) => this.#failed(error),
    });
    this.#subscriptions = new Subscriptions(counts, ({ line }) => this.#output.write(line));
    this.#subscriptions.add(types.map((type) => subscriptionTo(type)));
    this.#leave = hub.add(this);
  }

  get types(): ReadonlySet<EventType> {
    return this.#subscriptions.types;
  }

  /** Events that were not written since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  take(events: readonly ToldEvent[]): void {
    for (const event of events) {
      for (const line of this.#subscriptions.linesOf(event)) this.#output.write(line);
    }
  }

  missed(count: number): void {
    this.#dropped += count;
    this.#failed(undefined);
  }

  async stop(): Promise<void> {
    this.#leave();
    this.#subscriptions.end();
    await this.#output.end();
  }

  #failed(err: unknown): void {
    const { clock, log } = this.#options;
    const now = clock.monotonic();
    if (now - this.#toldMs < toldEveryMs) return;
    this.#toldMs = now;
    const fields = { dropped: this.#dropped, ...(err === undefined ? {} : { err }) };
    log.error(fields, 'events cannot be written to their file');
  }
}

/** Between two log lines about events that cannot be written. @bound */
const toldEveryMs = 60_000;

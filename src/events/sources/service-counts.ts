// Counts of dials per service, made of the events of circuits (behaviour/events#services).

import type { EventSink, EventType } from '../../observe/events.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import type { EventReader } from '../event-reader.ts';
import type { ToldEvent } from '../told-event.ts';

/** What is counted together. */
interface Count {
  readonly kind: string;
  readonly serviceId: string;
  readonly terminatorId: string;
  count: number;
}

/** Counts while somebody wants events of services; the hub then reads circuits, too. */
export class ServiceCounts implements EventReader {
  readonly types: ReadonlySet<EventType> = new Set();
  readonly #events: EventSink;
  readonly #clock: Clock;
  readonly #counts = new Map<string, Count>();
  #sinceMs = 0;
  #timer: Timer | undefined;

  constructor(events: EventSink, clock: Clock) {
    this.#events = events;
    this.#clock = clock;
  }

  take(events: readonly ToldEvent[]): void {
    if (!this.#events.wants('service')) return;
    for (const event of events) if (event.type === 'circuit') this.#take(event);
  }

  missed(): void {
    // Whoever reads is told by its own connection.
  }

  #take({ fields }: ToldEvent): void {
    const kind = kinds[String(fields['event_type'])];
    if (kind === undefined) return;
    const serviceId = String(fields['service_id'] ?? '');
    const terminatorId = String(fields['terminator_id'] ?? '');
    const key = `${kind} ${serviceId} ${terminatorId}`;
    const known = this.#counts.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#counts.size < serviceCountsMax) {
      this.#counts.set(key, { kind, serviceId, terminatorId, count: 1 });
    }
    if (this.#timer !== undefined) return;
    this.#sinceMs = this.#clock.now();
    this.#timer = this.#clock.after(intervalMs, () => this.#tell());
  }

  #tell(): void {
    this.#timer = undefined;
    for (const { kind, serviceId, terminatorId, count } of this.#counts.values()) {
      this.#events.tell('service', {
        version: 2,
        event_type: kind,
        service_id: serviceId,
        terminator_id: terminatorId,
        count,
        interval_start_utc: Math.floor(this.#sinceMs / 1000),
        interval_length: intervalMs / 1000,
      });
    }
    this.#counts.clear();
  }
}

/** The kinds of events of circuits that count, and their names. */
const kinds: Readonly<Record<string, string>> = {
  created: 'service.dial.success',
  failed: 'service.dial.fail',
};

/** The interval of each count. */
const intervalMs = 60_000;

/** Pairs of service and terminator that are counted in one interval. @bound per controller */
const serviceCountsMax = 10_000;

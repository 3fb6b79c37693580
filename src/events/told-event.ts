// One event on its way to its readers.

import { Buffer } from 'node:buffer';
import type { Lsn } from '../../snapshots/journal.ts';
import type { EventFields, EventType } from '../observe/events.ts';

/** What an event is made of. */
export interface EventOrigin {
  readonly type: EventType;
  /** Wall-clock ms. */
  readonly timeMs: number;
  /** It may leave once this frame is durable; that of an event of a frame. */
  readonly lsn: Lsn;
  /** Where a frame has it, alike on all nodes of a cluster; absent for what no frame holds. */
  readonly place?: string;
  /** Its fields, or a function that makes them when the first reader needs them. */
  readonly fields: EventFields | (() => EventFields);
}

/** An event. Its text is made once, for all readers. */
export class ToldEvent {
  readonly type: EventType;
  readonly timeMs: number;
  readonly lsn: Lsn;
  readonly place: string | undefined;
  readonly #sourceId: string;
  #fields: EventOrigin['fields'];
  #line: Buffer | undefined;

  /** @param sourceId id of the controller, or of the node */
  constructor({ type, timeMs, lsn, place, fields }: EventOrigin, sourceId: string) {
    this.type = type;
    this.timeMs = timeMs;
    this.lsn = lsn;
    this.place = place;
    this.#fields = fields;
    this.#sourceId = sourceId;
  }

  /** The fields besides those that all events have. */
  get fields(): EventFields {
    if (typeof this.#fields === 'function') this.#fields = this.#fields();
    return this.#fields;
  }

  /** The event as JSON, without a line break. */
  get line(): Buffer {
    return (this.#line ??= this.lineWith(this.fields));
  }

  /** The event with other fields. */
  lineWith(fields: EventFields): Buffer {
    const timestamp = new Date(this.timeMs).toISOString();
    const common = { namespace: this.type, event_src_id: this.#sourceId, timestamp };
    return Buffer.from(JSON.stringify({ ...common, ...fields }));
  }
}

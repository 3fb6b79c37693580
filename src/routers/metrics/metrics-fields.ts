// Reads metrics of routers field by field. A message holds everything that a router measures, and
// nobody needs all of it, so none is decoded as a whole.

import { MalformedMessage } from '../../channel/channel-api.ts';
import { Reader } from '../../channel/messages/messages.ts';

/** The numbers of the fields of a message of metrics. */
export const metricsFields = {
  eventId: 1,
  intValues: 5,
  floatValues: 6,
  meters: 7,
  histograms: 8,
  timers: 10,
  usageCounters: 11,
} as const;

/** The fields of a protobuf message, one after the other, whatever their number. */
export class MetricsFields {
  /** The number of the present field. */
  number = 0;
  readonly #reader: ReturnType<typeof Reader.create>;
  #wireType = 0;
  #isTaken = true;
  /** Where the present step began. */
  #stepStart = 0;

  constructor(bytes: Buffer) {
    this.#reader = Reader.create(bytes);
  }

  /** Moves to the next field; false at the end. @throws MalformedMessage */
  next(): boolean {
    try {
      if (!this.#isTaken) this.#skip();
      if (this.#reader.pos >= this.#reader.len) return false;
      const tag = this.#reader.uint32();
      this.number = tag >>> 3;
      this.#wireType = tag & 7;
    } catch (error) {
      throw malformed(error);
    }
    this.#isTaken = false;
    return true;
  }

  /** Whether so much was read since the last step ended that other work should have its turn. */
  endsStep(): boolean {
    const { pos } = this.#reader;
    if (pos - this.#stepStart < stepBytes) return false;
    this.#stepStart = pos;
    return true;
  }

  /** The bytes of the present field, a view; undefined for one of another type. */
  bytes(): Buffer | undefined {
    if (this.#wireType !== wireTypes.bytes) return undefined;
    const { buffer, byteOffset, length } = this.#take(() => this.#reader.bytes());
    return Buffer.from(buffer, byteOffset, length);
  }

  /** The text of the present field; undefined for one of another type. */
  text(): string | undefined {
    return this.#wireType === wireTypes.bytes ? this.#take(() => this.#reader.string()) : undefined;
  }

  /** The present field as an integer, inexact beyond 2^53; undefined for one of another type. */
  integer(): number | undefined {
    if (this.#wireType !== wireTypes.varint) return undefined;
    return this.#take(() => Number(this.#reader.uint64()));
  }

  #take<T>(read: () => T): T {
    this.#isTaken = true;
    try {
      return read();
    } catch (error) {
      throw malformed(error);
    }
  }

  /** A group, which no message has, could hold millions of fields. */
  #skip(): void {
    const { startGroup, endGroup } = wireTypes;
    if (this.#wireType === startGroup || this.#wireType === endGroup) {
      throw new Error('there is a group of fields');
    }
    this.#reader.skipType(this.#wireType);
  }
}

/** An entry of a map whose values are messages; a part of it may be absent. */
export interface MapEntry {
  readonly key: string;
  readonly value: Buffer | undefined;
}

/** Reads an entry of a map. @throws MalformedMessage */
export function mapEntryOf(bytes: Buffer): MapEntry {
  const fields = new MetricsFields(bytes);
  let key = '';
  let value: Buffer | undefined;
  while (fields.next()) {
    if (fields.number === 1) key = fields.text() ?? '';
    else if (fields.number === 2) value = fields.bytes();
  }
  return { key, value };
}

function malformed(error: unknown): MalformedMessage {
  return new MalformedMessage(
    `malformed metrics: ${error instanceof Error ? error.message : error}`,
  );
}

/** How a field is encoded. */
const wireTypes = { varint: 0, bytes: 2, startGroup: 3, endGroup: 4 };

/** Bytes that are read in one step, in some 0.1 ms. */
const stepBytes = 4096;

// Reads a record of a snapshot where it stands, value by value: most are asked for a few of their
// values in a start, and many for none of them until the next.

import { unpackRecord, unpackValue } from './codec.ts';
import type { Lsn, PackedRecord, StoredRecord } from './journal.ts';

/** Bytes that are no packed record, although their checksum fits: who wrote them erred. */
export class NoPackedRecord extends Error {
  override readonly name = 'NoPackedRecord';

  /** @param at where in the block there should be more of a record */
  constructor(at: number) {
    super(`there is no packed record, or no more of it, at ${at}`);
  }
}

/**
 * One packed record at a time. What it answers holds nothing of the bytes. It goes through a record
 * only as far as it is asked to.
 */
export class PackedReader implements PackedRecord {
  bytes: Buffer = noBytes;
  start = 0;
  lsn: Lsn = 0;
  version = 0;
  /** Where the text of the kind begins, and that of the id: there is no need to make them twice. */
  #kindAt = 0;
  #idAt = 0;
  #kind = '';
  #id: string | undefined;
  /** Values of the record. */
  #count = 0;
  /** Where each value begins as far as that is known, and where the last of them ends. */
  #starts = new Uint32Array(64);
  #known = 0;

  /** Turns to the record that begins at `start`. @throws NoPackedRecord */
  turnTo(bytes: Buffer, start: number): this {
    this.bytes = bytes;
    this.start = start;
    if (bytes[start] !== fixedList + recordParts) throw new NoPackedRecord(start);
    this.#kindAt = start + 1;
    this.#idAt = skipped(bytes, this.#kindAt);
    this.#id = undefined;
    const lsnAt = skipped(bytes, this.#idAt);
    const versionAt = skipped(bytes, lsnAt);
    this.lsn = numberAt(bytes, lsnAt);
    this.version = numberAt(bytes, versionAt);
    const listAt = skipped(bytes, versionAt);
    const itemsAt = itemsStart(bytes, listAt);
    const count = itemsAt < 0 ? -1 : itemCount(bytes, listAt);
    // Each value takes a byte at least.
    if (count < 0 || count > bytes.length) throw new NoPackedRecord(start);
    this.#count = count;
    if (this.#starts.length <= count) this.#starts = new Uint32Array(count * 2);
    this.#starts[0] = itemsAt;
    this.#known = 0;
    return this;
  }

  get kind(): string {
    if (!isTextAt(this.bytes, this.#kindAt, this.#kind)) {
      this.#kind = valueAt(this.bytes, this.#kindAt) as string;
    }
    return this.#kind;
  }

  get id(): string {
    return (this.#id ??= valueAt(this.bytes, this.#idAt) as string);
  }

  /** Where the record ends. @throws NoPackedRecord for one that does not end within the bytes */
  get end(): number {
    const end = this.#startOf(this.#count);
    // A length of 32 bits may lead back to where the record is behind.
    if (end > this.bytes.length || end <= this.start) throw new NoPackedRecord(end);
    return end;
  }

  /** A value by its number; undefined behind the last. */
  value(number: number): unknown {
    return number < this.#count ? valueAt(this.bytes, this.#startOf(number)) : undefined;
  }

  /** Whether a value is nothing, false, or a list or map of nothing. */
  isEmpty(number: number): boolean {
    if (number >= this.#count) return true;
    const at = this.#startOf(number);
    const first = this.bytes[at];
    return first === nil || first === no || first === fixedList || isEmptyMap(this.bytes, at);
  }

  /** Whether a value stands packed as one of another record did: then they are equal. */
  isSame(number: number, other: Buffer): boolean {
    if (number >= this.#count) return false;
    const at = this.#startOf(number);
    const { length } = other;
    if (this.#startOf(number + 1) - at !== length) return false;
    for (let i = 0; i < length; i++) if (this.bytes[at + i] !== other[i]) return false;
    return true;
  }

  /** A copy of the bytes that a value takes. */
  copy(number: number): Buffer {
    return Buffer.from(this.bytes.subarray(this.#startOf(number), this.#startOf(number + 1)));
  }

  /** Turns away from the record, whose bytes need not be kept for this any more. */
  turnAway(): void {
    this.bytes = noBytes;
    this.#count = 0;
  }

  /**
   * Whether a value is this text: that takes less than making it anew. No is no certain answer.
   */
  isText(number: number, text: string): boolean {
    return number < this.#count && isTextAt(this.bytes, this.#startOf(number), text);
  }

  /** The whole of it. */
  unpacked(): StoredRecord {
    return unpackRecord(this.bytes, this.start, this.end);
  }

  #startOf(number: number): number {
    const starts = this.#starts;
    let known = this.#known;
    let at = starts[known] as number;
    if (number > known) {
      const { bytes } = this;
      for (; known < number; starts[++known] = at) at = skipped(bytes, at);
      this.#known = known;
    }
    return starts[number] as number;
  }
}

/** Each packed record of a block, by a reader that turns to one after the other. */
export function eachPacked(payload: Buffer, take: (record: PackedReader) => void): void {
  for (let at = 0; at < payload.length; ) {
    reader.turnTo(payload, at);
    at = reader.end;
    take(reader);
  }
  reader.turnAway();
}

const noBytes = Buffer.alloc(0);
/** Kind, id, LSN, version, values. */
const recordParts = 5;

// The first byte of a value (msgpack specification, "Formats").
const fixedMap = 0x80;
const fixedList = 0x90;
const fixedText = 0xa0;
const nil = 0xc0;
const no = 0xc2;
const yes = 0xc3;
const bytes8 = 0xc4;
const bytes16 = 0xc5;
const bytes32 = 0xc6;
const extension8 = 0xc7;
const extension16 = 0xc8;
const extension32 = 0xc9;
const float32 = 0xca;
const float64 = 0xcb;
const uint8 = 0xcc;
const uint16 = 0xcd;
const uint32 = 0xce;
const int64 = 0xd3;
const fixedExtension = 0xd4;
const text8 = 0xd9;
const text16 = 0xda;
const text32 = 0xdb;
const list16 = 0xdc;
const list32 = 0xdd;
const map16 = 0xde;
const map32 = 0xdf;
const negative = 0xe0;

/** What takes a fixed number of bytes, by its first byte; 0 for what does not. */
const sizes = new Uint8Array(256);
for (let first = 0; first < 256; first++) sizes[first] = sizeOf(first);

function sizeOf(first: number): number {
  if (first < fixedMap || first >= negative || first === fixedMap || first === fixedList) return 1;
  if (first >= fixedText && first < nil) return 1 + (first & 31);
  if (first === nil || first === no || first === yes) return 1;
  if (first === float32) return 5;
  if (first === float64) return 9;
  // Whole numbers of 1 to 8 bytes, without a sign and with one.
  if (first >= uint8 && first <= int64) return 1 + (1 << (first & 3));
  // Extensions of 1 to 16 bytes, each with its type.
  if (first >= fixedExtension && first < text8) return 2 + (1 << (first - fixedExtension));
  return 0;
}

/** Where the value that begins at `at` ends. */
function skipped(bytes: Buffer, at: number): number {
  const size = sizes[bytes[at] as number] as number;
  if (size > 0) return at + size;
  return isEmptyMap(bytes, at) ? at + 3 : skippedLong(bytes, at);
}

/** One whose size takes two bytes, as the library packs all maps. */
function isEmptyMap(bytes: Buffer, at: number): boolean {
  return bytes[at] === map16 && bytes[at + 1] === 0 && bytes[at + 2] === 0;
}

function skippedLong(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === undefined) throw new NoPackedRecord(at);
  const itemsAt = itemsStart(bytes, at);
  if (itemsAt >= 0) return skippedItems(bytes, itemsAt, itemCount(bytes, at));
  if (first < fixedList) return skippedItems(bytes, at + 1, (first & 15) * 2);
  if (first === map16) return skippedItems(bytes, at + 3, countAt(bytes, at + 1, 2) * 2);
  if (first === map32) return skippedItems(bytes, at + 5, countAt(bytes, at + 1, 4) * 2);
  // Texts, bytes and extensions; these have their type besides.
  if (first === text8 || first === bytes8) return at + 2 + countAt(bytes, at + 1, 1);
  if (first === text16 || first === bytes16) return at + 3 + countAt(bytes, at + 1, 2);
  if (first === text32 || first === bytes32) return at + 5 + countAt(bytes, at + 1, 4);
  if (first === extension8) return at + 3 + countAt(bytes, at + 1, 1);
  if (first === extension16) return at + 4 + countAt(bytes, at + 1, 2);
  if (first === extension32) return at + 6 + countAt(bytes, at + 1, 4);
  throw new NoPackedRecord(at);
}

function countAt(bytes: Buffer, at: number, size: number): number {
  if (at + size > bytes.length) throw new NoPackedRecord(at);
  let count = 0;
  for (let i = at; i < at + size; i++) count = count * 256 + (bytes[i] as number);
  return count;
}

function skippedItems(bytes: Buffer, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0; left--) at = skipped(bytes, at);
  return at;
}

/** Where the items of a list begin; -1 for what is no list. */
function itemsStart(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first >= fixedList && first < fixedText) return at + 1;
  if (first === list16) return at + 3;
  return first === list32 ? at + 5 : -1;
}

/** How many items a list has. */
function itemCount(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first === list16) return countAt(bytes, at + 1, 2);
  return first === list32 ? countAt(bytes, at + 1, 4) : first & 15;
}

/** What is frequent is read here; the rest is for the library. */
function valueAt(bytes: Buffer, at: number): unknown {
  const first = bytes[at] as number;
  if (first < fixedMap) return first;
  if (first >= fixedText && first < nil) return textAt(bytes, at, at + 1, first & 31);
  if (first >= fixedList && first < fixedText) return itemsAt(bytes, at + 1, first & 15);
  switch (first) {
    case nil:
      return null;
    case uint8:
      return countAt(bytes, at + 1, 1);
    case uint16:
      return countAt(bytes, at + 1, 2);
    case uint32:
      return countAt(bytes, at + 1, 4);
    case no:
      return false;
    case yes:
      return true;
    case float64:
      return bytes.readDoubleBE(at + 1);
    case text8:
      return textAt(bytes, at, at + 2, bytes[at + 1] as number);
    default:
      if (isEmptyMap(bytes, at)) return {};
      return unpackValue(bytes.subarray(at, skipped(bytes, at)));
  }
}

function itemsAt(bytes: Buffer, from: number, count: number): unknown[] {
  const items: unknown[] = [];
  let at = from;
  while (items.length < count) {
    items.push(valueAt(bytes, at));
    at = skipped(bytes, at);
  }
  return items;
}

/** Of ASCII alone: what else there may be (a byte order mark, say) is for the library to judge. */
function textAt(bytes: Buffer, at: number, from: number, length: number): string {
  const units = unitsOf[length] ?? [];
  for (let i = 0; i < length; i++) {
    const unit = bytes[from + i] as number;
    if (unit >= 0x80) return unpackValue(bytes.subarray(at, from + length)) as string;
    if (length <= shortTextMax) units[i] = unit;
  }
  if (length <= shortTextMax) return String.fromCharCode(...units);
  return bytes.toString('latin1', from, from + length);
}

/** Longer texts are made faster by the runtime, from the bytes. */
const shortTextMax = 20;
/** Room for the units of a text, by its length. */
const unitsOf = Array.from({ length: shortTextMax + 1 }, (_, length) =>
  new Array<number>(length).fill(0),
);

/** Whether a value is this text, where it is of ASCII alone; no for any other. */
function isTextAt(bytes: Buffer, at: number, text: string): boolean {
  const first = bytes[at] as number;
  const { length } = text;
  const isShort = first === fixedText + length && length < 32;
  if (!isShort && (first !== text8 || bytes[at + 1] !== length)) return false;
  const textAt = isShort ? at + 1 : at + 2;
  for (let i = 0; i < length; i++) {
    const byte = bytes[textAt + i] as number;
    if (byte >= 0x80 || byte !== text.charCodeAt(i)) return false;
  }
  return true;
}

function numberAt(bytes: Buffer, at: number): number {
  const value = valueAt(bytes, at);
  if (typeof value !== 'number') throw new NoPackedRecord(at);
  return value;
}

/** Of the blocks of a start, one record after the other. */
const reader = new PackedReader();

// Ids and opaque tokens from pooled random bytes: cheap enough for each request, and reproducible
// with a seed.

import { createHash } from 'node:crypto';
import type { Clock, Random } from './ports.ts';

declare const brand: unique symbol;

/** A string that was created or checked as its brand says; costs nothing at run time. */
export type Branded<Name extends string> = string & { readonly [brand]: Name };

/** The SHA-256 of a token in base64url, by which its record is found; `tokenHash` computes it. */
export type TokenHash = Branded<'token hash'>;

/** The source of ids. */
export interface Ids {
  /**
   * Id of an entity: 10 characters of `0-9a-zA-Z.-` (behaviour/records#ids). It never starts with
   * `.` or `-` and never consists of digits only, because it must work as a path segment and as a
   * name.
   */
  entity(): string;
  /** Id of one request in logs and error bodies: 10 characters of the same alphabet. */
  request(): string;
  /**
   * Id of an API session or a session: 25 lower-case characters (behaviour/records#ids). Later ids
   * sort after earlier ones of the same process, even when the clock stands still or goes back.
   */
  sortable(): string;
  /** A random UUID of version 4 (RFC 9562 §5.4): API session and enrollment tokens. */
  uuid(): string;
}

/** Random bytes fetched per call: a call of the generator costs as much as some ten ids. */
const poolBytes = 8192;

/** Creates an id source; equal seeds and clocks give equal ids. */
export function createIds(random: Random, clock: Pick<Clock, 'now'>): Ids {
  const pool = new Pool(random);
  const moment = new Moment(clock);
  return {
    entity: () => entityId(pool),
    request: () => characters(pool, pool.take(10)),
    sortable: () => `c${moment.next()}${tail(pool)}`,
    uuid: () => uuid(pool),
  };
}

/** Random bytes that were fetched in advance. */
class Pool {
  readonly #random: Random;
  bytes: Buffer = Buffer.alloc(0);
  #next = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The offset in `bytes` of `length` unused bytes. */
  take(length: number): number {
    if (this.#next + length > this.bytes.length) {
      this.bytes = this.#random.bytes(poolBytes);
      this.#next = 0;
    }
    const offset = this.#next;
    this.#next += length;
    return offset;
  }
}

/**
 * 64 characters, so that 6 bits choose one without bias; the two that must not come first are last.
 */
const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-';
const codes = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));
const leadingCodes = 62;
const digitCodes = 10;

/**
 * 60 bits: in a network of a million entities, two share an id with a chance of one in two million.
 */
function entityId(pool: Pool): string {
  for (;;) {
    const offset = pool.take(10);
    const { bytes } = pool;
    if (((bytes[offset] ?? 0) & 63) >= leadingCodes) continue;
    for (let index = offset; index < offset + 10; index += 1) {
      if (((bytes[index] ?? 0) & 63) >= digitCodes) return characters(pool, offset);
    }
  }
}

/** Ten characters, one per byte. */
function characters(pool: Pool, offset: number): string {
  const { bytes } = pool;
  for (let index = offset; index < offset + 10; index += 1) {
    // The characters overwrite their random bytes, which are not read again.
    bytes[index] = codes[(bytes[index] ?? 0) & 63] ?? 0;
  }
  return bytes.toString('latin1', offset, offset + 10);
}

const pairs36 = Array.from({ length: 36 * 36 }, (_, value) => value.toString(36).padStart(2, '0'));
const counterMax = 36 ** 4 - 1;

/**
 * Time and counter of sortable ids: 8 and 4 digits of base 36; the former last until the year 2059.
 */
class Moment {
  readonly #clock: Pick<Clock, 'now'>;
  #atMs = -1;
  #digits = '';
  #counter = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  next(): string {
    const now = this.#clock.now();
    if (now > this.#atMs) this.#start(now);
    else if (this.#counter === counterMax) this.#start(this.#atMs + 1);
    else this.#counter += 1;
    const counter = this.#counter;
    const high = Math.trunc(counter / 1296);
    return this.#digits + (pairs36[high] ?? '') + (pairs36[counter % 1296] ?? '');
  }

  #start(atMs: number): void {
    this.#atMs = atMs;
    this.#digits = atMs.toString(36).padStart(8, '0');
    this.#counter = 0;
  }
}

/** Twelve random digits of base 36, 62 bits. */
function tail(pool: Pool): string {
  let digits = '';
  while (digits.length < 12) {
    const offset = pool.take(2);
    const value = (pool.bytes[offset] ?? 0) * 256 + (pool.bytes[offset + 1] ?? 0);
    // 50 × 36²: larger values would make some digits likelier than others.
    if (value < 64800) digits += pairs36[value % 1296] ?? '';
  }
  return digits;
}

/** A UUID of version 8 (RFC 9562 §5.8) that all who know the text compute alike. */
export function hashedUuid(text: string): string {
  return uuidFrom(createHash('sha256').update(text).digest(), 0, 8);
}

/** RFC 9562 §5.4: 122 random bits, version 4, variant 10. */
function uuid(pool: Pool): string {
  const offset = pool.take(16);
  return uuidFrom(pool.bytes, offset, 4);
}

function uuidFrom(bytes: Buffer, offset: number, version: number): string {
  bytes[offset + 6] = ((bytes[offset + 6] ?? 0) & 0x0f) | (version << 4);
  bytes[offset + 8] = ((bytes[offset + 8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', offset, offset + 16);
  const last = hex.slice(20);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${last}`;
}

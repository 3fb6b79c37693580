// API sessions in the order of their ids, in chunks that become one message each.

import type { ApiSessionRecord } from '../../records/api-session.ts';
import type { Row } from '../../store/record.ts';

/** The row of an API session. */
export type ApiSessionRow = Row<ApiSessionRecord>;

/** Neighbours in the order of ids, at least one. */
export interface SessionChunk {
  readonly rows: readonly ApiSessionRow[];
  /** The message as encoded last; undefined since something in the chunk changed. */
  body: Buffer | undefined;
}

interface WritableChunk extends SessionChunk {
  readonly rows: ApiSessionRow[];
}

/**
 * API sessions of one message, as many as routers expect.
 * @bound per request
 */
export const sessionsAChunkMax = 100;

/** Neighbours are joined when they fill less of a chunk: joined ones must not split again soon. */
const joinedSessionsMax = (3 * sessionsAChunkMax) / 4;

/** A sorted list of rows whose chunks know their encoded form. */
export class SessionChunks {
  readonly #chunks: WritableChunk[] = [];
  #size = 0;

  /** How many API sessions there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds a row. Returns false if it was there already. */
  add(row: ApiSessionRow): boolean {
    const at = Math.min(this.#indexOf(row.id), this.#chunks.length - 1);
    const chunk = this.#chunks[at];
    const place = chunk === undefined ? 0 : placeOf(chunk, row.id);
    if (chunk?.rows[place]?.id === row.id) return false;
    this.#size += 1;
    if (chunk === undefined) this.#chunks.push({ rows: [row], body: undefined });
    else if (chunk.rows.length < sessionsAChunkMax) {
      chunk.rows.splice(place, 0, row);
      chunk.body = undefined;
    } else if (place === chunk.rows.length) {
      // New sessions have the greatest ids: full chunks stay as they are.
      this.#chunks.splice(at + 1, 0, { rows: [row], body: undefined });
    } else this.#split(at, place, row);
    return true;
  }

  /** Removes a row. Returns whether it was there. */
  delete(row: ApiSessionRow): boolean {
    const at = this.#indexOf(row.id);
    const chunk = this.#chunks[at];
    const place = chunk === undefined ? 0 : placeOf(chunk, row.id);
    if (chunk?.rows[place]?.id !== row.id) return false;
    chunk.rows.splice(place, 1);
    chunk.body = undefined;
    this.#size -= 1;
    if (chunk.rows.length === 0) this.#chunks.splice(at, 1);
    else this.#join(at);
    return true;
  }

  /** Whether the row is among these. */
  has(row: ApiSessionRow): boolean {
    const chunk = this.#chunks[this.#indexOf(row.id)];
    return chunk !== undefined && chunk.rows[placeOf(chunk, row.id)]?.id === row.id;
  }

  /** What is said of an API session has changed. */
  changed(row: ApiSessionRow): void {
    const chunk = this.#chunks[this.#indexOf(row.id)];
    if (chunk !== undefined) chunk.body = undefined;
  }

  /** The first chunk that holds an id greater than `id`; it may begin with ids that are not. */
  after(id: string): SessionChunk | undefined {
    const at = this.#indexOf(id);
    const chunk = this.#chunks[at];
    return lastIdOf(chunk) === id ? this.#chunks[at + 1] : chunk;
  }

  /** Forgets all encoded messages. */
  forgetBodies(): void {
    for (const chunk of this.#chunks) chunk.body = undefined;
  }

  /** The index of the first chunk whose last id is not below `id`. */
  #indexOf(id: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lastIdOf(this.#chunks[middle]) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #split(at: number, place: number, row: ApiSessionRow): void {
    const rows = this.#chunks[at]?.rows.toSpliced(place, 0, row) ?? [];
    const half = rows.length >>> 1;
    const halves = [rows.slice(0, half), rows.slice(half)];
    this.#chunks.splice(at, 1, ...halves.map((part) => ({ rows: part, body: undefined })));
    // A neighbour may be small, because a full chunk beside it did not join with it.
    this.#join(at + 1);
    this.#join(at);
  }

  #join(at: number): void {
    for (const first of [at - 1, at]) {
      const [left, right] = [this.#chunks[first], this.#chunks[first + 1]];
      if (left === undefined || right === undefined) continue;
      if (left.rows.length + right.rows.length > joinedSessionsMax) continue;
      const rows = [...left.rows, ...right.rows];
      this.#chunks.splice(first, 2, { rows, body: undefined });
      return;
    }
  }
}

/** The greatest id of a chunk; empty for none. */
export function lastIdOf(chunk: SessionChunk | undefined): string {
  return chunk?.rows.at(-1)?.id ?? '';
}

/** The index of the first row whose id is not below `id`. */
function placeOf({ rows }: SessionChunk, id: string): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.id ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Last activity of each API session: kept in memory by row slot, written to the log in batches
// (behaviour/api-sessions#idle).

/** One session's stamp, as a flush writes it. */
export interface ActivityStamp {
  readonly slot: number;
  /** Wall-clock ms. */
  readonly atMs: number;
}

/**
 * Wall-clock ms of the last activity of a session: the stamp in memory, never earlier than the
 * stored one.
 * @param slot undefined for a session that is not in its table
 */
export function lastActivityOf(
  activity: Activity,
  record: { readonly createdAt: number; readonly lastActivityAt?: number | undefined },
  slot: number | undefined,
): number {
  const cached = slot === undefined ? undefined : activity.lastActivityAt(slot);
  return Math.max(cached ?? 0, record.lastActivityAt ?? record.createdAt);
}

/** Marks a slot without a session: no time is smaller. */
const none = Number.NEGATIVE_INFINITY;

/** The stamps of all API sessions. `touch` is called on every authenticated request. */
export class Activity {
  /** As the constructor was told. */
  readonly unheardMs: number;
  #times = new Float64Array(0);
  /** 1 where the stamp moved since its last flush; such a slot is in `#dirty` once. */
  #isDirty = new Uint8Array(0);
  #dirty: number[] = [];
  /** The index in `#dirty` at which the next flush begins. */
  #flushed = 0;
  /** As `assumeActive` has set them. */
  #assumedAtMs = none;
  #timeoutMs = 0;

  /** `unheardMs`: how long an API session may be in use before that is heard here, in ms. */
  constructor(unheardMs = 0) {
    this.unheardMs = unheardMs;
  }

  /**
   * The session in `slot` is active. An earlier stamp than the present one is ignored, because time
   * never moves back here.
   */
  touch(slot: number, nowMs: number): void {
    if (slot >= this.#times.length) this.#grow(slot);
    if (!(nowMs > (this.#times[slot] ?? none))) return;
    this.#times[slot] = nowMs;
    if (this.#isDirty[slot] === 0) {
      this.#isDirty[slot] = 1;
      this.#dirty.push(slot);
    }
  }

  /** Sets a stamp that recovery reads from the log. */
  restore(slot: number, atMs: number): void {
    if (slot >= this.#times.length) this.#grow(slot);
    this.#times[slot] = atMs;
  }

  /** Sets a stamp that a frame of the leader tells, if it is later than the present one. */
  advance(slot: number, atMs: number): void {
    if (atMs > (this.#times[slot] ?? none)) this.restore(slot, atMs);
  }

  /**
   * Counts every session of now as active at `atMs`, or for as long as any activity could have kept
   * it if that ended earlier: there may have been activity that was never written. It takes no pass
   * over the sessions.
   */
  assumeActive(atMs: number, timeoutMs: number): void {
    this.#assumedAtMs = atMs;
    this.#timeoutMs = timeoutMs;
  }

  /** Wall-clock ms of the last activity; undefined for a slot without a session. */
  lastActivityAt(slot: number): number | undefined {
    const atMs = this.#times[slot] ?? none;
    if (atMs === none) return undefined;
    return Math.max(atMs, Math.min(this.#assumedAtMs, atMs + this.#timeoutMs));
  }

  /** The session is gone; its slot may be reused. */
  release(slot: number): void {
    if (slot < this.#times.length) this.#times[slot] = none;
  }

  /** Whether the next flush would write every stamp that moved; takes 1 ns per slot. */
  get isWhole(): boolean {
    let moved = 0;
    for (const mark of this.#isDirty) moved += mark;
    return moved === this.dirtyCount;
  }

  /** Makes the next flush write every stamp that moved, for the integrity run. */
  renewDirty(): void {
    this.#dirty = [];
    this.#flushed = 0;
    for (let slot = 0; slot < this.#isDirty.length; slot++) {
      if (this.#isDirty[slot] === 1) this.#dirty.push(slot);
    }
  }

  /** The present state by slot, for tests that damage it. */
  get marks(): Uint8Array {
    return this.#isDirty;
  }

  /** Upper bound of the stamps a flush would write. */
  get dirtyCount(): number {
    return this.#dirty.length - this.#flushed;
  }

  /**
   * Hands up to `stampsMax` stamps that moved since their last flush to `write`, oldest first, and
   * marks them as flushed when it returns; if it throws they stay. Returns the number of slots
   * processed. Callers should read `dirtyCount` before the first batch and stop there, because busy
   * sessions would keep a flush going for ever.
   */
  flush(stampsMax: number, write: (stamps: readonly ActivityStamp[]) => void): number {
    const slots = this.#dirty.slice(this.#flushed, this.#flushed + stampsMax);
    const stamps: ActivityStamp[] = [];
    for (const slot of slots) {
      const atMs = this.lastActivityAt(slot);
      if (atMs !== undefined) stamps.push({ slot, atMs });
    }
    if (stamps.length > 0) write(stamps);
    for (const slot of slots) this.#isDirty[slot] = 0;
    this.#flushed += slots.length;
    // At half, so that moving the rest costs no more than the flush itself.
    if (2 * this.#flushed >= this.#dirty.length) {
      this.#dirty = this.#dirty.slice(this.#flushed);
      this.#flushed = 0;
    }
    return slots.length;
  }

  #grow(slot: number): void {
    const length = Math.max(1024, 2 * this.#times.length, slot + 1);
    const times = new Float64Array(length).fill(none);
    times.set(this.#times);
    this.#times = times;
    const isDirty = new Uint8Array(length);
    isDirty.set(this.#isDirty);
    this.#isDirty = isDirty;
  }
}

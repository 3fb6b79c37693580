// When each API session was last active: in memory by row slot, written to the log in batches
// (behaviour/api-sessions#idle).

/** One session's stamp, as a flush writes it. */
export interface ActivityStamp {
  readonly slot: number;
  /** Wall-clock ms. */
  readonly atMs: number;
}

/** Marks a slot without a session: no time is smaller. */
const none = Number.NEGATIVE_INFINITY;

/** The stamps of all API sessions. `touch` is called on every authenticated request. */
export class Activity {
  #times = new Float64Array(0);
  /** 1 where the stamp moved since it was flushed; such a slot stands in `#dirty` once. */
  #isDirty = new Uint8Array(0);
  #dirty: number[] = [];
  /** Where in `#dirty` the next flush begins. */
  #flushed = 0;

  /**
   * The session in `slot` is active. An earlier stamp than it has is left out: time never moves
   * back here.
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

  /** Takes up a stamp that is in the log already, as recovery reads it. */
  restore(slot: number, atMs: number): void {
    if (slot >= this.#times.length) this.#grow(slot);
    this.#times[slot] = atMs;
  }

  /** Wall-clock ms of the last activity; undefined for a slot without a session. */
  lastActivityAt(slot: number): number | undefined {
    const atMs = this.#times[slot] ?? none;
    return atMs === none ? undefined : atMs;
  }

  /** The session is gone; its slot may be given to another. */
  release(slot: number): void {
    if (slot < this.#times.length) this.#times[slot] = none;
  }

  /** Whether each stamp that moved is among those that the next flush writes: 1 ns a slot. */
  get isWhole(): boolean {
    let moved = 0;
    for (const mark of this.#isDirty) moved += mark;
    return moved === this.dirtyCount;
  }

  /** Has the next flush write each stamp that moved, for the integrity run. */
  renewDirty(): void {
    this.#dirty = [];
    this.#flushed = 0;
    for (let slot = 0; slot < this.#isDirty.length; slot++) {
      if (this.#isDirty[slot] === 1) this.#dirty.push(slot);
    }
  }

  /** As it is now, by slot, for tests that damage something. */
  get marks(): Uint8Array {
    return this.#isDirty;
  }

  /** Upper bound of the stamps a flush would write. */
  get dirtyCount(): number {
    return this.#dirty.length - this.#flushed;
  }

  /**
   * Hands up to `stampsMax` stamps that moved since their last flush to `write`, oldest first, and
   * takes them as flushed when it returns; when it throws they stay. Answers how many slots were
   * dealt with. Take `dirtyCount` before the first batch and stop there: sessions that stay busy
   * would keep a flush going for ever.
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
    // At half, so that moving what is left costs no more than what was flushed.
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

// Keeps every time that a record waits for, in one heap with one timer, so that an expiry is an
// ordinary logged event.

import { DeadlineHeap, type Slot } from '../containers/deadline-heap.ts';
import { KeyMap } from '../containers/key-map.ts';
import { type FaultSearch, rowsAStep } from '../containers/walk.ts';
import { Histogram, latencyBounds } from '../observe/histogram.ts';
import type { Clock, Timer } from '../platform/ports.ts';

/** Bounds of the deadlines, and the functions that they call. */
export interface DeadlinesOptions {
  readonly clock: Clock;
  /**
   * Called when a deadline is due, once each, outside any transaction. Returns `done`, or the
   * wall-clock ms at which to ask again. It may set and clear deadlines, including its own: `done`
   * then leaves what it set.
   */
  readonly due: (kind: string, id: string, at: number, now: number) => 'done' | number;
  /** Told when `due` threw; the deadline is retried after `deadlineRetryMs`. */
  readonly failed: (error: unknown, kind: string, id: string) => void;
  /** Deadlines handed out per turn of the event loop. */
  readonly sliceEntriesMax: number;
  /** The timer is never armed further ahead, so that a jump of the wall clock is noticed. */
  readonly armAheadMsMax?: number;
}

/** One deadline, for a rebuild. `at` is wall-clock ms. */
export interface Deadline {
  readonly kind: string;
  readonly id: string;
  readonly at: number;
}

/** At most one deadline per record. Nothing is handed out before `start`. */
export class Deadlines {
  readonly #options: DeadlinesOptions;
  /** Public for tests that damage it. */
  heap = new DeadlineHeap();
  /** Seconds by which deadlines were handed out late. */
  readonly lateness = new Histogram(latencyBounds);
  /** kind → id → slot. */
  readonly #slots = new Map<string, KeyMap<Slot>>();
  #kinds: string[] = [];
  #ids: string[] = [];
  #running = false;
  #timer: Timer | undefined;
  /**
   * Wall-clock ms the timer is armed for: Infinity for none, -Infinity while a slice is running or
   * about to run.
   */
  #armedFor = Number.POSITIVE_INFINITY;

  constructor(options: DeadlinesOptions) {
    this.#options = options;
  }

  /** How many records have a deadline. */
  get size(): number {
    return this.heap.size;
  }

  /** When the next deadline is due, wall-clock ms; undefined for none. */
  get next(): number | undefined {
    const slot = this.heap.first;
    return slot === undefined ? undefined : this.heap.timeOf(slot);
  }

  /** The record's deadline, wall-clock ms; undefined when it has none. */
  at(kind: string, id: string): number | undefined {
    const slot = this.#slots.get(kind)?.get(id);
    return slot === undefined ? undefined : this.heap.timeOf(slot);
  }

  /** The records that wait, for the integrity run; may be read at any pace. */
  *waiting(): Generator<Pick<Deadline, 'kind' | 'id'>> {
    for (const [kind, slots] of this.#slots) for (const id of slots.keys()) yield { kind, id };
  }

  /** Checks that heap and records refer to each other, and that each entry is in order. */
  *findFault(): FaultSearch {
    for (const slots of this.#slots.values()) {
      const fault = yield* slots.findFault();
      if (fault !== undefined) return fault;
    }
    for (let position = 0; position < this.heap.size; position++) {
      const slot = this.heap.slotAt(position);
      const [kind = '', id = ''] = [this.#kinds[slot], this.#ids[slot]];
      if (this.#slots.get(kind)?.get(id) !== slot) return `one is of nobody (${kind} ${id})`;
      if (!this.heap.isSound(position)) return `that of ${kind} ${id} is not due in its turn`;
      if (position % rowsAStep === 0) yield;
    }
    let count = 0;
    for (const slots of this.#slots.values()) count += slots.size;
    return count === this.heap.size ? undefined : 'one is not in the heap';
  }

  /** Forgets all deadlines, so that they can be set again. */
  reset(): void {
    this.heap = new DeadlineHeap();
    this.#slots.clear();
    this.#kinds = [];
    this.#ids = [];
  }

  /** Sets the record's deadline, replacing the one it had. `at` is wall-clock ms. */
  set(kind: string, id: string, at: number): void {
    const slots = this.#slotsOf(kind);
    const slot = slots.get(id);
    if (slot !== undefined) this.heap.move(slot, at);
    else {
      const added = this.heap.add(at);
      slots.set(id, added);
      this.#own(added, kind, id);
    }
    this.#arm();
  }

  /** Removes the record's deadline, if it has one. */
  clear(kind: string, id: string): void {
    const slots = this.#slots.get(kind);
    const slot = slots?.get(id);
    if (slots === undefined || slot === undefined) return;
    slots.delete(id);
    this.heap.remove(slot);
    this.#kinds[slot] = '';
    this.#ids[slot] = '';
  }

  /** Sets many deadlines, as at recovery, at most one per record. */
  rebuild(deadlines: Iterable<Deadline>): void {
    const isFirst = this.heap.size === 0;
    for (const { kind, id, at } of deadlines) {
      if (!isFirst) {
        this.set(kind, id, at);
        continue;
      }
      const slot = this.heap.add(at);
      this.#slotsOf(kind).load(id, slot);
      this.#own(slot, kind, id);
    }
    for (const slots of this.#slots.values()) slots.endLoad();
    this.#arm();
  }

  /** Starts to hand out deadlines. */
  start(): void {
    this.#running = true;
    this.#arm();
  }

  /** Stops handing out deadlines; those that are set stay. */
  stop(): void {
    this.#running = false;
    this.#disarm();
  }

  #slotsOf(kind: string): KeyMap<Slot> {
    let slots = this.#slots.get(kind);
    if (slots === undefined) this.#slots.set(kind, (slots = new KeyMap()));
    return slots;
  }

  /** Notes the record that an entry of the heap belongs to. */
  #own(slot: Slot, kind: string, id: string): void {
    this.#kinds[slot] = kind;
    this.#ids[slot] = id;
  }

  /** Arms the timer for the next deadline, unless it goes off early enough already. */
  #arm(): void {
    const next = this.next;
    if (!this.#running || next === undefined || next >= this.#armedFor) return;
    this.#disarm();
    const { clock, armAheadMsMax = deadlineArmAheadMs } = this.#options;
    const delayMs = next - clock.now();
    if (delayMs > 0) {
      this.#armedFor = next;
      this.#timer = clock.after(Math.min(delayMs, armAheadMsMax), () => this.#slice());
    } else {
      this.#armedFor = Number.NEGATIVE_INFINITY;
      clock.soon(() => this.#slice());
    }
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  #slice(): void {
    if (!this.#running) return;
    const now = this.#options.clock.now();
    this.#disarm();
    this.#armedFor = Number.NEGATIVE_INFINITY;
    try {
      let left = this.#options.sliceEntriesMax;
      while (left-- > 0 && this.#running) {
        const slot = this.heap.first;
        if (slot === undefined || this.heap.timeOf(slot) > now) break;
        this.#handOut(slot, now);
      }
    } finally {
      this.#disarm();
      this.#arm();
    }
  }

  #handOut(slot: Slot, now: number): void {
    const { due, failed } = this.#options;
    const kind = this.#kinds[slot] as string;
    const id = this.#ids[slot] as string;
    const at = this.heap.timeOf(slot);
    this.clear(kind, id);
    this.lateness.observe((now - at) / 1000);
    try {
      const answer = due(kind, id, at, now);
      // A time that is not ahead would be handed out for ever in this very slice.
      if (answer !== 'done') this.set(kind, id, Math.max(answer, now + 1));
    } catch (error) {
      this.set(kind, id, now + deadlineRetryMs);
      failed(error, kind, id);
    }
  }
}

/** The timer is never armed further ahead, so that a jump of the wall clock is noticed. @bound */
export const deadlineArmAheadMs = 60_000;

/** A deadline whose transaction failed is retried after this long. @bound */
export const deadlineRetryMs = 1000;

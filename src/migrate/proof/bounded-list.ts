// A list of what a proof found, which says how much more there was than it holds.

/** The first things that were found, and how many more there were. */
export interface BoundedList<T> {
  readonly shown: readonly T[];
  readonly furtherCount: number;
}

/** Things of one sort that a proof keeps. @bound */
const foundMax = 1000;

/** Collects such a list. */
export class Collected<T> implements BoundedList<T> {
  readonly shown: T[] = [];
  furtherCount = 0;

  /** Adds one. */
  add(one: T): void {
    if (this.shown.length < foundMax) this.shown.push(one);
    else this.furtherCount += 1;
  }

  /** How many were added. */
  get count(): number {
    return this.shown.length + this.furtherCount;
  }

  /** Those that are kept, as plain values. */
  get list(): BoundedList<T> {
    return { shown: this.shown, furtherCount: this.furtherCount };
  }
}

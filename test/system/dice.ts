// Choices that follow from a seed.

import { SimulatedRandom } from '../simulated/random.ts';

/** A source of choices. The same seed makes the same ones, in the same order. */
export class Dice {
  readonly #random: SimulatedRandom;

  constructor(seed: string) {
    this.#random = new SimulatedRandom(seed);
  }

  /** An integer from `least` to `most`. */
  integer(least: number, most: number): number {
    return least + (this.#random.bytes(4).readUInt32LE() % (most - least + 1));
  }

  /** One of them; undefined of none. */
  one<T>(of: readonly T[]): T | undefined {
    return of.length === 0 ? undefined : of[this.integer(0, of.length - 1)];
  }

  /** A name, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[];
    const slots = names.flatMap((name) => Array<Name>(weights[name]).fill(name));
    const found = this.one(slots);
    if (found === undefined) throw new Error('nothing has a weight');
    return found;
  }
}

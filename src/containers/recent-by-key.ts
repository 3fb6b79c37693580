// Remembers the latest things that happened to each of many keys, in bounded memory.

/** How much is remembered; weights are in the unit of `weightOf`. */
export interface RecentByKeyBounds {
  /** Values of one key. */
  readonly valuesMax: number;
  /** Weight of the values of one key; the newest is kept whatever it weighs. */
  readonly keyWeightMax: number;
  /** Weight of all values; the key that was added to longest ago is dropped first. */
  readonly weightMax: number;
}

interface Ring<V> {
  /** The oldest first. */
  readonly values: V[];
  weight: number;
}

/** The latest values of each key. */
export class RecentByKey<V> {
  readonly #bounds: RecentByKeyBounds;
  readonly #weightOf: (value: V) => number;
  /** The key that was added to longest ago comes first. */
  readonly #rings = new Map<string, Ring<V>>();
  #weight = 0;

  constructor(bounds: RecentByKeyBounds, weightOf: (value: V) => number) {
    this.#bounds = bounds;
    this.#weightOf = weightOf;
  }

  /** How many keys have values, and what all values weigh. */
  get size(): { readonly keys: number; readonly weight: number } {
    return { keys: this.#rings.size, weight: this.#weight };
  }

  /** Remembers one more value; beyond the bounds, older ones are dropped. */
  add(key: string, value: V): void {
    const ring = this.#rings.get(key) ?? { values: [], weight: 0 };
    this.#rings.delete(key);
    this.#rings.set(key, ring);
    ring.values.push(value);
    this.#weigh(ring, this.#weightOf(value));
    const { valuesMax, keyWeightMax, weightMax } = this.#bounds;
    while (
      ring.values.length > valuesMax ||
      (ring.weight > keyWeightMax && ring.values.length > 1)
    ) {
      const [oldest] = ring.values.splice(0, 1);
      if (oldest !== undefined) this.#weigh(ring, -this.#weightOf(oldest));
    }
    for (const oldestKey of this.#rings.keys()) {
      if (this.#weight <= weightMax) break;
      this.forget(oldestKey);
    }
  }

  /** The values of a key, the oldest first. */
  of(key: string): readonly V[] {
    return this.#rings.get(key)?.values ?? [];
  }

  /** Forgets all values of a key. */
  forget(key: string): void {
    const ring = this.#rings.get(key);
    if (ring === undefined) return;
    this.#rings.delete(key);
    this.#weight -= ring.weight;
  }

  #weigh(ring: Ring<V>, weight: number): void {
    ring.weight += weight;
    this.#weight += weight;
  }
}

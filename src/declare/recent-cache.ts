// A bounded cache in two generations: a hit in the younger one moves nothing.

/** Keeps what was used lately, up to a total weight. */
export class RecentCache<K, V> {
  readonly #weightMax: number;
  readonly #weightOf: (value: V) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #youngWeight = 0;

  /** `weightMax` bounds the sum of `weightOf` over all values kept, in its unit. */
  constructor(weightMax: number, weightOf: (value: V) => number) {
    this.#weightMax = weightMax;
    this.#weightOf = weightOf;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    const weight = this.#weightOf(value);
    if (this.#youngWeight + weight > this.#weightMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#young.set(key, value);
    this.#youngWeight += weight;
  }
}

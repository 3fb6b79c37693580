// Bounded caches in two generations, so that a hit in the younger one moves nothing.

/** All budgets of this process, as their caches share its heap. */
const budgets = new Set<WeakRef<CacheBudget>>();

/** Empties every cache of this process. */
export function emptyCaches(): void {
  for (const reference of budgets) {
    const budget = reference.deref();
    if (budget === undefined) budgets.delete(reference);
    else budget.empty();
  }
}

/** The weight that several caches may have together; a busy cache takes room from others. */
export class CacheBudget {
  readonly #weightMax: number;
  readonly #caches: { age(): void }[] = [];
  #young = 0;

  /** `weightMax` bounds the sum over all values kept, in the unit of their caches. */
  constructor(weightMax: number) {
    this.#weightMax = weightMax;
    budgets.add(new WeakRef(this));
  }

  /** Notifies `cache` when a generation is full. */
  join(cache: { age(): void }): void {
    this.#caches.push(cache);
  }

  /** Makes room for a value that is about to be added. */
  spend(weight: number): void {
    if (this.#young + weight > this.#weightMax / 2) this.#age();
    this.#young += weight;
  }

  /** Removes everything. */
  empty(): void {
    this.#age();
    this.#age();
  }

  #age(): void {
    for (const cache of this.#caches) cache.age();
    this.#young = 0;
  }
}

/** Keeps recently used values, up to a total weight. */
export class RecentCache<K, V> {
  readonly #budget: CacheBudget;
  readonly #weightOf: (value: V) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** A number as `budget` is a budget of this cache alone. */
  constructor(budget: CacheBudget | number, weightOf: (value: V) => number) {
    this.#budget = typeof budget === 'number' ? new CacheBudget(budget) : budget;
    this.#weightOf = weightOf;
    this.#budget.join(this);
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    this.#budget.spend(this.#weightOf(value));
    this.#young.set(key, value);
  }

  /** Removes one value; its weight still counts until its generation is dropped. */
  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Removes values that were not used since the last call. For the budget. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }
}

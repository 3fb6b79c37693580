// Keeps one copy of values that many records share: states, types, attribute lists, empty maps.

/** Distinct values of a field that records share; a field with more is not shared. @bound */
const pooledValuesMax = 1024;
/** Characters of a text that records share; longer ones hardly ever repeat. @bound */
const pooledTextLengthMax = 64;
/** Items of a list that records share; longer ones hardly ever repeat. @bound */
const pooledListItemsMax = 16;

const noItems: readonly unknown[] = Object.freeze([]);
const noFields = Object.freeze({});

/**
 * The values of one field while records are created. 100,000 identities with two attributes and
 * five empty maps each take half the memory when these are shared. Records are never mutated, so
 * sharing has no visible effect.
 */
export class ValuePool {
  readonly #texts = new SeenValues<string>();
  readonly #lists = new SeenValues<readonly unknown[]>();

  /**
   * Without `keeps` only empty values are shared: for fields whose values differ per record, or
   * must not outlive it.
   */
  constructor({ keeps }: { readonly keeps: boolean }) {
    this.#texts.isUseless = this.#lists.isUseless = !keeps;
  }

  /**
   * The value to keep for `value`: an equal value seen before, if there is one; undefined for null.
   */
  shared(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (value === null || value === undefined) return undefined;
    if (Array.isArray(value)) return value.length === 0 ? noItems : this.#list(value);
    if (typeof value === 'object') {
      for (const _ in value) return value;
      return noFields;
    }
    return value;
  }

  // Consecutive records often have the same value, and comparing takes less time than hashing.
  #text(text: string): string {
    if (this.#texts.isUseless || text.length > pooledTextLengthMax) return text;
    const { last } = this.#texts;
    if (text !== last) return this.#texts.first(text, text);
    this.#texts.hits++;
    return last;
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    if (this.#lists.isUseless || list.length > pooledListItemsMax) return list;
    const { last } = this.#lists;
    if (last !== undefined && isSame(last, list)) {
      this.#lists.hits++;
      return last;
    }
    let key = '';
    for (const item of list) {
      if (typeof item !== 'string' || item.length > pooledTextLengthMax) return list;
      key += `${item.length}:${item}`;
    }
    return this.#lists.first(key, list);
  }
}

/** The first of all equal values, by their key. */
class SeenValues<V> {
  /** Whether it was filled without a hit, so that look-ups waste time. */
  isUseless = false;
  /** The last returned value, if it is kept. */
  last: V | undefined;
  /** The number of hits. */
  hits = 0;
  readonly #values = new Map<string, V>();

  first(key: string, value: V): V {
    const known = this.#values.get(key);
    if (known !== undefined) {
      this.hits++;
      this.last = known;
      return known;
    }
    if (this.#values.size < pooledValuesMax) {
      this.#values.set(key, value);
      this.last = value;
    } else if (this.hits < pooledValuesMax) {
      this.isUseless = true;
      this.#values.clear();
      this.last = undefined;
    }
    return value;
  }
}

function isSame(list: readonly unknown[], other: readonly unknown[]): boolean {
  if (list.length !== other.length) return false;
  for (let at = 0; at < list.length; at++) if (list[at] !== other[at]) return false;
  return true;
}

// One copy of values that many records share: states, types, attribute lists, empty maps.

/** Distinct values a pool keeps; a field with more of them is no field of shared values. */
const valuesMax = 1024;
/** Longer texts are hardly ever shared. */
const textLengthMax = 64;

const noItems: readonly unknown[] = Object.freeze([]);
const noFields = Object.freeze({});

/**
 * The values of one field as recovery reads them. 100,000 identities with two attributes and five
 * empty maps each take half the memory when these are shared. Records are never mutated, so sharing
 * shows nowhere.
 */
export class ValuePool {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly string[]>();

  /**
   * The value to keep for `value`: an equal one met before, where there is one; undefined for null.
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

  #text(text: string): string {
    if (text.length > textLengthMax) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size < valuesMax) this.#texts.set(text, text);
    return text;
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    let key = '';
    for (const item of list) {
      if (typeof item !== 'string') return list;
      key += `${item.length}:${item}`;
    }
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    if (this.#lists.size < valuesMax) this.#lists.set(key, list as readonly string[]);
    return list;
  }
}

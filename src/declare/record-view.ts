// Looks at the records of a kind where they stand packed, field by field.

import { PackedReader } from '../../snapshots/packed-reader.ts';
import type { RecordView } from '../store/packed-rows.ts';
import type { RecordBase } from '../store/record.ts';
import type { ValuePool } from './value-pool.ts';

/** A field of a record as it is laid out: its name, what shares its values, what may be kept. */
export interface LaidField {
  readonly name: string;
  readonly pool: ValuePool;
  /**
   * Whether records that follow each other often have the same text, which may be remembered: not
   * where it is a secret.
   */
  readonly repeats: boolean;
}

/**
 * What each field answers is what a decoded record would hold.
 * @param first number of the value of the first field; those before it are what every record has
 */
export function recordView<R extends RecordBase>(
  fields: readonly LaidField[],
  first: number,
): RecordView<R> {
  const values = new FieldReader(fields, first);
  const view: object = Object.defineProperties(
    {},
    {
      id: { get: () => values.reader.id },
      createdAt: { get: () => values.reader.value(0) },
      updatedAt: { get: () => values.reader.value(1) },
      tags: { get: () => values.reader.value(2) ?? noTags },
      isSystem: { get: () => values.reader.value(3) ?? undefined },
      ...Object.fromEntries(fields.map(({ name }, at) => [name, { get: () => values.read(at) }])),
    },
  );
  return {
    of(reader) {
      values.reader = reader;
      return view as R;
    },
  };
}

/** Reads the declared fields of the record that its reader has turned to. */
class FieldReader {
  reader = new PackedReader();
  readonly #fields: readonly LaidField[];
  readonly #first: number;
  /** Of each field that repeats, the last text or list. */
  readonly #texts: (string | undefined)[];
  readonly #lists: (MetList | undefined)[];

  constructor(fields: readonly LaidField[], first: number) {
    this.#fields = fields;
    this.#first = first;
    this.#texts = fields.map(() => undefined);
    this.#lists = fields.map(() => undefined);
  }

  read(at: number): unknown {
    const { reader } = this;
    const number = this.#first + at;
    const text = this.#texts[at];
    if (text !== undefined && reader.isText(number, text)) return text;
    const list = this.#lists[at];
    if (list !== undefined && reader.isSame(number, list.packed)) return list.value;
    const value = reader.value(number);
    if (typeof value === 'string') {
      if (this.#fields[at]?.repeats) this.#texts[at] = value;
      return value;
    }
    if (typeof value !== 'object') return value;
    const shared = this.#fields[at]?.pool.shared(value);
    if (Array.isArray(shared) && this.#fields[at]?.repeats) {
      this.#lists[at] = { packed: reader.copy(number), value: shared };
    }
    return shared;
  }
}

/** A list that was read, and as what. */
interface MetList {
  readonly packed: Buffer;
  readonly value: unknown;
}

/** The tags of every record that has none. */
export const noTags = Object.freeze({});

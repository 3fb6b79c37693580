// The display name of a record of any kind: its own name, or its substitute.

import type { RecordBase } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import { textReader } from './compiled.ts';
import type { Kind } from './kind.ts';

/** Reads a record's name; compiled once per kind, because lists read a million names. */
type Reader = (record: RecordBase) => string;

/** Names of records of all kinds. */
export class RecordNames {
  readonly #store: Store;
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #readers = new Map<string, Reader>();

  constructor(kinds: readonly Kind[], store: Store) {
    this.#store = store;
    this.#kinds = new Map(kinds.map((kind) => [kind.kind, kind]));
    for (const { kind } of kinds) this.#readerOf(kind);
  }

  /** The name of a record of a kind; empty if it has none. */
  of(kind: string, record: RecordBase): string {
    return this.#readers.get(kind)?.(record) ?? '';
  }

  /** The name of the record with an id; empty if the record does not exist or has none. */
  at(kind: string, id: string): string {
    const row = this.#kinds.has(kind) ? this.#store.tableNamed(kind).find(id) : undefined;
    return row === undefined ? '' : this.of(kind, row.record);
  }

  #readerOf(name: string): Reader {
    let reader = this.#readers.get(name);
    if (reader !== undefined) return reader;
    const kind = this.#kinds.get(name);
    // Kinds that take their names from each other would recurse for ever.
    this.#readers.set(name, nameless);
    if (kind?.calledBy !== undefined) {
      reader = joined(kind.calledBy.map((field) => this.#partOf(kind, field)));
    } else {
      reader = kind !== undefined && 'name' in kind.fields ? textReader('name') : nameless;
    }
    this.#readers.set(name, reader);
    return reader;
  }

  #partOf({ relations }: Kind, field: string): Reader {
    const value = textReader(field);
    const relation = relations.find((one) => one.field === field)?.relation;
    if (relation === undefined) return value;
    const table = this.#store.tableNamed(relation.kind);
    const nameOf = this.#readerOf(relation.kind);
    return (record) => {
      const id = value(record);
      const row = id === '' ? undefined : table.find(id);
      return row === undefined ? '' : nameOf(row.record);
    };
  }
}

const nameless: Reader = () => '';

function joined([first = nameless, ...rest]: readonly Reader[]): Reader {
  if (rest.length === 0) return first;
  return (record) => {
    let name = first(record);
    for (const part of rest) {
      const text = part(record);
      if (text !== '') name = name === '' ? text : `${name} ${text}`;
    }
    return name;
  };
}

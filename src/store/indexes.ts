// Secondary indexes of a table: unique keys, and groups of rows by key.

import { KeyMap } from '../containers/key-map.ts';
import { SlotSet } from '../containers/slot-set.ts';
import type { RecordBase, Row } from './record.ts';

/** Is told of the changes to rows. */
export interface RowFollower<R extends RecordBase> {
  change(row: Row<R>, before: R | undefined, after: R | undefined): void;
}

/** New contents of an index or a map, which are filled while the present ones go on answering. */
export interface Replacement<R extends RecordBase> extends RowFollower<R> {
  putInPlace(): void;
}

/** The keys of records. Methods, for the reason that `Table` gives. */
interface KeysOf<R extends RecordBase> {
  one(record: R): string | undefined;
  many(record: R): string | readonly string[] | undefined;
}

/** At most one row per key; a record without a key is not in the index. */
export class UniqueIndex<R extends RecordBase> {
  /** The field (or the name of the computed key) that error messages give. */
  readonly name: string;
  readonly #keyOf: KeysOf<R>['one'];
  /** Public for the integrity run, and for tests that damage it. */
  map = new KeyMap<Row<R>>();

  constructor(name: string, keyOf: (record: R) => string | undefined) {
    this.name = name;
    this.#keyOf = keyOf;
  }

  /** The row with this key. */
  get(key: string): Row<R> | undefined {
    return this.map.get(key);
  }

  /** Empty new contents, to be filled with all rows. */
  replacement(): Replacement<R> {
    const fresh = new UniqueIndex(this.name, this.#keyOf);
    return {
      change: (row, before, after) => {
        const key = after && this.#keyOf(after);
        const holder = key === undefined ? undefined : fresh.get(key);
        // Two rows have one key only after damage; the one that is found now stays.
        const isHeld = holder !== undefined && holder !== row && this.get(key ?? '') === holder;
        if (!isHeld) fresh.change(row, before, after);
      },
      putInPlace: () => {
        this.map = fresh.map;
      },
    };
  }

  /** As `GroupIndex.keysOf`. */
  keysOf(record: R): readonly string[] {
    const key = this.#keyOf(record);
    return key === undefined ? noKeys : [key];
  }

  /** Whether a row can be found by its key. */
  hasAll(row: Row<R>): boolean {
    const key = this.#keyOf(row.record);
    return key === undefined || this.map.get(key) === row;
  }

  /** As `GroupIndex.entries`. */
  *entries(): Generator<readonly [key: string, slot: number, row: Row<R>]> {
    for (const [key, row] of this.map) yield [key, row.slot, row];
  }

  /** The key of `record` if another row than `row` holds it already. */
  conflict(row: Row<R> | undefined, record: R): string | undefined {
    const key = this.#keyOf(record);
    if (key === undefined) return undefined;
    const holder = this.map.get(key);
    return holder === undefined || holder === row ? undefined : key;
  }

  change(row: Row<R>, before: R | undefined, after: R | undefined): void {
    const from = before && this.#keyOf(before);
    const to = after && this.#keyOf(after);
    if (from === to) return;
    if (from !== undefined && this.map.get(from) === row) this.map.delete(from);
    if (to !== undefined) this.map.set(to, row);
  }

  /** Like `change`, for a recovered row: there is no old key to remove. */
  load(row: Row<R>, record: R): void {
    const key = this.#keyOf(record);
    if (key !== undefined) this.map.load(key, row);
  }

  /** As `KeyMap.endLoad`. */
  endLoad(): void {
    this.map.endLoad();
  }
}

/**
 * The rows of each key: foreign keys, `@id` and attribute lists. A key with one row, by far the
 * most common, costs a map entry and no set. A key with most rows of a table costs a bit per row,
 * where a `Set` of rows took 60 bytes and a third of the start-up time.
 */
export class GroupIndex<R extends RecordBase> {
  readonly name: string;
  readonly #keysOf: KeysOf<R>['many'];
  readonly #rowAt: (slot: number) => Row<R> | undefined;
  /** Public for the integrity run. */
  map = new KeyMap<Row<R> | SlotSet>();
  /** While rows are loaded: the last key with many rows, and its group. */
  #loadedKey: string | undefined;
  #loadedGroup: SlotSet | undefined;

  /** @param rowAt the row of a slot; slots are given back only when their row is in no group */
  constructor(
    name: string,
    keysOf: (record: R) => string | readonly string[] | undefined,
    rowAt: (slot: number) => Row<R> | undefined,
  ) {
    this.name = name;
    this.#keysOf = keysOf;
    this.#rowAt = rowAt;
  }

  /**
   * The rows with this key, in no guaranteed order. One or none, as most keys have, need no
   * generator. Rows may come and go meanwhile; those that stay are not missed.
   */
  rows(key: string): Row<R>[] | Generator<Row<R>> {
    const group = this.map.get(key);
    if (group === undefined) return [];
    return group instanceof SlotSet ? this.#rowsIn(group) : [group];
  }

  /** Visits the slots of the rows with this key; the group must not change meanwhile. */
  eachSlot(key: string, visit: (slot: number) => void): void {
    const group = this.map.get(key);
    if (group instanceof SlotSet) group.forEach(visit);
    else if (group !== undefined) visit(group.slot);
  }

  /** Every key that some row has; valid until the next write. */
  keys(): Iterable<string> {
    return this.map.keys();
  }

  /** How many rows have this key. */
  count(key: string): number {
    const group = this.map.get(key);
    if (group === undefined) return 0;
    return group instanceof SlotSet ? group.size : 1;
  }

  /** All keys of a record. */
  keysOf(record: R): readonly string[] {
    const keys = this.#keysOf(record) ?? noKeys;
    return typeof keys === 'string' ? [keys] : keys;
  }

  /** Whether a row is in the group of a key. */
  has(key: string, row: Row<R>): boolean {
    const group = this.map.get(key);
    return group === row || (group instanceof SlotSet && group.has(row.slot));
  }

  /** Whether a row is in the groups of all its keys. */
  hasAll(row: Row<R>): boolean {
    const keys = this.#keysOf(row.record);
    if (keys === undefined) return true;
    if (typeof keys === 'string') return this.has(keys, row);
    for (const key of keys) if (!this.has(key, row)) return false;
    return true;
  }

  /** As `UniqueIndex.replacement`. */
  replacement(): Replacement<R> {
    const fresh = new GroupIndex(this.name, this.#keysOf, this.#rowAt);
    return {
      change: (row, before, after) => fresh.change(row, before, after),
      putInPlace: () => {
        this.map = fresh.map;
      },
    };
  }

  /** Every key with each of its slots and the row there, for the integrity run. */
  *entries(): Generator<readonly [key: string, slot: number, row: Row<R> | undefined]> {
    for (const [key, group] of this.map) {
      if (!(group instanceof SlotSet)) yield [key, group.slot, group];
      else {
        for (let slot = group.next(-1); slot >= 0; slot = group.next(slot)) {
          yield [key, slot, this.#rowAt(slot)];
        }
      }
    }
  }

  /** Removes an entry. */
  drop(key: string, slot: number): void {
    const group = this.map.get(key);
    if (group instanceof SlotSet) {
      if (!group.delete(slot) || group.size > 0) return;
      this.map.delete(key);
      if (key === this.#loadedKey) this.endLoad();
    } else if (group?.slot === slot) this.map.delete(key);
  }

  change(row: Row<R>, before: R | undefined, after: R | undefined): void {
    const from = before && this.#keysOf(before);
    const to = after && this.#keysOf(after);
    if (from === to) return;
    if (typeof from === 'string') this.drop(from, row.slot);
    else if (from !== undefined) for (const key of from) this.drop(key, row.slot);
    if (typeof to === 'string') this.#add(to, row);
    else if (to !== undefined) for (const key of to) this.#add(key, row);
  }

  /**
   * Like `change`, for a recovered row: there are no old keys to remove. Consecutive rows mostly
   * have a key in common, which is not looked up again.
   */
  load(row: Row<R>, record: R): void {
    const keys = this.#keysOf(record);
    if (typeof keys === 'string') this.#load(keys, row);
    else if (keys !== undefined) for (const key of keys) this.#load(key, row);
  }

  /** Forgets the last key, because nothing more is loaded. */
  endLoad(): void {
    this.#loadedKey = undefined;
    this.#loadedGroup = undefined;
  }

  #load(key: string, row: Row<R>): void {
    if (key === this.#loadedKey) this.#loadedGroup?.add(row.slot);
    else {
      const group = this.#add(key, row);
      if (!(group instanceof SlotSet)) return;
      this.#loadedKey = key;
      this.#loadedGroup = group;
    }
  }

  *#rowsIn(group: SlotSet): Generator<Row<R>> {
    for (let slot = group.next(-1); slot >= 0; slot = group.next(slot)) {
      const row = this.#rowAt(slot);
      // A slot without a row is damage, which the integrity run finds.
      if (row !== undefined) yield row;
    }
  }

  /** @returns what was stored under the key before */
  #add(key: string, row: Row<R>): Row<R> | SlotSet | undefined {
    const group = this.map.get(key);
    if (group === undefined) this.map.set(key, row);
    else if (group instanceof SlotSet) group.add(row.slot);
    else if (group !== row) {
      const both = new SlotSet();
      both.add(group.slot);
      both.add(row.slot);
      this.map.set(key, both);
    }
    return group;
  }
}

const noKeys: readonly string[] = [];

/** The order of lists: by id (behaviour/lists#order). */
export function byId(a: Row, b: Row): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

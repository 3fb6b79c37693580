// Holds all records of one kind in memory, with their indexes. Only transactions and recovery write
// it.

import type { Lsn } from '../../snapshots/journal.ts';
import { KeyMap } from '../containers/key-map.ts';
import { LongList } from '../containers/long-list.ts';
import { rowsAStep } from '../containers/walk.ts';
import { GroupIndex, type RowFollower, UniqueIndex } from './indexes.ts';
import { OrderBuild } from './order-build.ts';
import type { ReadFence } from './read-fence.ts';
import { RecentWrites } from './recent-writes.ts';
import { NotFinalized, type RecordBase, Row, type Sealer } from './record.ts';
import { type RowOrder, SortedRows } from './sorted-rows.ts';

/** Converts between a record and its array of values in log and snapshot. */
export interface RecordCodec<R extends RecordBase> {
  /** The newest layout version, which `encode` writes unless told otherwise. */
  readonly version: number;
  /** The oldest version that `encode` can still write. */
  readonly oldestWritten: number;
  /**
   * @param version from `oldestWritten` to `version`
   * @throws NotFinalized if the record holds what only a newer version can keep
   */
  encode(record: R, version?: number): unknown[];
  /**
   * Reads any version up to its own. `sealer` seals what an earlier version kept in clear and this
   * one keeps sealed.
   * @throws NewerRecord for a newer version; Error where a sealer is needed and there is none.
   */
  decode(id: string, version: number, values: readonly unknown[], sealer?: Sealer): R;
  /**
   * The form in which the table keeps a written record. It equals what `decode` returns for what
   * `encode` gives, so it takes no more memory than after a restart.
   */
  compact(record: R): R;
}

/** A kind as the store needs it: its name and the type of its records. */
export interface StoredKind<R extends RecordBase> {
  readonly kind: string;
  readonly codec: RecordCodec<R>;
}

/** How a table is laid out. */
export interface TableOptions<R extends RecordBase> {
  readonly kind: string;
  readonly codec: RecordCodec<R>;
  /** Keys that at most one record may have; `name` is the field an error names. */
  readonly unique: readonly {
    name: string;
    key(record: R): string | undefined;
  }[];
  readonly groups: readonly {
    name: string;
    keys(record: R): string | readonly string[] | undefined;
  }[];
  /** Keys by which rows can be ordered, besides `id` and `createdAt`. */
  readonly orders?: readonly RowOrder<R>[];
  /** Its records are never written to disk: a restart begins without any. */
  readonly isVolatile?: boolean;
}

/**
 * Functions of records of one kind. These are methods, so that a table of one kind can stand for a
 * table of any records, as in `CommittedChange`; `Transaction.put` takes only records of the kind.
 */
interface Of<R extends RecordBase> {
  isLive(record: R): boolean;
  observe(row: Row<R>, before: R | undefined, after: R | undefined): void;
}

/** The data structures of a table. Only the integrity run uses them, to check and repair. */
export interface TableInternals<R extends RecordBase> {
  readonly rows: KeyMap<Row<R>>;
  readonly bySlot: LongList<Row<R>>;
  readonly freeSlots: number[];
  readonly unique: readonly UniqueIndex<R>[];
  readonly groups: readonly GroupIndex<R>[];
  /** The orders that were read so far; the others are not kept. */
  readonly sorted: SortedRows<R>[];
}

/** A unique key is taken already. */
export class DuplicateKey extends Error {
  readonly kind: string;
  readonly field: string;
  readonly value: string;

  constructor(kind: string, field: string, value: string) {
    super(`${kind}: ${field} is taken`);
    this.name = 'DuplicateKey';
    this.kind = kind;
    this.field = field;
    this.value = value;
  }
}

/** The kind has as many records as it may have; nothing was written. */
export class TableFull extends Error {
  readonly kind: string;

  constructor(kind: string, recordsMax: number) {
    super(`${kind}: there are ${recordsMax} records already`);
    this.name = 'TableFull';
    this.kind = kind;
  }
}

/** The surroundings that a store gives its tables. */
export interface TableSurroundings {
  readonly fence: ReadFence;
  /** As `StoreOptions.fatal`. */
  readonly fatal: (error: unknown) => never;
  /** The most records; Infinity where there is no bound. A recovered home may hold more. */
  readonly recordsMax: number;
}

/**
 * The records of one kind. `find`, `rows` and similar methods note on the fence what they read;
 * `peek` does not.
 */
export class Table<R extends RecordBase = RecordBase> {
  readonly kind: string;
  readonly codec: RecordCodec<R>;
  /** As `TableSurroundings.recordsMax`. */
  readonly recordsMax: number;
  /**
   * As `TableOptions.isVolatile`. The LSN of such a row is that of the newest frame that its record
   * may depend on.
   */
  readonly isVolatile: boolean;
  /** LSN of the newest frame that changed this table. Misses and scans depend on it. */
  lastLsn: Lsn = 0;
  /** The number of writes to it that were committed since the start. */
  revision = 0;
  /**
   * The version in which frames and snapshots get its records; 0 if none may be written. It is
   * that of the codec, and an older one on a node of a cluster whose upgrade is not final.
   */
  writtenVersion: number;
  /**
   * Whether a row still counts although its deletion is under way in slices (deferred cascades). It
   * is only called while a deferred cascade that takes rows of this kind is open. It is undefined
   * where no cascade can delete records of this kind.
   */
  isLive: Of<R>['isLive'] | undefined;
  /** Kept from the first request for them. */
  #recentWrites: RecentWrites | undefined;
  /** For the integrity run, and for tests that damage it. */
  readonly internals: TableInternals<R>;
  readonly #fence: ReadFence;
  readonly #fatal: (error: unknown) => never;
  #rows = new KeyMap<Row<R>>();
  readonly #bySlot = new LongList<Row<R>>();
  readonly #freeSlots: number[] = [];
  readonly #unique: readonly UniqueIndex<R>[];
  readonly #groups: readonly GroupIndex<R>[];
  readonly #observers: Of<R>['observe'][] = [];
  readonly #orders: readonly RowOrder<R>[];
  /** Built at the first read in that order, so kinds that are never listed cost nothing. */
  readonly #sorted: SortedRows<R>[] = [];
  readonly #builds = new Set<OrderBuild<R>>();
  /** The followers of changes, with the slot below which each was already told of the rows. */
  readonly #followers = new Map<RowFollower<R>, number>();

  constructor(options: TableOptions<R>, { fence, fatal, recordsMax }: TableSurroundings) {
    this.kind = options.kind;
    this.codec = options.codec;
    this.writtenVersion = options.codec.version;
    this.#fence = fence;
    this.#fatal = fatal;
    this.recordsMax = recordsMax;
    this.isVolatile = options.isVolatile ?? false;
    this.#unique = options.unique.map((u) => new UniqueIndex<R>(u.name, (r) => u.key(r)));
    const rowAt = (slot: number) => this.#bySlot.get(slot);
    this.#groups = options.groups.map((g) => new GroupIndex<R>(g.name, (r) => g.keys(r), rowAt));
    this.#orders = [...baseOrders, ...(options.orders ?? [])];
    const rows = () => this.#rows;
    this.internals = {
      get rows() {
        return rows();
      },
      bySlot: this.#bySlot,
      freeSlots: this.#freeSlots,
      unique: this.#unique,
      groups: this.#groups,
      sorted: this.#sorted,
    };
  }

  /** Number of records, including those whose deletion is under way. */
  get size(): number {
    return this.#rows.size;
  }

  /** The values of a record in the version that is written. @throws NotFinalized */
  encode(record: R): unknown[] {
    const { codec, kind, writtenVersion } = this;
    if (writtenVersion === 0) throw new NotFinalized(kind, 0);
    return codec.encode(record, writtenVersion);
  }

  /**
   * The form in which a written record is kept: what every reader of its frame will have, though
   * the version that is written may keep less than the newest (behaviour/cluster#formats).
   * @throws NotFinalized
   */
  compact(record: R): R {
    const { codec, writtenVersion } = this;
    if (writtenVersion === 0 || writtenVersion === codec.version) return codec.compact(record);
    return codec.decode(record.id, writtenVersion, codec.encode(record, writtenVersion));
  }

  /** Whether no further record is taken. */
  get isFull(): boolean {
    return this.#rows.size >= this.recordsMax;
  }

  /** Whether the table may hold rows that no reader sees any more. */
  get mayHoldDeleted(): boolean {
    const { cascadesOpen, kindsBeingDeleted } = this.#fence;
    return cascadesOpen && this.isLive !== undefined && kindsBeingDeleted.has(this.kind);
  }

  /** The row of `id`, if readers can see it. */
  find(id: string): Row<R> | undefined {
    return this.#seen(this.#rows.get(id));
  }

  /** The row whose unique key `index` is `key`, if readers can see it. */
  findBy(index: string, key: string): Row<R> | undefined {
    return this.#seen(this.unique(index).get(key));
  }

  /** The row of `id`, deleted or not, without a note on the fence: for the store's own work. */
  peek(id: string): Row<R> | undefined {
    return this.#rows.get(id);
  }

  /** The row in a slot, noted on the fence. */
  at(slot: number): Row<R> | undefined {
    return this.#seen(this.#bySlot.get(slot));
  }

  /** The rows of a group that readers can see. */
  members(index: string, key: string): Iterable<Row<R>> {
    this.#fence.note(this.lastLsn);
    const rows = this.group(index).rows(key);
    return Array.isArray(rows) && !this.mayHoldDeleted ? rows : this.#thereOf(rows);
  }

  *#thereOf(rows: Iterable<Row<R>>): Generator<Row<R>> {
    for (const row of rows) if (this.#isThere(row)) yield row;
  }

  /** All rows that readers can see, in id order. */
  *rows(): Generator<Row<R>> {
    for (const run of this.runs()) yield* run;
  }

  /** Whether rows can be read in the order of this key without sorting them. */
  isOrderedBy(name: string): boolean {
    return this.#orders.some((order) => order.name === name);
  }

  /** Whether rows are kept in this order already. */
  isOrderKept(name: string): boolean {
    return this.#sorted.some((order) => order.name === name);
  }

  /**
   * Builds the order of all rows by a key, or rebuilds it, one step at a time while writes go on.
   * Readers use the present order until the last step.
   * @throws RangeError as `runs`.
   */
  *buildOrder(by: string): Generator<undefined> {
    const build = new OrderBuild(this.#orderOf(by), {
      slots: this.#bySlot.length,
      inSlot: (slot) => this.#bySlot.get(slot),
      has: (row) => this.#rows.get(row.id) === row,
    });
    this.#builds.add(build);
    try {
      const built = yield* build.steps();
      const at = this.#sorted.findIndex(({ name }) => name === by);
      this.#sorted.splice(at < 0 ? this.#sorted.length : at, at < 0 ? 0 : 1, built);
    } finally {
      this.#builds.delete(build);
    }
  }

  /**
   * Tells a follower of all rows, some per step, and then of each change to them until `unfollow`,
   * including changes that are undone. The follower must not throw when it is told of a change.
   */
  *follow(follower: RowFollower<R>): Generator<undefined> {
    for (let slot = 0; slot < this.#bySlot.length; slot++) {
      if (slot % rowsAStep === 0) yield;
      const row = this.#bySlot.get(slot);
      if (row !== undefined) follower.change(row, undefined, row.record);
      this.#followers.set(follower, slot + 1);
    }
    this.#followers.set(follower, Number.POSITIVE_INFINITY);
  }

  /** Ends what `follow` began. */
  unfollow(follower: RowFollower<R>): void {
    this.#followers.delete(follower);
  }

  /**
   * Rebuilds an index from the rows, some per step; the present one answers until the last step.
   */
  *rebuildIndex(index: UniqueIndex<R> | GroupIndex<R>): Generator<undefined> {
    const replacement = index.replacement();
    try {
      yield* this.follow(replacement);
      replacement.putInPlace();
    } finally {
      this.unfollow(replacement);
    }
  }

  /** Rebuilds the map by id from its own list of rows, because slots depend on that list. */
  *rebuildMap(): Generator<undefined> {
    const fresh = new KeyMap<Row<R>>();
    const follower: RowFollower<R> = {
      change(row, _before, after) {
        if (after === undefined) fresh.delete(row.id);
        else fresh.set(row.id, row);
      },
    };
    this.#followers.set(follower, Number.POSITIVE_INFINITY);
    try {
      let put = 0;
      for (const row of this.#rows.values()) {
        fresh.set(row.id, row);
        if (++put % rowsAStep === 0) yield;
      }
      this.#rows = fresh;
    } finally {
      this.unfollow(follower);
    }
  }

  /**
   * Visits all rows that readers can see, slot by slot. This is roughly the order of their records
   * in memory: reading 100,000 of them takes a fifth of the time that id order takes.
   */
  each(visit: (row: Row<R>) => void): void {
    this.#fence.note(this.lastLsn);
    const mayHoldDeleted = this.mayHoldDeleted;
    this.#bySlot.each((row) => {
      if (!mayHoldDeleted || this.#isThere(row)) visit(row);
    });
  }

  /**
   * All rows that readers can see, in the order of a key, in runs: looping over arrays costs a
   * fifth of stepping a generator. Valid until the next write.
   * @throws RangeError for a key that `isOrderedBy` does not know, which is a mistake in the
   *   program.
   */
  runs(by = 'id'): readonly (readonly Row<R>[])[] {
    this.#fence.note(this.lastLsn);
    const { runs } = this.#order(by);
    if (!this.mayHoldDeleted) return runs;
    return runs.map((run) => run.filter((row) => this.#isThere(row)));
  }

  /** One page in the order of a key, and how many rows there are. @throws RangeError as `runs`. */
  page(
    offset: number,
    count: number,
    by = 'id',
    isDescending = false,
  ): { rows: readonly Row<R>[]; total: number } {
    if (!this.mayHoldDeleted) {
      this.#fence.note(this.lastLsn);
      const rows = this.#order(by).page(offset, count, isDescending);
      return { rows, total: this.#rows.size };
    }
    if (isDescending) {
      const rows = this.#order(by).turned(this.runs(by).flat());
      return { rows: rows.slice(offset, offset + count), total: rows.length };
    }
    this.#fence.note(this.lastLsn);
    const rows: Row<R>[] = [];
    let total = 0;
    for (const run of this.#order(by).runs) {
      for (const row of run) {
        if (!this.#isThere(row)) continue;
        if (total++ >= offset && rows.length < count) rows.push(row);
      }
    }
    return { rows, total };
  }

  /**
   * At most `count` rows after a record in the order of a key, whether readers can see them or not,
   * without a note on the fence. For going through rows in steps while writes go on.
   * @throws RangeError as `runs`.
   */
  following(by: string, record: R | undefined, count: number): readonly Row<R>[] {
    return this.#order(by).following(record, count);
  }

  /** How many rows readers can see. */
  count(): number {
    this.#fence.note(this.lastLsn);
    if (!this.mayHoldDeleted) return this.#rows.size;
    let count = 0;
    for (const row of this.all()) if (this.#isThere(row)) count++;
    return count;
  }

  /**
   * Every row, slot by slot, for recovery and deferred cascades. Rows that are added meanwhile may
   * be missed; rows that stay are not.
   */
  all(): Generator<Row<R>> {
    return this.#bySlot[Symbol.iterator]();
  }

  /** Number of slots that are or were in use; it never goes down. */
  get slots(): number {
    return this.#bySlot.length;
  }

  /** The row in a slot, deleted or not, without a note on the fence: for the store's own work. */
  inSlot(slot: number): Row<R> | undefined {
    return this.#bySlot.get(slot);
  }

  /** A unique index by name. @throws RangeError when there is none, a mistake in the program. */
  unique(name: string): UniqueIndex<R> {
    const index = this.#unique.find((u) => u.name === name);
    if (index === undefined) throw new RangeError(`${this.kind} has no unique index ${name}`);
    return index;
  }

  /** A group index by name. @throws RangeError when there is none, a mistake in the program. */
  group(name: string): GroupIndex<R> {
    const index = this.#groups.find((g) => g.name === name);
    if (index === undefined) throw new RangeError(`${this.kind} has no group index ${name}`);
    return index;
  }

  /**
   * Tells `observer` of every change as it is applied within a transaction, and of every undo with
   * before and after swapped. It is told of existing rows at once, and of recovered rows as they
   * are loaded. An observer may throw if it has changed nothing of its own: the write is then
   * undone. It must not throw when it is told of an undo.
   */
  observe(observer: Of<R>['observe']): void {
    this.#bySlot.each((row) => observer(row, undefined, row.record));
    this.#observers.push(observer);
  }

  /** Puts a recovered record in place; indexes have it by the time they are read. */
  load(record: R, lsn: Lsn): void {
    const row = new Row(record, lsn, this.#bySlot.length);
    this.#bySlot.push(row);
    this.#rows.load(row.id, row);
    if (lsn > this.lastLsn) this.lastLsn = lsn;
    for (const index of this.#unique) index.load(row, record);
    for (const index of this.#groups) index.load(row, record);
    this.#tell(row, undefined, record);
  }

  /** Ends loading: completes at once what would otherwise be done at the first read. */
  endLoad(): void {
    this.#rows.endLoad();
    for (const index of this.#unique) index.endLoad();
    for (const index of this.#groups) index.endLoad();
  }

  /**
   * Applies one write. For transactions only.
   * @throws DuplicateKey and TableFull before anything is changed; whatever an observer throws,
   *   with everything as it was: the observers that were told before it are told of the undo.
   */
  write(id: string, after: R): Row<R>;
  write(id: string, after: R | undefined): Row<R> | undefined;
  write(id: string, after: R | undefined): Row<R> | undefined {
    const row = this.#rows.get(id);
    if (after !== undefined) {
      this.#refuseDuplicates(row, after);
      if (row === undefined && this.isFull) throw new TableFull(this.kind, this.recordsMax);
    }
    return this.#write(row, id, after);
  }

  /**
   * Applies one write that was decided elsewhere: unique keys and room were looked at there.
   * Between the changes of one frame, two rows may have the same key; the later one then has it.
   * @throws whatever an observer throws, as `write`
   */
  apply(id: string, after: R | undefined): Row<R> | undefined {
    return this.#write(this.#rows.get(id), id, after);
  }

  #write(found: Row<R> | undefined, id: string, after: R | undefined): Row<R> | undefined {
    let row = found;
    const before = row?.record;
    if (row === undefined) {
      if (after === undefined) return undefined;
      row = this.#insert(after);
    } else if (after === undefined) {
      this.#rows.delete(id);
      this.#takeOut(row);
    } else {
      this.#replace(row, after);
    }
    this.#index(row, before, after);
    try {
      this.#tell(row, before, after);
    } catch (error) {
      this.#index(row, after, before);
      this.#restore(row, before, after);
      throw error;
    }
    return row;
  }

  /** Undoes one write. For transactions only, newest first. */
  undo(row: Row<R>, before: R | undefined, after: R | undefined): void {
    this.#index(row, after, before);
    this.#tellOfUndoing(this.#observers.length, row, before, after);
    this.#restore(row, before, after);
  }

  #restore(row: Row<R>, before: R | undefined, after: R | undefined): void {
    if (before === undefined) {
      this.#rows.delete(row.id);
      this.#takeOut(row);
      this.releaseSlot(row);
    } else if (after === undefined) {
      row.record = before;
      this.#rows.set(before.id, row);
      this.#putIn(row);
    } else {
      this.#replace(row, before);
    }
  }

  /** Notes that a write to a row is committed, with the LSN of its change set. For the store. */
  committed(row: Row<R>, lsn: Lsn): void {
    // The LSNs of transactions without a frame may go down.
    row.lsn = this.isVolatile ? Math.max(row.lsn, lsn) : lsn;
    this.lastLsn = this.isVolatile ? Math.max(this.lastLsn, lsn) : lsn;
    this.revision++;
    this.#recentWrites?.note(this.revision, row.slot);
  }

  /**
   * Slots of the rows that were written after a revision, including deleted and new rows. It is
   * undefined when that was too long ago, or when this is the first call.
   */
  writtenAfter(revision: number): ReadonlySet<number> | undefined {
    this.#recentWrites ??= new RecentWrites(this.revision);
    return this.#recentWrites.after(revision);
  }

  /** Gives a deleted row's slot back, once nothing can need it any more. */
  releaseSlot(row: Row<R>): void {
    this.#freeSlots.push(row.slot);
  }

  #insert(record: R): Row<R> {
    const slot = this.#freeSlots.pop() ?? this.#bySlot.length;
    const row = new Row(record, 0, slot);
    this.#rows.set(record.id, row);
    this.#putIn(row);
    return row;
  }

  #putIn(row: Row<R>): void {
    this.#bySlot.set(row.slot, row);
    for (const sorted of this.#sorted) sorted.add(row);
    for (const build of this.#builds) build.add(row);
  }

  #takeOut(row: Row<R>): void {
    this.#bySlot.set(row.slot, undefined);
    for (const sorted of this.#sorted) sorted.remove(row);
    for (const build of this.#builds) build.remove(row);
  }

  #replace(row: Row<R>, record: R): void {
    const moves = (order: SortedRows<R> | OrderBuild<R>) => order.moves(row.record, record);
    const moving: (SortedRows<R> | OrderBuild<R>)[] = this.#sorted.filter(moves);
    for (const build of this.#builds) if (moves(build)) moving.push(build);
    for (const order of moving) order.remove(row);
    row.record = record;
    for (const order of moving) order.add(row);
  }

  #refuseDuplicates(row: Row<R> | undefined, record: R): void {
    for (const index of this.#unique) {
      const key = index.conflict(row, record);
      if (key !== undefined) throw new DuplicateKey(this.kind, index.name, key);
    }
  }

  #index(row: Row<R>, before: R | undefined, after: R | undefined): void {
    for (const index of this.#unique) index.change(row, before, after);
    for (const index of this.#groups) index.change(row, before, after);
    if (this.#followers.size === 0) return;
    for (const [follower, slots] of this.#followers) {
      if (row.slot < slots) follower.change(row, before, after);
    }
  }

  /** @throws whatever an observer throws; by then the others have been told of the undo. */
  #tell(row: Row<R>, before: R | undefined, after: R | undefined): void {
    let told = 0;
    try {
      for (; told < this.#observers.length; told++) this.#observers[told]?.(row, before, after);
    } catch (error) {
      this.#tellOfUndoing(told, row, before, after);
      throw error;
    }
  }

  /** Tells the first `count` observers, the last one first. */
  #tellOfUndoing(count: number, row: Row<R>, before: R | undefined, after: R | undefined): void {
    try {
      for (let at = count - 1; at >= 0; at--) this.#observers[at]?.(row, after, before);
    } catch (error) {
      this.#fatal(error);
    }
  }

  #seen(row: Row<R> | undefined): Row<R> | undefined {
    if (row !== undefined && this.#isThere(row)) {
      this.#fence.note(row.lsn);
      return row;
    }
    this.#fence.note(this.lastLsn);
    return undefined;
  }

  #isThere(row: Row<R>): boolean {
    if (!this.mayHoldDeleted || this.isLive?.(row.record)) return true;
    this.#fence.note(this.#fence.cascadesLsn);
    return false;
  }

  #order(by: string): SortedRows<R> {
    const known = this.#sorted.find(({ name }) => name === by);
    if (known !== undefined) return known;
    const sorted = new SortedRows(this.#orderOf(by), this.all());
    this.#sorted.push(sorted);
    return sorted;
  }

  #orderOf(by: string): RowOrder<R> {
    const order = this.#orders.find(({ name }) => name === by);
    if (order === undefined) throw new RangeError(`${this.kind} has no order by ${by}`);
    return order;
  }
}

const baseOrders: readonly RowOrder<RecordBase>[] = [
  { name: 'id', key: ({ id }) => id },
  { name: 'createdAt', key: ({ createdAt }) => createdAt },
];

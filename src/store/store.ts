// The store: every table, the one way to write them, and what must happen around a write.

import type { Frame, Journal, Lsn, StoredRecord } from '../../snapshots/journal.ts';
import type { Clock } from '../platform/ports.ts';
import { applyChanges, FrameDoesNotFit } from './applied-frame.ts';
import { Capture } from './capture.ts';
import { deepFreeze } from './deep-freeze.ts';
import { DeferredCascades } from './deferred-cascades.ts';
import { ReadFence } from './read-fence.ts';
import { NewerRecord, type RecordBase, type Row, type Sealer } from './record.ts';
import { DuplicateKey, type StoredKind, Table, type TableOptions } from './table.ts';
import { type ChangeSet, Transaction, type TransactionCause, toChange } from './transaction.ts';

/** The surroundings and bounds of the store. */
export interface StoreOptions {
  readonly clock: Clock;
  readonly tables: readonly TableOptions<RecordBase>[];
  /** Freezes records deeply: tests and development. */
  readonly freeze: boolean;
  /** The most rows that one slice of a deferred cascade may delete or change. */
  readonly cascadeRowsMax: number;
  /** The most records that a kind may have, for those kinds that have a bound. */
  readonly recordsMax?: ReadonlyMap<string, number>;
  /**
   * Ends the process at once. Called when memory can no longer be brought into step with the log:
   * something threw after the frame was appended, or while a transaction was undone. The log is
   * intact, so the next start recovers what memory should have been.
   */
  readonly fatal: (error: unknown) => never;
  /** Seals what records of older versions keep in clear. Without it, such records are refused. */
  readonly sealer?: Sealer;
}

/**
 * Reacts to writes from within the transaction that makes them. It runs before the frame is
 * appended, so it may throw: the transaction is then undone.
 */
export interface BeforeCommitTrigger {
  /** A transaction begins. Forgets what an earlier transaction that was undone has left behind. */
  begin(): void;
  /** Writes what follows from the writes so far. */
  write(tx: Transaction): void;
}

/** All state of the controller. There is one instance per process; `core.ts` creates it. */
export class Store {
  readonly fence = new ReadFence();
  readonly deferredCascades: DeferredCascades;
  readonly #options: StoreOptions;
  readonly #tables = new Map<string, Table>();
  readonly #followers: ((changes: ChangeSet) => void)[] = [];
  readonly #triggers: BeforeCommitTrigger[] = [];
  /** Captures that are being read: at most one, while a snapshot is written. */
  readonly #captures = new Set<Capture>();
  readonly #fatal: (error: unknown) => never;
  #journal: Journal | undefined;
  /** The last frame that was applied; undefined unless the store follows another node. */
  #appliedLsn: Lsn | undefined;
  #open: Transaction | undefined;
  #isBroken = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#fatal = (error) => {
      this.#isBroken = true;
      return options.fatal(error);
    };
    this.deferredCascades = new DeferredCascades(this, options.clock, options.cascadeRowsMax);
    for (const table of [...options.tables, this.deferredCascades.tableOptions]) {
      const recordsMax = options.recordsMax?.get(table.kind) ?? Number.POSITIVE_INFINITY;
      const surroundings = { fence: this.fence, fatal: this.#fatal, recordsMax };
      this.#tables.set(table.kind, new Table(table, surroundings));
    }
    this.deferredCascades.watch();
  }

  /** The table of a kind. @throws RangeError for an unknown kind, a mistake in the program. */
  table<R extends RecordBase>({ kind }: StoredKind<R>): Table<R> {
    // A table is made of the options of its kind, whose codec says what the records are.
    return this.tableNamed(kind) as unknown as Table<R>;
  }

  /** As `table`, for code that works with whatever kinds there are. */
  tableNamed(kind: string): Table {
    const table = this.#tables.get(kind);
    if (table === undefined) throw new RangeError(`no table of kind ${kind}`);
    return table;
  }

  /** Every table. */
  tables(): IterableIterator<Table> {
    return this.#tables.values();
  }

  /** The tables whose records are kept on disk. */
  durableTables(): Table[] {
    return [...this.#tables.values()].filter(({ isVolatile }) => !isVolatile);
  }

  /**
   * Sets the versions in which records are written, by kind (behaviour/cluster#formats). Records of
   * kinds that are not named are not written.
   */
  writeVersions(versions: Readonly<Record<string, number>>): void {
    for (const table of this.durableTables()) {
      const { version } = table.codec;
      table.writtenVersion = Math.min(version, versions[table.kind] ?? 0);
    }
  }

  /** Whether there is a journal. Recovery is then complete, and every write is a new one. */
  get isAttached(): boolean {
    return this.#journal !== undefined;
  }

  /**
   * Whether recovery is complete: what is written from then on is a change, of this node or of the
   * leader that it follows.
   */
  get isRecovered(): boolean {
    return this.isAttached || this.#appliedLsn !== undefined;
  }

  /** The journal that makes writes durable. @throws Error before `attach`. */
  get journal(): Journal {
    if (this.#journal === undefined) throw new Error('the store has no journal yet');
    return this.#journal;
  }

  /**
   * Takes a recovered record. @throws NewerRecord for a kind or a version from a newer controller.
   */
  load(stored: StoredRecord): void {
    const { kind, id, lsn, version, values } = stored;
    const table = this.#tables.get(kind);
    if (table === undefined || table.isVolatile) {
      throw new NewerRecord(`records of the unknown kind ${kind}`);
    }
    table.load(table.codec.decode(id, version, values, this.#options.sealer), lsn);
  }

  /** Hands over the journal once recovery is complete; writes are possible from then on. */
  attach(journal: Journal): void {
    this.#journal = journal;
    this.#appliedLsn = undefined;
    for (const table of this.#tables.values()) {
      table.endLoad();
      table.lastLsn = Math.max(table.lastLsn, journal.durableLsn);
    }
    this.deferredCascades.recovered();
  }

  /**
   * Lets frames of the leader be applied, from the one after `lsn` on, once recovery is complete.
   * Until `attach`, what is written is no change that this node decides about: no consequence
   * follows from it that is not in a frame (behaviour/cluster#applying).
   */
  beginApplying(lsn: Lsn): void {
    this.#appliedLsn = lsn;
    for (const table of this.#tables.values()) table.endLoad();
    this.deferredCascades.recovered();
  }

  /** The last frame that was applied; undefined unless the store follows another node. */
  get appliedLsn(): Lsn | undefined {
    return this.#appliedLsn;
  }

  /**
   * Applies a confirmed frame of the leader, as a commit of its own: rows get its LSN, and captures
   * and followers are told. Before-commit triggers do not run, as their writes are in the frame.
   * @throws FrameDoesNotFit, NewerRecord; memory may then hold a part of the frame, so the process
   *   has to end
   */
  apply(frame: Frame): void {
    this.#expect(frame.lsn);
    const { lsn, timeMs, actor, requestId, operation, causeLsn, events } = frame;
    for (const trigger of this.#triggers) trigger.begin();
    const changes = applyChanges(frame, (kind) => this.#tables.get(kind), this.#options);
    const cause = { actor, requestId, operation, causeLsn };
    this.#tell({ lsn, hasFrame: true, timeMs, cause, changes, events });
  }

  /** Notes a frame of the leader that changes no record. @throws FrameDoesNotFit */
  applyNothing(lsn: Lsn): void {
    this.#expect(lsn);
  }

  #expect(lsn: Lsn): void {
    if (this.#appliedLsn === undefined) throw new Error('the store does not follow');
    if (lsn !== this.#appliedLsn + 1) {
      throw new FrameDoesNotFit(lsn, `it does not follow frame ${this.#appliedLsn}`);
    }
    this.#appliedLsn = lsn;
  }

  /** Lets `trigger` write consequences into each transaction before it is committed. */
  beforeCommit(trigger: BeforeCommitTrigger): void {
    this.#triggers.push(trigger);
  }

  /**
   * Tells `follower` of each commit after it is applied and appended. It must not write. It must
   * not throw either: the frame is in the log by then, so an error ends the process. Whatever can
   * be refused is refused before the append, by the operation, an observer or a before-commit
   * trigger.
   */
  follow(follower: (changes: ChangeSet) => void): void {
    this.#followers.push(follower);
  }

  /**
   * Runs `body` as one transaction: either all of it is applied and one frame is appended, or
   * nothing has changed. The answer may leave once `fence.lsn` is durable.
   *
   * The append is the point of no return. Code that runs before it (`body`, observers,
   * before-commit triggers) may throw, and everything is undone. Code that runs after it (captures,
   * followers, effects) must not throw: an error there ends the process with the log intact, and
   * nothing is undone.
   * @throws whatever `body`, an observer or a before-commit trigger throws, DuplicateKey, or the
   *   journal's refusals, with everything undone.
   */
  transact<T>(cause: TransactionCause, body: (tx: Transaction) => T): T {
    try {
      return this.#attempt(cause, body);
    } catch (error) {
      if (!(error instanceof DuplicateKey) || !this.deferredCascades.isOpen) throw error;
      // A row gives up its key early only if no reader sees it and it waits for its slice.
      const { kind, field, value } = error;
      if (this.tableNamed(kind).findBy(field, value) !== undefined) throw error;
      this.deferredCascades.drain(kind);
      return this.#attempt(cause, body);
    }
  }

  /**
   * Every record as it is at the time of this call, each once, for a snapshot. The iterator may be
   * read at any pace, also while writes go on. It must be read to its end or returned.
   */
  records(): IterableIterator<StoredRecord> {
    const capture = new Capture(this.durableTables());
    this.#captures.add(capture);
    const release = () => this.#captures.delete(capture);
    const records = capture.records();
    return {
      next() {
        const result = records.next();
        if (result.done) release();
        return result;
      },
      // The generator's own `return` would do nothing before its first step.
      return() {
        release();
        return { done: true, value: undefined };
      },
      [Symbol.iterator]() {
        return this;
      },
    };
  }

  #attempt<T>(cause: TransactionCause, body: (tx: Transaction) => T): T {
    if (this.#isBroken) throw new Error('the store is not in step with the log any more');
    if (this.#open !== undefined) throw new Error('a transaction is open already');
    const { clock, freeze } = this.#options;
    const tx = new Transaction(clock.now(), cause, freeze ? deepFreeze : undefined);
    this.#open = tx;
    let value: T;
    let committed: ChangeSet | undefined;
    try {
      for (const trigger of this.#triggers) trigger.begin();
      value = body(tx);
      for (const trigger of this.#triggers) trigger.write(tx);
      if (!tx.isEmpty || tx.events.length > 0) committed = this.#append(tx);
    } catch (error) {
      this.#undo(tx);
      this.#open = undefined;
      throw error;
    }
    try {
      if (committed !== undefined) this.#tell(committed, tx.removed());
      this.#open = undefined;
      for (const effect of tx.effects) effect();
    } catch (error) {
      this.#fatal(error);
    }
    return value;
  }

  /** @throws whatever the journal refuses with; nothing is in the log then. */
  #append(tx: Transaction): ChangeSet {
    const changes = tx.fold();
    const { now: timeMs, cause, events } = tx;
    let keptChanges = changes;
    let keptEvents = events;
    if (tx.wroteVolatile) {
      keptChanges = changes.filter(({ table }) => !table.isVolatile);
      keptEvents = events.filter(([kind]) => !this.tableNamed(kind).isVolatile);
      if (keptChanges.length === 0 && keptEvents.length === 0) {
        return { lsn: this.fence.lsn, hasFrame: false, timeMs, cause, changes, events };
      }
    }
    const lsn = this.journal.append({
      timeMs,
      actor: cause.actor,
      requestId: cause.requestId,
      operation: cause.operation,
      causeLsn: cause.causeLsn ?? 0,
      events: keptEvents,
      changes: keptChanges.map(toChange),
    });
    return { lsn, hasFrame: true, timeMs, cause, changes, events };
  }

  #undo(tx: Transaction): void {
    try {
      tx.undo();
    } catch (error) {
      this.#fatal(error);
    }
  }

  /** Tells captures and followers of a frame that is in the log, then frees slots. */
  #tell(committed: ChangeSet, removed: Iterable<RemovedRow> = deletedBy(committed)): void {
    const { lsn, changes } = committed;
    for (const capture of this.#captures) capture.note(changes);
    for (const { table, row } of changes) table.committed(row, lsn);
    this.fence.note(lsn);
    this.fence.cascadesLsn = this.tableNamed('followUp').lastLsn;
    for (const follower of this.#followers) follower(committed);
    for (const { table, row } of removed) table.releaseSlot(row);
  }
}

interface RemovedRow {
  readonly table: Table;
  readonly row: Row;
}

function* deletedBy({ changes }: ChangeSet): Generator<RemovedRow> {
  for (const { table, row, after } of changes) if (after === undefined) yield { table, row };
}

// The work of one life: transactions through a real store, snapshots of it meanwhile, and faults of
// the disk that they may meet.

import Type from 'typebox';
import { FrameTooLarge, JournalFailed, JournalStalled } from '../../snapshots/errors.ts';
import type { FrameContent, Journal, KeptSnapshot } from '../../snapshots/journal.ts';
import { field } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';
import type { RecordBase } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import type { Transaction } from '../../src/store/transaction.ts';
import type { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedCrash, type SimulatedDisk } from '../simulated/disk.ts';
import { endProcess } from '../simulated/fatal.ts';
import { checkDropped, checkGivenUp, checkSnapshots } from './home-files.ts';
import type { Model, Records } from './model.ts';

/** What a life works with. */
export interface Surroundings {
  readonly disk: SimulatedDisk;
  readonly clock: SimulatedClock;
  readonly model: Model;
  readonly random: () => number;
  readonly journal: Journal;
  readonly snapshotsKept: number;
}

/** The work of one life. */
export class Work {
  readonly #around: Surroundings;
  readonly #store: Store;
  /** The snapshot that is being written. */
  #snapshot: Promise<void> | undefined;
  #snapshotFailure: unknown;

  constructor(around: Surroundings, records: Records) {
    this.#around = around;
    const { clock, journal, model } = around;
    const tables = kinds.map(({ table }) => table);
    this.#store = new Store({
      clock,
      tables,
      freeze: false,
      cascadeRowsMax: 500,
      fatal: endProcess,
    });
    for (const record of records.values()) this.#store.load(record);
    this.#store.attach(noting(journal, model));
    journal.onDurable((lsn) => {
      model.acknowledgedLsn = Math.max(model.acknowledgedLsn, lsn);
    });
  }

  /** Fills a new home, so that a walk over it takes several turns. */
  async fill(): Promise<void> {
    for (const { kind } of kinds) {
      for (let first = 0; first < idsPerKind; first += 10) {
        this.#transact((tx) => {
          for (let n = first; n < first + 10; n++) this.#put(tx, kind, `i${n}`);
        });
      }
    }
    await this.turn();
  }

  /** Some transactions, which become one group. */
  async step(): Promise<void> {
    const { clock, journal, random } = this.#around;
    const group = 1 + Math.floor(random() * 6);
    for (let index = 0; index < group; index++) {
      this.#transact((tx) => this.#change(tx));
      if (random() < 0.2) await microtasks(1 + Math.floor(random() * 12));
    }
    await this.turn();
    if (journal.health.state === 'stalled') clock.advance(300);
    if (random() < 0.1) clock.advance(1200);
  }

  /** One turn of the event loop, with what its promises lead to. */
  async turn(): Promise<void> {
    this.#around.clock.turn();
    await microtasks(1 + Math.floor(this.#around.random() * 6));
    if (this.#snapshotFailure !== undefined) throw this.#snapshotFailure;
  }

  /** Begins a snapshot, unless one is being written. */
  beginSnapshot(sliceMs: number): void {
    if (this.#snapshot !== undefined) return;
    const { journal } = this.#around;
    const { lastLsn } = journal;
    this.#snapshot = journal
      .writeSnapshot(this.#store.records(), sliceMs)
      .then(
        (kept) => this.#checkKept(kept, lastLsn),
        (error: unknown) => this.#checkRefused(error),
      )
      .catch((error: unknown) => {
        this.#snapshotFailure = error;
      })
      .finally(() => {
        this.#snapshot = undefined;
      });
  }

  /** Waits until no snapshot is being written. */
  async snapshotEnded(): Promise<void> {
    if (this.#snapshot !== undefined) await this.#ended(this.#snapshot);
    if (this.#snapshotFailure !== undefined) throw this.#snapshotFailure;
  }

  /** A clean stop, as the controller does it. */
  async stop(withSnapshot: boolean): Promise<void> {
    const { journal, model } = this.#around;
    await this.snapshotEnded();
    if (withSnapshot) {
      this.beginSnapshot(Number.POSITIVE_INFINITY);
      await this.snapshotEnded();
    }
    model.log.push('seal');
    if (await this.#ended(journal.close())) model.acknowledgedLsn = model.log.length - 1;
  }

  #checkKept(kept: KeptSnapshot, lsn: number): void {
    const { disk, model, snapshotsKept } = this.#around;
    if (kept.lsn !== lsn) throw new Error(`asked for LSN ${lsn}, kept ${kept.lsn}`);
    if (disk.crashed) return;
    disk.quietly(() => {
      checkSnapshots(disk, model);
      checkDropped(disk, kept, snapshotsKept);
    });
  }

  #checkRefused(error: unknown): void {
    if (!(error instanceof JournalStalled) && !isSimulated(error)) throw error;
    if (!this.#around.disk.crashed) checkGivenUp(this.#around.disk);
  }

  #transact(body: (tx: Transaction) => void): void {
    const cause = { actor: 'someone', requestId: 'r', operation: 'work' };
    try {
      this.#store.transact(cause, body);
    } catch (error) {
      if (!refusals.some((type) => error instanceof type)) throw error;
    }
  }

  #change(tx: Transaction): void {
    const { random } = this.#around;
    const changes = 1 + Math.floor(random() * 3);
    for (let index = 0; index < changes; index++) {
      const kind = kinds[random() < 0.5 ? 0 : 1]?.kind ?? '';
      const id = `i${Math.floor(random() * idsPerKind)}`;
      if (random() < 0.2) tx.delete(this.#store.tableNamed(kind), id);
      else this.#put(tx, kind, id);
    }
    if (random() < 0.05) throw new Refused();
  }

  #put(tx: Transaction, kind: string, id: string): void {
    const { random } = this.#around;
    const text = 'x'.repeat(random() * (random() < 0.1 ? 400 : 40));
    const record = { id, createdAt: 1, updatedAt: 1, tags: {}, text };
    tx.put(this.#store.tableNamed(kind), record as RecordBase);
  }

  /** Lets time go by until a promise ends; true when it was kept. */
  async #ended(promise: Promise<unknown>): Promise<boolean> {
    const { disk, clock } = this.#around;
    let state: 'open' | 'kept' | 'failed' = 'open';
    let failure: unknown;
    promise.then(
      () => {
        state = 'kept';
      },
      (error: unknown) => {
        state = 'failed';
        failure = error;
      },
    );
    for (let turn = 0; turn < 200 && state === 'open'; turn++) {
      await microtasks(20);
      if (state === 'open' && !disk.crashed) clock.advance(turn < 20 ? 0 : 300);
    }
    if ((state as string) === 'failed' && !isSimulated(failure)) throw failure;
    if ((state as string) === 'open' && !disk.crashed) throw new Error('it never ended');
    return (state as string) === 'kept';
  }
}

/** Whether an error is a fault that was planned, or follows from one. */
export function isSimulated(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof SimulatedCrash || /simulated/.test(at.message)) return true;
    if (at instanceof JournalFailed) return true;
  }
  return false;
}

/** A transaction that is taken back. */
class Refused extends Error {
  override readonly name = 'Refused';
}

/** What a transaction may end in, with everything taken back. */
const refusals = [JournalStalled, FrameTooLarge, Refused] as const;

const idsPerKind = 60;

const kinds = ['identity', 'session'].map((kind) =>
  defineKind({
    kind,
    version: 1,
    many: [],
    fields: { text: field(Type.String(), { fallback: '' }) },
  }),
);

/** The journal, with every frame that it took noted in the model. */
function noting(journal: Journal, model: Model): Journal {
  const append = (content: FrameContent) => {
    const lsn = journal.append(content);
    if (lsn !== model.log.length) throw new Error(`LSN ${lsn}, not ${model.log.length}`);
    return model.log.push(content) - 1;
  };
  return new Proxy(journal, {
    get: (target, name) => (name === 'append' ? append : Reflect.get(target, name, target)),
  });
}

async function microtasks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await undefined;
}

// Writes a snapshot's file in a thread of its own, so that neither the main thread nor the log
// writer waits for its disk.

import { Worker } from 'node:worker_threads';
import type { Manifest } from '../home/manifest.ts';
import type { SnapshotOrder } from './new-snapshot.ts';
import type { PackedBlock, PackedCounts } from './snapshot-file.ts';
import type {
  FromSnapshotWorker,
  SnapshotWorkerData,
  ToSnapshotWorker,
} from './snapshot-worker.ts';

/** Blocks on their way to the thread of a snapshot: 2 MiB. @bound */
const blocksUnderWayMax = 32;

/**
 * A snapshot written by a thread that lives as long as it is in the making. Every call rejects with
 * the first error of the disk. On the caller's thread, `SnapshotInMaking` does the same.
 */
export class SnapshotThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #underWay = 0;
  #failure: Error | undefined;
  #kept: Manifest | undefined;
  /** Resumes the caller that waits for room, or for the end. */
  #waiting: (() => void) | undefined;

  constructor(home: string, order: SnapshotOrder, diskModule: string | undefined) {
    const workerData: SnapshotWorkerData = {
      home,
      order,
      diskModule: diskModule ?? new URL('../home/disk.ts', import.meta.url).href,
    };
    this.#worker = new Worker(new URL('./snapshot-worker.ts', import.meta.url), {
      workerData,
      name: 'snapshot-writer',
      // Modules that the main thread preloads (as test tools do) must not run in this thread.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#worker.on('message', (message: FromSnapshotWorker) => this.#hear(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        if (this.#kept === undefined) this.#fail(new Error('the snapshot writer ended'));
        resolve();
      });
    });
  }

  /** Takes a block; resolves when the next one may come. */
  async write(block: PackedBlock): Promise<void> {
    this.#refuseAfterFailure();
    this.#underWay += 1;
    this.#say({ asks: 'write', block }, [block.payload.buffer]);
    while (this.#underWay >= blocksUnderWayMax) await this.#change();
  }

  /** Makes the snapshot durable, verifies it and names it; returns the new manifest. */
  async keep(counts: PackedCounts): Promise<Manifest> {
    this.#refuseAfterFailure();
    this.#say({ asks: 'keep', counts }, []);
    while (this.#kept === undefined) await this.#change();
    await this.#ended;
    return this.#kept;
  }

  /** Gives the snapshot up; resolves when no work on it is left. */
  async abandon(): Promise<void> {
    this.#say({ asks: 'abandon' }, []);
    await this.#ended;
  }

  #say(message: ToSnapshotWorker, transfer: ArrayBuffer[]): void {
    this.#worker.postMessage(message, transfer);
  }

  #hear(message: FromSnapshotWorker): void {
    switch (message.tells) {
      case 'written':
        this.#underWay -= 1;
        break;
      case 'kept':
        this.#kept = message.manifest;
        break;
      case 'failed':
        this.#fail(message.error);
    }
    this.#waiting?.();
  }

  /** Resolves at the next message from the thread. @throws what the thread failed with. */
  async #change(): Promise<void> {
    if (this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    this.#refuseAfterFailure();
  }

  #refuseAfterFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.();
  }
}

// A process that test files share, one after the other.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type FileEnd, readFileEnd } from './file-end.ts';
import { type FileRun, readRun } from './file-run.ts';
import { fileTimeoutMs, killLater, startNode } from './process.ts';

/** When a process that files share is renewed, and how long one file may take. */
export interface SharedBounds {
  /** Modules and tap's records stay in memory; a new process has to compile everything again. */
  readonly filesMax: number;
  readonly heapBytesMax: number;
  readonly timeoutMs: number;
}

const usualBounds: SharedBounds = {
  filesMax: 150,
  heapBytesMax: 700 * 1024 ** 2,
  timeoutMs: fileTimeoutMs,
};

/** Runs test files in a process that is started with the first one and renewed within bounds. */
export class SharedProcess {
  readonly #onLateFailure: (file: string, run: FileRun) => void;
  readonly #bounds: SharedBounds;
  #worker: Worker | undefined;

  /** @param onLateFailure takes the last file of a process that did not end well after it */
  constructor(
    onLateFailure: (file: string, run: FileRun) => void,
    bounds: Partial<SharedBounds> = {},
  ) {
    this.#onLateFailure = onLateFailure;
    this.#bounds = { ...usualBounds, ...bounds };
  }

  /**
   * Runs the file at a path below the root of the project. A file that fails ends the process, so
   * that nothing it leaves behind reaches the next one.
   */
  async run(file: string): Promise<FileRun> {
    this.#worker ??= new Worker();
    const worker = this.#worker;
    const run = await worker.run(file, this.#bounds.timeoutMs);
    const { filesMax, heapBytesMax } = this.#bounds;
    if (!run.isWell) {
      this.#worker = undefined;
      await worker.kill();
    } else if (worker.filesCount >= filesMax || worker.heapBytes >= heapBytesMax) {
      await this.end();
    }
    return run;
  }

  /** Ends the process. */
  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    const failure = await worker?.end();
    if (worker !== undefined && failure !== undefined) {
      this.#onLateFailure(worker.lastFile, failure);
    }
  }
}

const program = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** One process of `worker.ts`. */
class Worker {
  readonly #child: ChildProcess;
  readonly #closed: Promise<string>;
  #lines: string[] = [];
  #onFileEnd: (end: FileEnd) => void = () => {};
  filesCount = 0;
  heapBytes = 0;
  lastFile = '';

  constructor() {
    this.#child = startNode(program, ['ignore', 'pipe', 'pipe', 'ipc']);
    for (const input of [this.#child.stdout, this.#child.stderr]) {
      if (input !== null) createInterface({ input }).on('line', (line) => this.#take(line));
    }
    this.#closed = once(this.#child, 'close').then(([code, signal]) => String(signal ?? code));
  }

  #take(line: string): void {
    const end = readFileEnd(line);
    if (end === undefined) this.#lines.push(line);
    else this.#onFileEnd(end);
  }

  async run(file: string, timeoutMs: number): Promise<FileRun> {
    const startedAtMs = performance.now();
    const fileEnd = new Promise<FileEnd>((resolve) => {
      this.#onFileEnd = resolve;
    });
    this.filesCount += 1;
    this.lastFile = file;
    const deadline = killLater(this.#child, timeoutMs);
    // A process that has died takes no message; its end is seen below.
    this.#child.send(file, () => {});
    const end = await Promise.race([fileEnd, this.#closed]);
    const remark = deadline.remark();
    const isOpen = typeof end !== 'string';
    if (isOpen) this.heapBytes = end.heapBytes;
    return readRun(this.#output(), {
      isOk: isOpen && end.isOk,
      end: isOpen ? '1' : end + remark,
      startedAtMs,
    });
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }

  /** Ends the process; @returns what went wrong after its last file */
  async end(): Promise<FileRun | undefined> {
    const startedAtMs = performance.now();
    this.#child.send('', () => {});
    const end = await this.#closed;
    return end === '0' ? undefined : readRun(this.#output(), { isOk: false, end, startedAtMs });
  }

  #output(): string {
    return this.#lines.splice(0).join('\n');
  }
}

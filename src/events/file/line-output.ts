// A file of lines that is rotated, or standard output. Written off the main thread, with a bound on
// what waits.

import { closeSync, openSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { destination } from 'pino';
import { systemCodeOf } from '../../../snapshots/errors.ts';
import { StartProblem } from '../../errors/errors.ts';

/** Where lines go. */
export interface LineOutput {
  /** Takes a line, without its line break. */
  write(line: Buffer): void;
  /** Resolves when everything that could be written is, or nothing more will be. */
  end(): Promise<void>;
}

/** The target of the lines, its bounds, and callbacks for failures. */
export interface LineOutputOptions {
  /** A path, or `-` for standard output. */
  readonly file: string;
  /** The file is put aside when it has so many bytes. */
  readonly fileBytes: number;
  /** How many of those that were put aside are kept. */
  readonly filesKept: number;
  /** Bytes that may wait to be written. */
  readonly waitingBytesMax: number;
  /** So many lines were dropped, because they could not be written. */
  readonly dropped: (lines: number) => void;
  /** Something could not be written or put aside; lines may be dropped from now on. */
  readonly failed: (error: unknown) => void;
}

/** Opens an output. @throws StartProblem if the file cannot be written */
export function openLineOutput(options: LineOutputOptions): LineOutput {
  return new WrittenLines(options);
}

class WrittenLines implements LineOutput {
  readonly #options: LineOutputOptions;
  readonly #stream: ReturnType<typeof destination>;
  #bytes: number;
  /** While the file is put aside. */
  #rotation: Promise<void> | undefined;
  #isEnding = false;
  /** Nobody reads standard output any more. */
  #isGone = false;

  constructor(options: LineOutputOptions) {
    this.#options = options;
    const { file, waitingBytesMax, dropped } = options;
    this.#bytes = file === standardOutput ? 0 : sizeOf(file);
    const dest = file === standardOutput ? 1 : file;
    const bounds = { sync: false, maxLength: waitingBytesMax };
    this.#stream = destination({ dest, append: true, mode: fileMode, ...bounds });
    // When the process exits, the library calls this and tries for ever while the disk is full.
    this.#stream.flushSync = () => undefined;
    this.#stream.on('error', (error: unknown) => {
      this.#isGone ||= systemCodeOf(error) === 'EPIPE';
      options.failed(error);
    });
    this.#stream.on('drop', () => dropped(1));
    this.#stream.on('write', (bytes: number) => this.#wrote(bytes));
  }

  write(line: Buffer): void {
    if (this.#isGone) this.#options.dropped(1);
    else this.#stream.write(`${line.toString('utf8')}\n`);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    // A stream that has ended cannot be given the next file.
    await this.#rotation;
    if (this.#isGone) return;
    await new Promise<void>((resolve) => {
      this.#stream.once('close', resolve);
      this.#stream.once('error', () => {
        this.#stream.destroy();
        resolve();
      });
      this.#stream.end();
    });
  }

  #wrote(bytes: number): void {
    this.#bytes += bytes;
    const { file, fileBytes } = this.#options;
    if (file === standardOutput || this.#bytes < fileBytes) return;
    if (this.#isEnding || this.#rotation !== undefined) return;
    this.#rotation = this.#rotate().finally(() => {
      this.#rotation = undefined;
    });
  }

  /** `events.log` becomes `events.log.1`, that one `events.log.2`, and so on. */
  async #rotate(): Promise<void> {
    const { file, filesKept, failed } = this.#options;
    try {
      for (let number = filesKept - 1; number > 0; number--) {
        await moved(`${file}.${number}`, `${file}.${number + 1}`);
      }
      if (filesKept > 0) await moved(file, `${file}.1`);
      else await rm(file, { force: true });
      this.#bytes = 0;
      // Lines that are being written still go to the old file.
      this.#stream.reopen();
    } catch (error) {
      failed(error);
    }
  }
}

/** Does nothing where there is no such file. */
async function moved(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
}

/** @throws StartProblem */
function sizeOf(file: string): number {
  try {
    closeSync(openSync(file, 'a', fileMode));
    return statSync(file).size;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartProblem(`The file for events cannot be written: ${reason}.`);
  }
}

/** The name of standard output where a file is expected. */
const standardOutput = '-';

/** Events tell who uses what. */
const fileMode = 0o600;

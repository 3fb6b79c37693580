// A person who types commands: at a terminal of some width, with answers to questions, or in a
// pipe.

import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import type { ProcessContext } from '../../../src/assembly/process-context.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { printableLines } from '../../../src/platform/printable.ts';
import { adminPassword, makeHome, roomOf, type Serving, serve } from '../../system/process.ts';
import { LookingContext } from '../offline/looking.ts';

/** How the person sits there. */
export interface Seat {
  /** Columns of the terminal; undefined for a pipe. */
  readonly columns?: number;
  /** Answers to questions, in turn. */
  readonly answers?: readonly string[];
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** How a command ended. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One person with a home directory of their own. */
export class Person {
  readonly environment: Readonly<Record<string, string>>;
  /** Their home directory. */
  readonly home: string;

  constructor(t: Test, environment: Readonly<Record<string, string>> = {}) {
    this.home = mkdtempSync(join(roomOf(t), 'person-'));
    this.environment = { HOME: this.home, ...environment };
  }

  /** Types a command. */
  async types(words: readonly string[], seat: Seat = {}): Promise<Said> {
    const environment = { ...this.environment, ...seat.environment };
    const context = new PersonContext(environment, seat);
    const code = await runCommandLine(words, context);
    return { code, out: context.stdout, err: context.stderr };
  }
}

class PersonContext extends LookingContext {
  override readonly clock = systemClock;
  override readonly secretInput: ProcessContext['secretInput'];
  override readonly answerInput: ProcessContext['answerInput'];
  readonly #columns: number | undefined;

  constructor(environment: Readonly<Record<string, string>>, seat: Seat) {
    super(nodeDisk, { environment, outIsTerminal: seat.columns !== undefined });
    this.#columns = seat.columns;
    const answers = [...(seat.answers ?? [])];
    const ask = async (question: string) => {
      this.err(question);
      const answer = answers.shift();
      if (answer === undefined) throw new Error('nothing was typed');
      this.err('\n');
      return answer;
    };
    this.secretInput = { isTerminal: seat.answers !== undefined, ask };
    this.answerInput = this.secretInput;
    this.readFile = (path) => (path === '-' ? (seat.input ?? '') : readFileSync(path, 'utf8'));
  }

  override readonly readFile: ProcessContext['readFile'];

  override outColumns(): number | undefined {
    return this.#columns;
  }

  override async sleep(delayMs = 0): Promise<void> {
    await setTimeout(delayMs);
  }

  override out(text: string): void {
    super.out(printableLines(text));
  }

  override err(text: string): void {
    super.err(printableLines(text));
  }
}

/** A controller, and its administrator who names it by its home. */
export async function stage(t: Test, config: object = {}) {
  const serving: Serving = await serve(t, makeHome(t, config));
  const person = new Person(t, { EDGE_HOME: serving.home, EDGE_ADMIN_PASSWORD: adminPassword });
  const run = (...words: string[]) => person.types(words);
  return { serving, person, run };
}

// A person who types commands: at a terminal of some width, with answers to questions, or in a
// pipe.

import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import type { ProcessContext } from '../../../src/assembly/process-context.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import { printCompletions } from '../../../src/commands/network/kinds/completed-words.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { printableLines } from '../../../src/platform/printable.ts';
import { Screen } from '../../../src/platform/screen.ts';
import { adminPassword, makeHome, roomOf, type Serving, serve } from '../../system/process.ts';
import { LookingContext } from '../offline/looking.ts';

/** How the person sits there. */
export interface Seat {
  /** Columns of the terminal; undefined for a pipe. */
  readonly columns?: number;
  /** Answers to questions, in turn. */
  readonly answers?: readonly string[];
  readonly input?: string;
  /** In place of waits, which otherwise last. */
  readonly wait?: (delayMs: number) => Promise<void>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where the person types; `/` by default. */
  readonly directory?: string;
  /** Sees what standard error shows, while the command runs. */
  readonly watches?: (text: string) => void;
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
    return await this.begins(words, seat).ended;
  }

  /** Types a command that goes on, or that is looked at while it runs. */
  begins(words: readonly string[], seat: Seat = {}): Begun {
    const environment = { ...this.environment, ...seat.environment };
    const context = new PersonContext(environment, seat);
    const ended = runCommandLine(words, context).then((code) => {
      const said = { code, out: context.stdout, err: context.stderr };
      context.end();
      return said;
    });
    return { context, ended };
  }
}

/** A command under way. */
export interface Begun {
  /** `signal()` interrupts it. */
  readonly context: PersonContext;
  readonly ended: Promise<Said>;
}

/** What completion offers for the last of some words, as `edge-control __complete` prints it. */
export async function completed(
  { environment }: Person,
  words: readonly string[],
  seat: Seat = {},
  waitMsMax = 60_000,
): Promise<string[]> {
  const context = new PersonContext({ ...environment, ...seat.environment }, seat);
  const code = await printCompletions(words, context, waitMsMax);
  if (code !== 0 || context.stderr !== '') throw new Error(`${code} ${context.stderr}`);
  return context.stdout.split('\n').slice(0, -1);
}

/** The process of the command. */
export class PersonContext extends LookingContext {
  override readonly clock = systemClock;
  override readonly secretInput: ProcessContext['secretInput'];
  override readonly answerInput: ProcessContext['answerInput'];
  override readonly screen: Screen;
  override readonly directory: string;
  /** Whether keys come one by one, without echo. */
  isRaw = false;
  /** Types at the screen. */
  press: (keys: string) => void = () => undefined;
  readonly #seat: Seat;
  readonly #lookers = new Set<() => void>();
  #isOver = false;

  constructor(environment: Readonly<Record<string, string>>, seat: Seat) {
    super(nodeDisk, { environment, outIsTerminal: seat.columns !== undefined });
    this.#seat = seat;
    this.directory = seat.directory ?? '/';
    this.screen = this.#screen(environment['TERM']);
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

  /** Of a terminal as wide as the seat says. */
  #screen(terminal: string | undefined): Screen {
    const isTTY = this.#seat.columns !== undefined;
    const nothing = () => undefined;
    return new Screen({
      write: (text) => {
        this.stdout += text;
        this.#look();
      },
      open: () => ({
        isTTY,
        setRawMode: (isRaw) => (this.isRaw = isRaw),
        setEncoding: nothing,
        on: (_event, take) => (this.press = take),
        off: nothing,
        resume: nothing,
        pause: nothing,
      }),
      rows: nothing,
      canReplace: isTTY && terminal !== 'dumb',
    });
  }

  override readonly readFile: ProcessContext['readFile'];

  override outColumns(): number | undefined {
    return this.#seat.columns;
  }

  override async sleep(delayMs = 0): Promise<void> {
    await (this.#seat.wait ?? setTimeout)(delayMs);
  }

  override out(text: string): void {
    super.out(printableLines(text));
    this.#look();
  }

  override err(text: string): void {
    super.err(printableLines(text));
    this.#seat.watches?.(text);
    this.#look();
  }

  /** Resolves once the command has said this. @throws Error if it ends before */
  async says(part: string | RegExp, where: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => {
      const text = this[where];
      if (typeof part === 'string' ? text.includes(part) : part.test(text)) resolve();
      else if (this.#isOver) reject(new Error(`it ended before it said ${part}: ${text}`));
    };
    this.#lookers.add(look);
    look();
    await promise.finally(() => this.#lookers.delete(look));
  }

  /** The command has ended. */
  end(): void {
    this.#isOver = true;
    this.#look();
  }

  #look(): void {
    for (const look of this.#lookers) look();
  }
}

/** A person whose current context, `ctrl`, has a session with this token, or none. */
export function personWith(t: Test, { url, ca }: Serving, token: string | undefined): Person {
  const person = new Person(t);
  const write = (path: string, content: object) => {
    const file = join(person.home, path, 'edge-control');
    mkdirSync(file, { recursive: true, mode: 0o700 });
    const name = path === '.config' ? 'contexts.json' : 'sessions.json';
    writeFileSync(join(file, name), JSON.stringify({ version: 1, ...content }), { mode: 0o600 });
  };
  const context = { urls: [url], ca, method: { by: 'password', username: 'somebody' } };
  write('.config', { current: 'ctrl', contexts: { ctrl: context } });
  const endsAt = '2999-01-01T00:00:00.000Z';
  const sessions = token === undefined ? {} : { 'context:ctrl': { token, endsAt } };
  write('.local/state', { sessions });
  return person;
}

/** A controller, and its administrator who names it by its home. */
export async function stage(t: Test, config: object = {}) {
  const serving: Serving = await serve(t, makeHome(t, config));
  const person = new Person(t, { EDGE_HOME: serving.home, EDGE_ADMIN_PASSWORD: adminPassword });
  const run = (...words: string[]) => person.types(words);
  return { serving, person, run };
}

/** A person on a machine of their own, who is logged in with one permission alone. */
export async function readerOf(
  t: Test,
  { serving, person, run }: Awaited<ReturnType<typeof stage>>,
  permission: string,
): Promise<Person> {
  const name = `reader of ${permission}`;
  const answers = ['readers-read-secrets'];
  const done = (said: Said) => {
    if (said.code !== 0) throw new Error(said.err);
  };
  done(await run('create', 'identity', name, '--permissions', permission));
  done(await person.types(['password', name], { answers }));
  const reader = new Person(t);
  const ca = `${serving.home}/pki/ca.pem`;
  const login = ['login', serving.url, '--user', name, '--ca', ca];
  done(await reader.types(login, { answers }));
  return reader;
}

/** The words of a line as a shell splits them. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, one?: string, other?: string) => one ?? other ?? '',
    ),
  );
}

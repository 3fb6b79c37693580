// The tours of README.md and docs/api-tour.md as data, and a shell that walks through them line by
// line.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

/** One box of shell lines, and what the box of answers behind it promises. */
export interface TourStep {
  readonly lines: readonly string[];
  /** Texts that must stand in the output, in this order; empty where nothing is promised. */
  readonly promised: readonly string[];
}

/** The line that belongs into a terminal of its own. */
export const startLine = 'npm start';

/** Stands in boxes of answers for whatever is left out. */
const leftOut = '…';

/**
 * The boxes of the tour of a page: below the heading `A five-minute tour`, or all of a page that
 * has the title `A tour of the API`.
 * @throws when there is no tour or a box of another language
 */
export function readTour(page: string): TourStep[] {
  const tour =
    /^# A tour of the API\n(.*)/ms.exec(page)?.[1] ??
    /^## A five-minute tour\n(.*?)^## /ms.exec(page)?.[1];
  if (tour === undefined) throw new Error('there is no tour on the page');
  const steps: TourStep[] = [];
  for (const [, language, content = ''] of tour.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    const lines = content.trimEnd().split('\n');
    const last = steps.at(-1);
    if (language === 'sh') steps.push({ lines, promised: [] });
    else if (language !== 'text' || last === undefined) throw new Error(`a box of ${language}`);
    else steps[steps.length - 1] = { ...last, promised: textsOf(lines) };
  }
  return steps;
}

/** What a comment behind a line promises to be in its output; undefined where there is none. */
export function promiseOf(line: string): string | undefined {
  return / # (.*)$/.exec(line)?.[1];
}

/**
 * The tour with other values for `home` and `url`, which its first lines set: what lets it run
 * beside a controller of the reader's own. @throws when a line that sets one is not there once.
 */
export function substituted(
  steps: readonly TourStep[],
  values: Readonly<Record<'home' | 'url', string>>,
): TourStep[] {
  const replaced = new Map<string, number>();
  const changed = steps.map(({ lines, promised }) => ({
    promised,
    lines: lines.map((line) => {
      const name = /^(home|url)=/.exec(line)?.[1] as 'home' | 'url' | undefined;
      if (name === undefined) return line;
      replaced.set(name, (replaced.get(name) ?? 0) + 1);
      return `${name}='${values[name]}'`;
    }),
  }));
  for (const name of Object.keys(values)) {
    if (replaced.get(name) !== 1) throw new Error(`the tour does not set ${name} once`);
  }
  return changed;
}

/** What of the promise is missing from `output`; undefined when all of it is there in order. */
export function missingFrom(output: string, promised: readonly string[]): string | undefined {
  let at = 0;
  for (const text of promised) {
    const found = output.indexOf(text, at);
    if (found < 0) return text;
    at = found + text.length;
  }
  return undefined;
}

/** What a line said on both of its streams, and how it ended. */
export interface Said {
  readonly output: string;
  readonly status: number;
}

/** A bash that is handed one line at a time, as by somebody who pastes. */
export class Shell {
  readonly #bash: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<never>;
  #output = '';
  #heard: () => void = () => undefined;
  #lines = 0;

  constructor(directory: string) {
    const { PATH, HOME } = process.env;
    // A process group, with whatever runs behind the shell.
    this.#bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd: directory,
      env: { PATH, HOME },
      detached: true,
    });
    this.#ended = new Promise((_, reject) => {
      this.#bash.on('exit', () => reject(new Error(`the shell ended:\n${this.#output}`)));
    });
    this.#ended.catch(() => undefined);
    // One stream, so that both are in the order they were written.
    this.#bash.stdin.write('exec 2>&1\n');
    this.#bash.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#heard();
    });
  }

  /** What the line that runs has said so far. */
  get output(): string {
    return this.#output;
  }

  /** Runs one line to its end. */
  async run(line: string): Promise<Said> {
    this.#lines += 1;
    const mark = `<end of line ${this.#lines}>`;
    this.#bash.stdin.write(`${line}\nprintf '%s%s\\n' '${mark}' "$?"\n`);
    const end = new RegExp(`${mark}(\\d+)\n`);
    const heard = new Promise<Said>((resolve) => {
      this.#heard = () => {
        const match = end.exec(this.#output);
        if (match === null) return;
        const output = this.#output.slice(0, match.index);
        this.#output = '';
        resolve({ output, status: Number(match[1]) });
      };
    });
    return await Promise.race([heard, this.#ended]);
  }

  /** Ends the shell, and all that runs behind it. */
  end(): void {
    const { pid } = this.#bash;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // They have ended.
    }
  }
}

function textsOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(leftOut)).filter((text) => text !== '');
}

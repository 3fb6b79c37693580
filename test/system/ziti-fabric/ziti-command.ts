// The stock command line `ziti`, logged in to one controller.

import { join } from 'node:path';
import type { Endings } from '../endings.ts';
import { RunningProgram } from '../overlay/program.ts';
import { adminPassword, type Serving } from '../process.ts';

/** What a command said, and how it ended. */
export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  /** Both outputs. */
  readonly text: string;
}

/** A row of a list in JSON. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs commands one after the other; what it keeps of a login is in a directory of its own. */
export class ZitiCommand {
  readonly #endings: Endings;
  readonly #binary: string;
  readonly #home: string;

  constructor(endings: Endings, binary: string, home: string) {
    this.#endings = endings;
    this.#binary = binary;
    this.#home = home;
  }

  /** Starts a command, which may go on. */
  start(words: readonly string[]): RunningProgram {
    return new RunningProgram(this.#endings, [this.#binary, ...words], undefined, this.#home);
  }

  /** Runs a command to its end. */
  async run(...words: readonly string[]): Promise<Said> {
    const program = this.start(words);
    program.child.stdin?.end();
    await program.ended;
    const { stdout, log } = program;
    return { code: program.child.exitCode, stdout, text: stdout + log };
  }

  /** Runs a command that must succeed. @throws with what it said */
  async must(...words: readonly string[]): Promise<Said> {
    const said = await this.run(...words);
    if (said.code !== 0) throw new Error(`ziti ${words.join(' ')}: ${said.code}\n${said.text}`);
    return said;
  }

  /** Runs a command that must fail with code 1, and say this. @throws when it does not */
  async mustFail(wanted: RegExp, ...words: readonly string[]): Promise<void> {
    const { code, text } = await this.run(...words);
    if (code === 1 && wanted.test(text)) return;
    throw new Error(`ziti ${words.join(' ')} ended with ${code}, not 1 with ${wanted}:\n${text}`);
  }

  /** Logs in as the administrator. */
  async logIn({ url, home }: Serving): Promise<void> {
    const trust = ['--ca', join(home, 'pki/ca.pem'), '-y'];
    await this.must('edge', 'login', url, '-u', 'admin', '-p', adminPassword, ...trust);
  }

  /** The rows that `ziti fabric list` finds, as JSON. */
  async rows(kind: string, filter = 'true'): Promise<readonly Row[]> {
    const { stdout } = await this.must('fabric', 'list', kind, filter, '-j');
    const { data } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { readonly data: Row[] };
    return data;
  }

  /** The one row that matches the filter. @throws when there are none or more */
  async row(kind: string, filter: string): Promise<Row> {
    const rows = await this.rows(kind, filter);
    const [row] = rows;
    if (row === undefined || rows.length > 1) {
      throw new Error(`${rows.length} ${kind} match ${filter}`);
    }
    return row;
  }
}

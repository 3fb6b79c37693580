// `npm start` as somebody types it, for the tours.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Test } from 'tap';

/** The root of the project, where the tours are walked. */
export const root = join(import.meta.dirname, '../..');

/** `npm start` in a terminal of its own. */
export class Npm {
  readonly ready: Promise<void>;
  readonly ended: Promise<unknown>;
  /** All it said, on both of its streams. */
  output = '';
  readonly #child: ChildProcess;

  constructor(t: Test, flags: readonly string[]) {
    const { PATH, HOME } = process.env;
    const quiet = { npm_config_update_notifier: 'false', npm_config_logs_max: '0' };
    // A process group: npm does not pass SIGKILL on.
    this.#child = spawn('npm', ['start', '--', ...flags], {
      cwd: root,
      env: { PATH, HOME, ...quiet },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.ended = once(this.#child, 'close');
    this.ready = new Promise((resolve, reject) => {
      const hear = (text: string) => {
        this.output += text;
        if (/^ready https:/m.test(this.output)) resolve();
      };
      this.#child.stdout?.setEncoding('utf8').on('data', hear);
      this.#child.stderr?.setEncoding('utf8').on('data', hear);
      void this.ended.then(() => reject(new Error(`npm start ended:\n${this.output}`)));
    });
    this.ready.catch(() => undefined);
    t.teardown(async () => {
      this.#kill();
      await this.ended;
    });
  }

  /** As Ctrl-C of a terminal, which reaches every process. @returns the exit code of npm */
  async interrupt(): Promise<number | null> {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGINT');
    await this.ended;
    return this.exitCode;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  #kill(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** Why the tour cannot be walked here; false when it can. */
export function withoutTools(): string | false {
  for (const tool of ['bash', 'curl', 'npm']) {
    try {
      execFileSync(tool, ['--version'], { stdio: 'ignore' });
    } catch {
      return `there is no ${tool} here`;
    }
  }
  return false;
}

// A program as a process that keeps what it says, killed at the end.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Endings } from '../endings.ts';
import type { Program } from '../process.ts';

/** A running program, e.g. a router. */
export class RunningProgram {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** All it said on its standard error. */
  log = '';
  stdout = '';

  /** @param home the home directory that it finds in its environment; ours when absent */
  constructor(
    endings: Endings,
    [file, ...words]: Program,
    input?: string,
    home = process.env['HOME'],
  ) {
    this.child = spawn(file, words, {
      env: { PATH: process.env['PATH'], HOME: home },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin?.on('error', () => undefined);
    if (input !== undefined) this.child.stdin?.write(input);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log += text;
    });
    this.ended = once(this.child, 'close');
    endings.teardown(() => this.kill());
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** SIGKILL, and waits until nothing of it is left. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

// Runs a command of the controller in this process, with the machine that `src/main.ts` would hand
// to it. A process of its own takes most of a second of CPU time to load what this one has loaded
// already. What belongs to a process is tested by `runToEnd`: its streams, its signals and its end.

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import type { ProcessContext } from '../../src/assembly/process-context.ts';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { createLog } from '../../src/observe/logs.ts';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';
import { printable, printableLines } from '../../src/platform/printable.ts';
import { readFileBytes, readTextFile } from '../../src/platform/text-file.ts';
import { standardInput } from '../../src/settings/setting-type.ts';
import { noScreen } from '../simulated/no-screen.ts';
import { adminPassword, type Ended } from './process.ts';

/** As `runToEnd`, without a process: nothing but what is given reaches the command. */
export async function runHere(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  input = '',
): Promise<Ended> {
  const context = new HereContext(environment, input);
  const code = await runCommandLine(words, context);
  const { stdout, stderr } = context;
  return { code, signal: null, stdout, stderr };
}

/** As `startProcess`, for a start that is refused, and without a process. */
export async function refusedHere(home: string, flags: readonly string[] = []): Promise<Ended> {
  const words = ['run', '--home', home, '--listen', '127.0.0.1:0', ...flags];
  return await runHere(words, { EDGE_ADMIN_PASSWORD: adminPassword });
}

/** A process without a terminal that nobody signals. */
class HereContext implements ProcessContext {
  readonly screen: ProcessContext['screen'] = noScreen();
  readonly environment: NodeJS.ProcessEnv;
  readonly directory = process.cwd();
  readonly cores = availableParallelism();
  readonly terminal = false;
  readonly outIsTerminal = false;
  readonly clock = systemClock;
  readonly random = systemRandom;
  readonly disk = nodeDisk;
  readonly readBytes = readFileBytes;
  readonly secretInput: ProcessContext['secretInput'];
  readonly answerInput: ProcessContext['answerInput'];
  readonly #input: string;
  stdout = '';
  stderr = '';

  constructor(environment: NodeJS.ProcessEnv, input: string) {
    this.environment = environment;
    this.#input = input;
    this.secretInput = { isTerminal: false, ask: async () => input.trimEnd() };
    this.answerInput = this.secretInput;
  }

  readonly readFile: ProcessContext['readFile'] = (path, bounds) =>
    path === standardInput ? this.#input : readTextFile(path, bounds);

  readonly openLog: ProcessContext['openLog'] = (level) => {
    const write = (line: string) => {
      this.stderr += line;
    };
    return createLog({ level, clock: systemClock, readable: false, write });
  };

  readonly loadController = () => import('../../src/assembly/controller.ts');

  writeSecret(path: string, text: string): void {
    writeFileSync(path, text, { mode: 0o600, flush: true });
  }
  out(text: string): void {
    this.stdout += printableLines(text);
  }
  err(text: string): void {
    this.stderr += printableLines(text);
  }
  overwrite(text: string): void {
    this.stderr += `\r${printable(text)}`;
  }
  outColumns(): number | undefined {
    return undefined;
  }
  async drained(): Promise<void> {}
  outIsClosed(): boolean {
    return false;
  }
  async sleep(delayMs: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
  onSignal(): void {}
  onHangUp(): void {}
  onUserSignal(): void {}
  terminate(pid: number): void {
    process.kill(pid, 'SIGTERM');
  }
  abort(exitCode: number): void {
    throw new Error(`the process would have ended with exit code ${exitCode}`);
  }
}

// A controller as a process of its own, on a home of its own: started, watched, stopped, killed.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';

const root = join(import.meta.dirname, '../..');
const node = join(root, 'node_modules/.bin/node');
/**
 * What starts a controller: the sources, or the file that `EDGE_TEST_ENTRY` names below the root.
 * `test/run.ts` names the built one, which starts with less than half the CPU time.
 */
export const controllerEntry = join(root, process.env['EDGE_TEST_ENTRY'] ?? 'src/main.ts');

/** The command line of the controller. */
export const controller = [node, '--disable-warning=ExperimentalWarning', controllerEntry] as const;

/** What a process runs, and the first of its words. */
export type Program = readonly [file: string, ...words: string[]];

/** Compiled code of earlier runs, which saves each start a third of its time. */
const compileCache = join(root, '.tap/compile-cache');

/** How a process ended, with all it said. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The password of the administrator in every home of these tests. */
export const adminPassword = 'system-tests-keep-secrets';

/** Hashes that cost next to nothing: what is tested is not Argon2. */
export const cheapHashes = { memoryKib: 8, timeCost: 1, parallelism: 1 } as const;

/** A directory that goes with `t`: made by the first who asks. */
export function roomOf(t: Test): string {
  return existsSync(t.testdirName) ? t.testdirName : t.testdir({});
}

/** A home with a configuration file, for `startProcess`. @returns its path */
export function makeHome(t: Test, config: object = {}): string {
  const home = mkdtempSync(join(roomOf(t), 'home-'));
  const text = JSON.stringify({ argon2: cheapHashes, tlsWorkers: 1, ...config });
  writeFileSync(join(home, 'config.json'), text, { mode: 0o600 });
  return home;
}

/** One run of `edge-control`. */
export class Process {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  /**
   * Starts it; it is killed at the end of `t` when it still runs then.
   * @param input its standard input, which is empty without it
   */
  constructor(
    t: Pick<Test, 'teardown'>,
    args: readonly string[],
    environment: NodeJS.ProcessEnv,
    [file, ...words]: Program = controller,
    input?: string,
  ) {
    this.child = spawn(file, [...words, ...args], {
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...environment },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    this.child.stdin?.end(input);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
    t.teardown(() => this.kill());
  }

  /** Sends a signal; one that comes too late is no error. */
  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** SIGKILL, when it still runs, and waits until nothing of it is left. */
  async kill(): Promise<Ended> {
    this.signal('SIGKILL');
    return await this.ended;
  }

  /** SIGTERM, and waits for the end. */
  async stop(): Promise<Ended> {
    this.signal('SIGTERM');
    return await this.ended;
  }

  /** Resolves as soon as `stream` has said `part`. @throws when the process ends before. */
  async says(stream: 'stdout' | 'stderr', part: string): Promise<void> {
    const source = this.child[stream];
    if (source === null) throw new Error(`${stream} is no pipe`);
    const seen = new Promise<void>((resolve) => {
      const look = () => {
        if (!this[stream].includes(part)) return;
        source.off('data', look);
        resolve();
      };
      source.on('data', look);
      look();
    });
    const gone = this.ended.then(({ code, signal, stderr }) => {
      throw new Error(`ended with ${signal ?? code} before it said ${part}:\n${stderr}`);
    });
    await Promise.race([seen, gone]);
  }
}

/** A controller that serves. */
export interface Serving {
  readonly process: Process;
  readonly home: string;
  /** `https://127.0.0.1:PORT`: the address that was listened on, whatever is advertised. */
  readonly url: string;
  readonly port: number;
  /** What `ready` said. */
  readonly readyUrl: string;
  /** PEM of the CA file in the home. */
  readonly ca: string;
}

/** Starts a controller on `home`, which has a configuration file or not, without waiting. */
export function startProcess(
  t: Pick<Test, 'teardown'>,
  home: string,
  flags: readonly string[] = [],
  program: Program = controller,
): Process {
  const args = ['run', '--home', home, '--listen', '127.0.0.1:0', ...flags];
  return new Process(t, args, { EDGE_ADMIN_PASSWORD: adminPassword }, program);
}

/** Starts a controller on `home` and waits until it serves. */
export async function serve(
  t: Pick<Test, 'teardown'>,
  home: string,
  flags: readonly string[] = [],
): Promise<Serving> {
  return await whenReady(startProcess(t, home, flags), home);
}

/** Waits until a process that was started serves. @throws with its log when it ends instead. */
export async function whenReady(started: Process, home: string): Promise<Serving> {
  await started.says('stdout', '\n');
  const readyUrl = /^ready (https:\/\/\S+)\n$/.exec(started.stdout)?.[1];
  if (readyUrl === undefined) throw new Error(`not ready: ${started.stdout}`);
  const port = Number(new URL(readyUrl).port);
  const ca = readFileSync(join(home, 'pki/ca.pem'), 'utf8');
  return { process: started, home, url: `https://127.0.0.1:${port}`, port, readyUrl, ca };
}

/** Runs `edge-control` with these words to its end. */
export async function runToEnd(
  t: Pick<Test, 'teardown'>,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  input?: string,
): Promise<Ended> {
  return await new Process(t, args, environment, controller, input).ended;
}

/** A line of the log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** The lines of a log, which are all JSON. @throws for one that is not. */
export function logLines(stderr: string): LogLine[] {
  return stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
}

/** The lines of a log that are whole so far, and have this message. */
export function linesWith({ stderr }: Process, message: string): LogLine[] {
  const whole = stderr.slice(0, stderr.lastIndexOf('\n'));
  return logLines(whole).filter((line) => line['message'] === message);
}

/** Waits for the line with this message. */
async function lineSaying(process: Process, message: string): Promise<LogLine> {
  await process.says('stderr', `"message":"${message}"}\n`);
  const [line] = linesWith(process, message);
  if (line === undefined) throw new Error(`no line says ${message}`);
  return line;
}

/** What a start says of the home it found. */
export async function recoveryOf(process: Process): Promise<LogLine> {
  return await lineSaying(process, 'the home is open');
}

/** `https://HOST:PORT` of the direct listener. */
export async function directUrlOf(process: Process): Promise<string> {
  return String((await lineSaying(process, 'the direct listener serves'))['url']);
}

/** `http://HOST:PORT` of the metrics listener. */
export async function metricsUrlOf(process: Process): Promise<string> {
  return String((await lineSaying(process, 'metrics are served'))['url']);
}

// Starts the controller as a real process on a home, waits until it serves, and stops it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { builtMain } from '../../.ci/build.ts';
import { freePort } from '../../test/system/free-ports.ts';
import type { Target } from '../target.ts';

/** The administrator of every home of the bench. */
export const administrator = { username: 'admin', password: 'bench-password' } as const;

/** How a controller is started. */
export interface StartOptions {
  readonly home: string;
  /** The file of its log. A pipe would slow it down whenever the bench reads slowly. */
  readonly logFile: string;
  /** Whether it opens a direct listener too. */
  readonly direct: boolean;
  /** Flags for Node. */
  readonly nodeFlags?: readonly string[];
  /** The checkout that it is started from; this one if absent. */
  readonly root?: string | undefined;
  /** The file of its CAs, below the home; that of a new home if absent. */
  readonly caName?: string;
  /** A home with an address of its own is served there; any free port if absent. */
  readonly port?: number;
}

/** A running controller that was started here. */
export interface ControllerProcess extends Target {
  readonly pid: number;
  /** Port of the direct listener; 0 if there is none. */
  readonly directPort: number;
  readonly caFile: string;
  readonly home: string;
  readonly logFile: string;
  /** From the start of the process to the first answer of `version`, in ms. */
  readonly startMs: number;
  /** Ends it by SIGTERM and waits. @throws Error if its exit code is not 0. */
  stop(): Promise<void>;
  /** Ends it by SIGKILL and waits. */
  kill(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The Node release of this checkout, which runs everything that is measured. */
export const nodePath = nodeOf(root);

const startTimeoutMs = 120_000;

/** Starts a controller and waits until `version` answers. @throws Error with the end of its log. */
export async function startController(options: StartOptions): Promise<ControllerProcess> {
  const { home, logFile, direct, root: checkout = root, caName = 'pki/ca.pem' } = options;
  const directPort = direct ? await freePort() : 0;
  const log = openSync(logFile, 'a');
  const startedAt = performance.now();
  const child = spawn(nodeOf(checkout), commandOf(options, directPort), {
    cwd: checkout,
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  // If the bench itself fails, the processes that it started must end.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  void ended.then(() => process.off('exit', kill));
  try {
    const url = new URL(await readyLine(child));
    const caFile = join(home, caName);
    const port = Number(url.port);
    await versionAnswers(port, caFile);
    return {
      pid: child.pid ?? 0,
      host: '127.0.0.1',
      port,
      directPort,
      serverName: 'localhost',
      administrator,
      caFile,
      home,
      logFile,
      startMs: performance.now() - startedAt,
      stop: () => stop(child, ended, logFile),
      kill: async () => {
        kill();
        await ended;
      },
    };
  } catch (error) {
    kill();
    throw new Error(`the controller did not start: ${error}\n${endOf(logFile)}`);
  }
}

function nodeOf(checkout: string): string {
  return join(checkout, 'node_modules/.bin/node');
}

function commandOf(options: StartOptions, directPort: number): string[] {
  const { home, nodeFlags = [], root: checkout = root, port = 0 } = options;
  // Old revisions without a build run from their sources.
  const main = existsSync(join(checkout, builtMain)) ? builtMain : 'src/main.ts';
  const quiet = '--disable-warning=ExperimentalWarning';
  // As `bin/edge-control` starts it; older revisions have no such file.
  const settings = join(checkout, 'bin/openssl.cnf');
  const openssl = existsSync(settings) ? [`--openssl-config=${settings}`] : [];
  const words = [
    ...nodeFlags,
    ...openssl,
    quiet,
    main,
    'run',
    '--home',
    home,
    '--listen',
    `127.0.0.1:${port}`,
  ];
  words.push('--admin-user', administrator.username, '--admin-password', administrator.password);
  if (directPort > 0) words.push('--direct-listen', `127.0.0.1:${directPort}`);
  return words;
}

async function readyLine(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('no standard output');
  const timer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  try {
    for await (const line of createInterface(stdout)) {
      if (!line.startsWith('ready ')) continue;
      stdout.resume();
      return line.slice('ready '.length);
    }
    throw new Error('it ended before it was ready');
  } finally {
    clearTimeout(timer);
  }
}

function versionAnswers(port: number, caFile: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path: '/edge/client/v1/version',
        ca: readFileSync(caFile),
        agent: false,
      },
      (answer) => {
        answer.resume();
        if (answer.statusCode === 200) answer.once('end', resolve);
        else reject(new Error(`version answers ${answer.statusCode}`));
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}

async function stop(
  child: ChildProcess,
  ended: Promise<[number | null]>,
  logFile: string,
): Promise<void> {
  child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`the controller ended with ${code}\n${endOf(logFile)}`);
}

function endOf(logFile: string): string {
  return readFileSync(logFile, 'utf8').slice(-2000);
}

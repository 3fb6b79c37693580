// The process: hands the real machine to the command line and ends with its exit code.

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isatty } from 'node:tty';
import { nodeDisk } from '../snapshots/home/disk.ts';
import type { ProcessContext } from './assembly/process-context.ts';
import { planHashing } from './auth/passwords/shared-hasher.ts';
import { exitCodes } from './commands/exit-codes.ts';
import { createLog, type LogLevel, type OpenLog } from './observe/logs.ts';
import { systemClock, systemRandom } from './platform/clock-and-random.ts';
import { printable, printableLines } from './platform/printable.ts';
import { Screen } from './platform/screen.ts';
import { answerInput, secretInput } from './platform/terminal.ts';
import { readFileBytes, readTextFile } from './platform/text-file.ts';
import { standardInput } from './settings/setting-type.ts';

const cores = availableParallelism();

// libuv reads it when its pool is first used, which no import does. Password hashes fill their
// share of the pool; signatures of JWTs, certificates and log lines must not wait for them, so a
// smaller value in the environment is ignored.
const { UV_THREADPOOL_SIZE: askedThreads } = process.env;
const threads = Math.max(4, planHashing(cores).poolThreads, Number(askedThreads) || 0);
process.env['UV_THREADPOOL_SIZE'] = String(threads);

const terminal = process.stderr.isTTY === true;

/** Opens the log, which also receives errors that were not caught. */
function openLog(level: LogLevel): OpenLog {
  const open = createLog({ level, clock: systemClock, readable: terminal });
  process.on('uncaughtException', (err) => {
    open.log.fatal({ err }, 'an unhandled error');
    open.flush();
    process.exit(exitCodes.failed);
  });
  return open;
}

/** Its descriptor. @throws Error for a terminal, which would show what is typed. */
function standardInputUnseen(): number {
  if (isatty(0)) throw new Error('standard input is a terminal, which would show the password');
  return 0;
}

/** ECMA-48: erase to the end of the line. */
const clearRest = '\x1b[K';

/** What a person is asked at a terminal stands apart from the output. */
const typing = [
  isatty(0),
  () => process.stdin,
  (text: string) => void process.stderr.write(text),
] as const;

let outIsClosed = false;

const { TERM: terminalName } = process.env;
const screen = new Screen({
  write: (text) => void process.stdout.write(text),
  open: () => process.stdin,
  rows: () => process.stdout.rows,
  canReplace: process.stdout.isTTY === true && terminalName !== 'dumb',
});
// Whatever ends the process, the terminal is as before.
process.on('exit', () => screen.end());

const context: ProcessContext = {
  environment: process.env,
  directory: process.cwd(),
  cores,
  terminal,
  outIsTerminal: process.stdout.isTTY === true,
  outColumns: () => process.stdout.columns,
  screen,
  clock: systemClock,
  random: systemRandom,
  disk: nodeDisk,
  secretInput: secretInput(...typing),
  answerInput: answerInput(...typing),
  readFile: (path, bounds) =>
    readTextFile(path === standardInput ? standardInputUnseen() : path, bounds),
  readBytes: readFileBytes,
  writeSecret: (path, text) => writeFileSync(path, text, { mode: 0o600, flush: true }),
  out: (text) => void process.stdout.write(printableLines(text)),
  err: (text) => void process.stderr.write(printableLines(text)),
  overwrite: (text) => void process.stderr.write(`\r${printable(text)}${clearRest}`),
  drained: () => new Promise((resolve) => process.stdout.write('', () => resolve())),
  outIsClosed: () => outIsClosed,
  sleep: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
  openLog,
  onSignal: (handler) => {
    process.on('SIGTERM', handler);
    process.on('SIGINT', handler);
  },
  onHangUp: (handler) => void process.on('SIGHUP', handler),
  onUserSignal: (handler) => void process.on('SIGUSR2', handler),
  terminate: (pid) => void process.kill(pid, 'SIGTERM'),
  abort: (exitCode) => process.exit(exitCode),
  // Loaded only when needed: `version` and `--help` work without it.
  loadController: () => import('./assembly/controller.ts'),
};

// The parent process may stop reading standard output; the controller continues then.
process.stdout.on('error', () => {
  outIsClosed = true;
});
process.stderr.on('error', () => undefined);

const [first, ...others] = process.argv.slice(2);

/** A key was pressed for each completion, so it loads neither the commands nor their flags. */
async function complete(): Promise<number> {
  const { printCompletions } = await import('./commands/network/kinds/completed-words.ts');
  return await printCompletions(others, context);
}

async function run(): Promise<number> {
  const { runCommandLine } = await import('./commands/command-line.ts');
  return await runCommandLine(process.argv.slice(2), context);
}

process.exit(await (first === '__complete' ? complete() : run()));

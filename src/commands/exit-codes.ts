// Exit codes of the commands, and what each command means by them.

import { systemCodeOf } from '../../snapshots/errors.ts';
import { StreamMisconfigured, StreamUnreachable } from '../cluster/stream.ts';

/** Exit codes of every command. */
export const exitCodes = {
  stopped: 0,
  failed: 1,
  notStarted: 2,
  nodeEnded: 3,
  pending: 3,
  notRunning: 3,
  /** Something of a network cannot be taken over, and nothing was written. */
  leftBehind: 3,
  /** A question is answered by no. */
  answerIsNo: 3,
  /** Nothing, or more than one entity, has a name. */
  notFound: 4,
  /** Nobody is logged in, a second factor is missing, or the caller lacks a right. */
  notAllowed: 5,
  /** No whole answer came, or another controller gave it. */
  unreachable: 6,
  /** EX_TEMPFAIL of sysexits.h: the same command may succeed later. */
  notYetStarted: 75,
  /** Ctrl-C ended a command that goes on until then: 128 and the number of SIGINT. */
  interrupted: 130,
} as const;

/**
 * The code for an error that kept a command from starting. Causes that end by themselves have one
 * of their own, so that a supervisor tries again then, and only then.
 */
export function refusalCode(thrown: unknown): number {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof StreamMisconfigured) break;
    if (error instanceof StreamUnreachable) return exitCodes.notYetStarted;
    if (passingCodes.has(systemCodeOf(error))) return exitCodes.notYetStarted;
  }
  return exitCodes.notStarted;
}

/** Errors of the system that end without a change of the settings: a full disk, a port in use. */
const passingCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EADDRINUSE']);

type Meanings = Readonly<Partial<Record<0 | 1 | 3, string>>>;

const homeIsWrong = { 1: 'something is wrong with the home' };

/** By command, where it differs from `usual`. */
const meanings: Readonly<Record<string, Meanings>> = {
  run: {
    0: 'stopped cleanly by SIGTERM or SIGINT',
    1: 'failed while running, or a second signal came before the stop was done',
    3: 'as a node of a cluster it has to be started again: it led and does not any more, or has to load a snapshot',
  },
  status: {
    0: 'the controller runs and is healthy',
    1: 'it runs, but is not healthy or does not answer',
    3: 'it does not run',
  },
  stop: { 0: 'no process uses the home any more', 1: 'the controller did not stop in time' },
  check: homeIsWrong,
  log: homeIsWrong,
  migrate: {
    0: 'done, or with --check: all can be taken over',
    1: 'the source is damaged, or a write failed: there is no home',
    3: 'something cannot be taken over, and nothing was written',
  },
  'cluster status': { 1: 'something is wrong with the cluster' },
  'admin reset': { 1: 'it was refused, and nothing was changed' },
  'keys roll': { 1: 'it was refused, and nothing was changed' },
  apply: {
    1: 'you did not agree or interrupted it, the controller refused a change, or was lost',
    3: 'with --dry-run: there is something to do',
  },
};

const usual: Meanings = { 0: 'done', 1: 'failed' };

const notStarted =
  'could not start until something is changed: wrong flags or settings, an unreadable or locked home';

const notYetStarted =
  'could not start yet, so start it again: the disk is full, a port is in use, NATS does not answer';

/** Commands that open a home, write into it, or listen. */
const opening: ReadonlySet<string> = new Set([
  'run',
  'init',
  'snapshot',
  'admin reset',
  'pki import',
]);

/** The exit codes of one command, one line each. */
export function exitCodesOf(command: string): string {
  const { 0: done, 1: failed, 3: third } = { ...usual, ...meanings[command] };
  const lines = [`- 0: ${done}`, `- 1: ${failed}`, `- 2: ${notStarted}`];
  if (third !== undefined) lines.push(`- 3: ${third}`);
  if (opening.has(command)) lines.push(`- 75: ${notYetStarted}`);
  return lines.join('\n');
}

/** The exit codes of all commands in short, one line each; the help of each command has its own. */
export const exitCodesText = `\
- 0: done, or stopped cleanly
- 1: failed, or something is wrong
- 2: ${notStarted}
- 3: of run, to be started again as a node of a cluster; of status, not running; of apply --dry-run,
  something to do; of migrate, something cannot be taken over; of can, the answer is no
- 4: of a command of the network: nothing, or more than one entity, has this name
- 5: of a command of the network: not logged in, or no right
- 6: of a command of the network: no whole answer, or another certificate
- 75: ${notYetStarted}
- 130: of a command of the network that goes on until Ctrl-C: ended by it`;

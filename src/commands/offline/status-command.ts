// The commands `status` and `stop`: who holds the lock of a home, how it is, and its end.

import { join } from 'node:path';
import { reasonOf, systemCodeOf } from '../../../snapshots/errors.ts';
import { lockPath, pkiName } from '../../../snapshots/home/layout.ts';
import { holderOf } from '../../../snapshots/home/lock.ts';
import type { StatusAnswer, StatusOrder } from '../../assembly/owner-orders.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { StartProblem } from '../../errors/errors.ts';
import { sendToOwnerSocket } from '../../http/server/owner-socket.ts';
import { printable } from '../../platform/printable.ts';
import {
  fingerprintOf,
  groupedFingerprint,
  rootsOfHome,
} from '../network/connection/fingerprints.ts';
import { asRefusal, manifestOf } from './refusal.ts';
import type { StatusRequest } from './status-flags.ts';

/** How a home is served. `unhealthy` also stands for a controller that does not answer. */
export type Status = 'healthy' | 'unhealthy' | 'stopped';

/** How long `status` waits for one answer: a controller answers from memory. @bound */
const answerMsMax = 5000;

type Looking = Pick<ProcessContext, 'disk' | 'out' | 'err' | 'clock' | 'sleep' | 'readFile'>;

/** What `status` finds. */
interface Found {
  readonly status: Status;
  readonly home: string;
  readonly pid?: number;
  readonly answer?: StatusAnswer;
  /** Why the process does not say how it is. */
  readonly silence?: string;
}

/**
 * Prints who serves a home, once it is healthy or the wait is over.
 * @throws StartProblem for a home that is none or cannot be read
 */
export async function showStatus(request: StatusRequest, context: Looking): Promise<Status> {
  const found = await waitedFor(request, context);
  print(found, request, context);
  return found.status;
}

async function waitedFor({ home, waitMs }: StatusRequest, context: Looking): Promise<Found> {
  const untilMs = context.clock.monotonic() + waitMs;
  for (;;) {
    const isLast = context.clock.monotonic() >= untilMs;
    try {
      const found = await look(home, context);
      if (found.status === 'healthy' || isLast) return found;
    } catch (error) {
      // A first start has not made the home yet.
      if (!(error instanceof StartProblem) || isLast) throw error;
    }
    await context.sleep(pollMs);
  }
}

async function look(home: string, context: Looking): Promise<Found> {
  const pid = holder(home, context);
  if (pid === undefined) {
    manifestOf(context.disk, home);
    return { status: 'stopped', home };
  }
  try {
    const answer = await askStatus(home);
    return { status: answer.healthy ? 'healthy' : 'unhealthy', home, pid, answer };
  } catch (error) {
    return { status: 'unhealthy', home, pid, silence: reasonOf(error) };
  }
}

function print(found: Found, { form }: StatusRequest, context: Looking): void {
  const { home, pid, status, answer, silence } = found;
  switch (form) {
    case 'pid':
      if (pid === undefined) context.err(notRunning(home));
      else context.out(`${pid}\n`);
      break;
    case 'json': {
      const fingerprints = rootsIn(home, context).map(fingerprintOf);
      const content = { status, home, pid, ...answer, silence, fingerprints };
      context.out(`${JSON.stringify(content, null, 2)}\n`);
      break;
    }
    case 'text':
      printText(found, context);
      break;
  }
}

function notRunning(home: string): string {
  return `not running: no process uses ${home}\n`;
}

function printText({ home, pid, answer, silence = '' }: Found, context: Looking): void {
  if (pid === undefined) {
    const isStale = context.disk.exists(lockPath(home));
    const note = isStale
      ? ' The lock of a process that was killed is left: a start takes it over.'
      : '';
    context.out(`not running: no process uses ${home}.${note}\n`);
  } else if (answer === undefined) {
    context.out(`process   ${pid}\nhome      ${home}\n`);
    const reason = printable(silence);
    context.out(`health    unknown: it is starting or stopping, or busy (${reason})\n`);
  } else {
    const { url, release, startedAt, state, healthy, problems } = answer;
    context.out(`process   ${pid}, since ${startedAt}\nhome      ${home}\naddress   ${url}\n`);
    for (const root of rootsIn(home, context)) {
      context.out(`CA        ${groupedFingerprint(root)}\n`);
    }
    context.out(`release   ${release}\nhealth    ${healthy ? 'healthy' : 'unhealthy'}, ${state}\n`);
    for (const problem of problems) context.out(`          ${printable(problem)}\n`);
  }
}

function rootsIn(home: string, { readFile }: Looking) {
  return rootsOfHome(join(home, pkiName, 'ca.pem'), readFile);
}

/** Asks the controller of a home how it is. Rejects when it does not say. */
export async function askStatus(home: string): Promise<StatusAnswer> {
  const order: StatusOrder = { order: 'status' };
  const answer = (await sendToOwnerSocket(home, order, answerMsMax)) as
    | StatusAnswer
    | { readonly refused: string };
  if ('refused' in answer) throw new Error(answer.refused);
  return answer;
}

/**
 * Stops the controller of a home, and waits for its end.
 * @param waitMsMax for the stop
 * @returns whether no process uses the home any more; otherwise the reason was printed
 * @throws StartProblem for a home that is none or cannot be read, and without the right to stop it
 */
export async function stopController(
  home: string,
  waitMsMax: number,
  context: Pick<ProcessContext, 'disk' | 'out' | 'err' | 'terminate' | 'sleep' | 'clock'>,
): Promise<boolean> {
  const pid = holder(home, context);
  if (pid === undefined) {
    manifestOf(context.disk, home);
    context.out(notRunning(home));
    return true;
  }
  context.out(`stopping process ${pid}\n`);
  try {
    context.terminate(pid);
  } catch (error) {
    // It has ended by itself in the meantime.
    if (systemCodeOf(error) !== 'ESRCH') {
      throw new StartProblem(`Process ${pid} cannot be stopped: ${reasonOf(error)}.`);
    }
  }
  const untilMs = context.clock.monotonic() + waitMsMax;
  while (holder(home, context) === pid) {
    if (context.clock.monotonic() > untilMs) {
      context.err(`edge-control: process ${pid} has not ended yet: its log says why.\n`);
      return false;
    }
    await context.sleep(pollMs);
  }
  context.out('stopped\n');
  return true;
}

const pollMs = 100;

/** The process that uses a home. @throws StartProblem for one that cannot be read */
export function holder(home: string, { disk }: Pick<ProcessContext, 'disk'>): number | undefined {
  try {
    return holderOf(disk, home);
  } catch (error) {
    throw asRefusal(error, home);
  }
}

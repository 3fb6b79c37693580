// The commands `status` and `stop`: who holds the lock of a home, how it is, and its end.

import { reasonOf, systemCodeOf } from '../../../snapshots/errors.ts';
import { lockPath } from '../../../snapshots/home/layout.ts';
import { holderOf } from '../../../snapshots/home/lock.ts';
import type { StatusAnswer, StatusOrder } from '../../assembly/owner-orders.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { StartProblem } from '../../errors/errors.ts';
import { sendToOwnerSocket } from '../../http/server/owner-socket.ts';
import { printable } from '../../platform/printable.ts';
import { asRefusal, manifestOf } from './refusal.ts';

/** How a home is served. `unhealthy` also stands for a controller that does not answer. */
export type Status = 'healthy' | 'unhealthy' | 'stopped';

/** How long `status` waits: a controller answers from memory. @bound */
const answerMsMax = 5000;

/** Prints who serves a home. @throws StartProblem for a home that is none or cannot be read */
export async function showStatus(
  home: string,
  context: Pick<ProcessContext, 'disk' | 'out'>,
): Promise<Status> {
  const { disk } = context;
  const pid = holder(home, context);
  if (pid === undefined) {
    manifestOf(disk, home);
    const isStale = disk.exists(lockPath(home));
    const note = isStale
      ? ' The lock of a process that was killed is left: a start takes it over.'
      : '';
    context.out(`not running: no process uses ${home}.${note}\n`);
    return 'stopped';
  }
  let answer: StatusAnswer;
  try {
    answer = await askStatus(home);
  } catch (error) {
    context.out(`process   ${pid}\nhome      ${home}\n`);
    const reason = printable(reasonOf(error));
    context.out(`health    unknown: it is starting or stopping, or busy (${reason})\n`);
    return 'unhealthy';
  }
  const { url, release, startedAt, state, healthy, problems } = answer;
  context.out(`process   ${pid}, since ${startedAt}\nhome      ${home}\naddress   ${url}\n`);
  context.out(`release   ${release}\nhealth    ${healthy ? 'healthy' : 'unhealthy'}, ${state}\n`);
  for (const problem of problems) context.out(`          ${printable(problem)}\n`);
  return healthy ? 'healthy' : 'unhealthy';
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
    context.out(`not running: no process uses ${home}\n`);
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

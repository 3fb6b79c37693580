// The command `keys roll`: a new token key, by the controller that runs on the home.

import { reasonOf } from '../../../snapshots/errors.ts';
import type { NodeAnswer, RollOrder } from '../../assembly/owner-orders.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { StartProblem } from '../../errors/errors.ts';
import { sendToOwnerSocket } from '../../http/server/owner-socket.ts';
import { printable } from '../../platform/printable.ts';
import type { Config } from '../../settings/config.ts';
import { manifestOf } from './refusal.ts';

/**
 * Gives the order and reports what was done.
 * @returns whether it was done; otherwise the reason was printed
 * @throws StartProblem if no controller answers on the home
 */
export async function rollKeys(
  { home, limits }: Pick<Config, 'home' | 'limits'>,
  endsSessions: boolean,
  context: Pick<ProcessContext, 'disk' | 'out' | 'err'>,
): Promise<boolean> {
  manifestOf(context.disk, home);
  const order: RollOrder = { order: 'rollTokenKey', endsSessions };
  let answer: NodeAnswer;
  try {
    answer = (await sendToOwnerSocket(home, order, 3 * limits.handlerTimeoutMs)) as NodeAnswer;
  } catch (error) {
    throw new StartProblem(
      `No controller has answered on ${home}: ${reasonOf(error)}. Where one runs, its log says whether a key was announced; else start it, and give the order again.`,
    );
  }
  if ('done' in answer) {
    context.out(`${printable(answer.done)}\n`);
    return true;
  }
  context.err(`edge-control: ${printable(answer.refused)}\n`);
  return false;
}

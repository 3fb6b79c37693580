// The commands `step-down` and `finalize`, which the running node of the home carries out.

import { reasonOf } from '../../../snapshots/errors.ts';
import type { NodeAnswer, NodeOrder } from '../../assembly/owner-orders.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { ClusterCommand } from './command.ts';

/** Gives an order to the process that runs on the home. Rejects if none answers. */
export type SendOrder = (order: NodeOrder) => Promise<unknown>;

/**
 * Lets another node lead.
 * @returns whether it was done; otherwise the reason was printed
 * @throws StartProblem if no controller answers
 */
export function stepDown(command: Pick<ClusterCommand, 'out' | 'err'>, send: SendOrder) {
  return give(command, send, { order: 'clusterStepDown' });
}

/**
 * Ends a rolling upgrade: from here on the nodes write what former releases do not read.
 * @returns whether it was done; otherwise the reason was printed
 * @throws StartProblem if no controller answers
 */
export function finalizeUpgrade(command: Pick<ClusterCommand, 'out' | 'err'>, send: SendOrder) {
  return give(command, send, { order: 'clusterFinalize' });
}

async function give(
  { out, err }: Pick<ClusterCommand, 'out' | 'err'>,
  send: SendOrder,
  order: NodeOrder,
): Promise<boolean> {
  let answer: NodeAnswer;
  try {
    answer = (await send(order)) as NodeAnswer;
  } catch (error) {
    throw new StartProblem(
      `No controller answers on this home: ${reasonOf(error)}. Give the order on the machine of the node that leads.`,
    );
  }
  if ('done' in answer) {
    out(answer.done);
    return true;
  }
  err(answer.refused);
  return false;
}

// The commands `step-down`, `finalize` and `invite`, which the node that runs on the home carries
// out.

import { reasonOf } from '../../../snapshots/errors.ts';
import type { InviteOrder, NodeAnswer, NodeOrder } from '../../assembly/owner-orders.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { ClusterCommand } from './command.ts';

/** Gives an order to the process that runs on the home. Rejects if none answers. */
export type SendOrder<Order> = (order: Order) => Promise<unknown>;

/**
 * Lets another node lead.
 * @returns whether it was done; otherwise the reason was printed
 * @throws StartProblem if no controller answers
 */
export function stepDown(command: Pick<ClusterCommand, 'out' | 'err'>, send: SendOrder<NodeOrder>) {
  return give(command, send, { order: 'clusterStepDown' });
}

/**
 * Ends a rolling upgrade: from here on the nodes write what former releases do not read.
 * @returns whether it was done; otherwise the reason was printed
 * @throws StartProblem if no controller answers
 */
export function finalizeUpgrade(
  command: Pick<ClusterCommand, 'out' | 'err'>,
  send: SendOrder<NodeOrder>,
) {
  return give(command, send, { order: 'clusterFinalize' });
}

/**
 * Prints an invitation for a node of this name.
 * @returns whether it was made; otherwise the reason was printed
 * @throws StartProblem if no controller answers
 */
export function invite(
  command: Pick<ClusterCommand, 'out' | 'err'>,
  send: SendOrder<InviteOrder>,
  node: string,
): Promise<boolean> {
  return give(command, send, { order: 'clusterInvite', node });
}

async function give<Order>(
  { out, err }: Pick<ClusterCommand, 'out' | 'err'>,
  send: SendOrder<Order>,
  order: Order,
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

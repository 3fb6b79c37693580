// The commands `step-down` and `finalize`, which the running node of the home carries out.

import { reasonOf } from '../../snapshots/errors.ts';
import { StartProblem } from '../errors.ts';
import type { ClusterCommand } from './command.ts';
import { newestStream } from './command.ts';
import type { NodeAnswer, NodeOrder } from './owner-orders.ts';
import { isSilent } from './report.ts';

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
 * Ends a rolling upgrade: from here on the leader may write what former releases do not read.
 * Rejects with StreamUnreachable.
 * @returns whether it was done; otherwise the reason was printed
 * @throws StartProblem if no controller answers, or a node does not read the newest formats
 */
export async function finalizeUpgrade(
  command: ClusterCommand,
  dataSetId: string,
  send: SendOrder,
): Promise<boolean> {
  const { members } = await newestStream(command, dataSetId);
  const { formats, version } = command.self;
  for (const member of await members.list()) {
    const older = Object.entries(formats).filter(
      ([name, newest]) => (member.formats[name] ?? 0) < newest,
    );
    if (older.length === 0) continue;
    const is = isSilent(member, command.clock.now()) ? 'is away, and ran' : 'runs';
    throw new StartProblem(
      `${member.id} ${is} ${member.version}, which does not read what ${version} writes (${older.map(([name]) => name).join(', ')}): upgrade it, or remove it with edge-control cluster leave --node ${member.id}.`,
    );
  }
  return await give(command, send, { order: 'clusterFinalize' });
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

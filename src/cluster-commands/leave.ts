// The command `leave`: a node, this one or one that is lost, belongs to the cluster no longer.

import { StartProblem } from '../errors.ts';
import { type ClusterCommand, newestStream, nodeOfCommand } from './command.ts';
import { isSilent } from './report.ts';

/**
 * Removes a node. Without an id it is that of the home, which is laid aside, so that nobody starts
 * it by mistake. Rejects with StreamUnreachable.
 * @throws StartProblem if something speaks against it; nothing was changed then
 */
export async function leaveCluster(command: ClusterCommand, nodeId?: string): Promise<void> {
  const { clock, home, out } = command;
  const { dataSetId, id, isOwn } = leavingNode(command, nodeId);
  const { members } = await newestStream(command, dataSetId);
  const listed = await members.list();
  const leaving = listed.find((member) => member.id === id);
  if (nodeId !== undefined && leaving === undefined) {
    const marks = await members.marks();
    if (!marks.some((mark) => mark.id === id)) {
      throw new StartProblem(`The cluster has no node ${id}.`);
    }
  }
  // The lock of its home tells whether this node runs.
  if (leaving !== undefined && !isOwn && !isSilent(leaving, clock.now())) {
    throw new StartProblem(
      `${id} (${leaving.advertised}) was heard of within the last seconds: stop it first.`,
    );
  }
  if (!listed.some((member) => member.id !== id)) {
    throw new StartProblem(
      `${id} is the only node: to go back to one machine, restore a backup of it (edge-control snapshot --output).`,
    );
  }
  await members.remove(id);
  out(`node ${id} was removed`);
  if (isOwn) out(`Its home is kept in ${home.layAside()}.`);
}

/** Only the home of the node that leaves must be at rest. @throws StartProblem */
function leavingNode(command: ClusterCommand, nodeId: string | undefined) {
  const { home } = command;
  const ownId = home.nodeId();
  if (nodeId !== undefined && ownId !== undefined && nodeId !== ownId) {
    return { dataSetId: home.dataSetId(), id: nodeId, isOwn: false };
  }
  const { dataSetId, node } = nodeOfCommand(command);
  const id = nodeId ?? node.id;
  return { dataSetId, id, isOwn: id === node.id };
}

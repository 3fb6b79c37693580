// The command `leave`: a node, this one or one that is lost, belongs to the cluster no longer.

import { serverNowMs } from '../cluster/server-time.ts';
import { StartProblem } from '../errors.ts';
import { type ClusterCommand, newestStream, nodeOfCommand, placeOfCommand } from './command.ts';
import { isSilent } from './report.ts';

/**
 * Removes a node. Without an id it is that of the home, which is laid aside, so that nobody starts
 * it by mistake. Rejects with StreamUnreachable.
 * @throws StartProblem if something speaks against it; nothing was changed then
 */
export async function leaveCluster(command: ClusterCommand, nodeId?: string): Promise<void> {
  const { clock, home, out } = command;
  const { dataSetId, nodeId: ownId } = placeOfCommand(command);
  const id = nodeId ?? ownId;
  // Its home is laid aside, so no process may use it.
  if (id === ownId) nodeOfCommand(command);
  const { members, stream } = await newestStream(command, dataSetId);
  const listed = await members.list();
  const leaving = listed.find((member) => member.id === id);
  if (nodeId !== undefined && leaving === undefined) {
    const marks = await members.marks();
    if (!marks.some((mark) => mark.id === id)) {
      throw new StartProblem(`The cluster has no node ${id}.`);
    }
  }
  // The lock of its home tells whether this node runs.
  const mayRun = leaving !== undefined && id !== ownId;
  if (mayRun && !isSilent(leaving, await serverNowMs(stream, clock))) {
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
  if (id === ownId) out(`Its home is kept in ${home.layAside()}.`);
}

// The command `leave`: a node, this one or one that is lost, belongs to the cluster no longer.

import { keepShared } from '../../cluster/log/shared-snapshots.ts';
import { serverNowMs } from '../../cluster/node/server-time.ts';
import { StoreFull } from '../../cluster/stream.ts';
import { StartProblem } from '../../errors/errors.ts';
import { type ClusterCommand, newestStream, nodeOfCommand, placeOfCommand } from './command.ts';
import { isSilent } from './report.ts';

/**
 * Removes a node. Without an id it is that of the home, which is laid aside, so that nobody starts
 * it by mistake. Rejects with StreamUnreachable.
 * @throws StartProblem if something speaks against it; nothing was changed then, except that a
 *   full store has lost what is superfluous
 */
export async function leaveCluster(command: ClusterCommand, nodeId?: string): Promise<void> {
  const { clock, home, out } = command;
  const { dataSetId, nodeId: ownId } = placeOfCommand(command);
  const id = nodeId ?? ownId;
  // Its home is laid aside, so no process may use it.
  if (id === ownId) nodeOfCommand(command);
  const open = await newestStream(command, dataSetId);
  const { members, stream } = open;
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
  try {
    await members.remove(id);
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
    // A full store takes nothing, but what is superfluous there can be removed.
    await keepShared(open, 1);
    throw new StartProblem(
      `The NATS servers had no room (${error.message}), so the nodes could not write their entries. Old snapshots and messages were removed: run the command again in 15 s.`,
    );
  }
  out(`node ${id} was removed`);
  if (id === ownId) out(`Its home is kept in ${home.layAside()}.`);
}

// The command `join`: a machine becomes a further node, from the newest snapshot of the cluster
// (behaviour/cluster#operating).

import { frameSeed } from '../../../snapshots/log/frame.ts';
import { formatsObjection, lowestFormats } from '../../cluster/log/formats.ts';
import { groupKeyOf } from '../../cluster/log/group-message.ts';
import type { Member } from '../../cluster/membership.ts';
import { termOfSnapshot } from '../../cluster/node/snapshot-term.ts';
import { type SharedSnapshot, SnapshotGone } from '../../cluster/shared-snapshots.ts';
import { StartProblem } from '../../errors/errors.ts';
import { differingKeys } from '../../pki/shared-keys.ts';
import { type ClusterCommand, memberOf, newestStream, newNodeId, nextStep } from './command.ts';

/** What the flags say. */
export interface JoinOrder {
  /** Folder with a copy of the keys of another node. */
  readonly pki: string;
  /** The text of an invitation, which gives the keys instead; `-` for standard input. */
  readonly invitation?: string | undefined;
  /** Which data set, where the account holds several. */
  readonly dataSetId: string | undefined;
}

/**
 * Makes the home. Rejects with StreamUnreachable.
 * @param keys gets the keys, where there is no folder with them; called once nothing else speaks
 *   against it that can be seen without them
 * @throws StartProblem if something speaks against it; nothing was changed then
 */
export async function joinCluster(
  command: ClusterCommand,
  order: JoinOrder,
  keys?: () => Promise<ReadonlyMap<string, Buffer>>,
): Promise<void> {
  const { home } = command;
  // A join that was killed may have left keys there.
  home.discardDrafts();
  if (home.facts() !== undefined) {
    throw new StartProblem(`${home.path} is a home already: name another directory.`);
  }
  if (keys !== undefined && home.hasKeys()) {
    throw new StartProblem(
      `${home.path} has keys already: remove its folder pki, as the invitation brings them.`,
    );
  }
  const dataSetId = await dataSetOf(command, order);
  try {
    const pki = keys === undefined ? order.pki : home.keepKeys(await keys());
    await joinWith(command, dataSetId, pki);
  } finally {
    home.discardDrafts();
  }
}

async function joinWith(command: ClusterCommand, dataSetId: string, pki: string): Promise<void> {
  const { home, random, out } = command;
  const { name, members, snapshots, stream } = await newestStream(command, dataSetId, pki);
  const listed = await members.list();
  // With another sealing key, no entry counts here.
  const told = listed.length > 0 ? listed : await members.uncounted();
  refuseStranger(command, told, pki);
  const formats = (await members.formats()) ?? lowestFormats(listed.map((each) => each.formats));
  const objection = formatsObjection(command.build, formats);
  if (objection !== undefined) throw new StartProblem(objection);
  const halt = await members.halt();
  if (halt !== undefined) {
    throw new StartProblem(`The cluster is halted until a reseed: ${halt}.`);
  }
  const file = home.draft();
  const loaded = await load(() => snapshots.list(), snapshots.download.bind(snapshots), file);
  const { lsn, crc, bytes } = loaded;
  const { generation } = name;
  const key = groupKeyOf(Buffer.from(home.sealingKey(pki), 'hex'));
  const trust = { key, generation, seed: frameSeed(dataSetId) };
  const term = await termOfSnapshot(stream, trust, loaded);
  const node = { id: newNodeId(random), generation, term };
  await home.place({ node, snapshot: { path: file, lsn, crc }, pki });
  await members.put(memberOf(command, node, { lsn, crc }));
  out(`node ${node.id} of cluster ${dataSetId}, generation ${generation}`);
  out(`snapshot   LSN ${lsn}, ${bytes} bytes`);
  out(nextStep);
}

async function dataSetOf({ access }: ClusterCommand, order: JoinOrder): Promise<string> {
  const found = [...new Set((await access.streams()).map(({ dataSetId }) => dataSetId))].sort();
  const { dataSetId } = order;
  if (dataSetId !== undefined) return dataSetId;
  const [only, ...others] = found;
  if (only === undefined) {
    throw new StartProblem(
      'The NATS servers hold no cluster: make the first node with edge-control cluster init.',
    );
  }
  if (others.length === 0) return only;
  throw new StartProblem(
    `The NATS servers hold several clusters: name one with --data-set, ${found.join(', ')}.`,
  );
}

/**
 * Keys are compared with those of the node that was heard of last: others may have been there
 * before the keys were replaced.
 */
function refuseStranger({ home }: ClusterCommand, listed: readonly Member[], pki: string): void {
  const [newest] = listed.toSorted((a, b) => b.atMs - a.atMs);
  if (newest === undefined) {
    throw new StartProblem(
      'No node of the cluster has told its keys so far: start the first node, then join.',
    );
  }
  const keys = differingKeys(home.keys(pki), newest.keys);
  if (keys.length > 0) {
    throw new StartProblem(
      `${pki} has another ${keys.join(', ')} than node ${newest.id}: copy the folder pki of a node of this cluster.`,
    );
  }
}

/** Snapshots are replaced while they are downloaded; the newest one is there for longest. @bound */
const downloadTriesMax = 3;

async function load(
  list: () => Promise<readonly SharedSnapshot[]>,
  download: (snapshot: SharedSnapshot, file: string) => Promise<void>,
  file: string,
): Promise<SharedSnapshot> {
  for (let tries = 1; ; tries++) {
    const [newest] = await list();
    if (newest === undefined) {
      throw new StartProblem('The object store holds no snapshot: start a node, then join.');
    }
    try {
      await download(newest, file);
      return newest;
    } catch (error) {
      if (!(error instanceof SnapshotGone)) throw error;
      if (tries < downloadTriesMax) continue;
      throw new StartProblem(
        'The newest snapshot is damaged, or is replaced faster than it is downloaded: see edge-control cluster status.',
      );
    }
  }
}

// The commands `init` and `reseed`: a home becomes the beginning of a stream, from which all other
// nodes start (behaviour/cluster#operating).

import type { StreamName } from '../../cluster/access.ts';
import { formatsObjection } from '../../cluster/log/formats.ts';
import type { Formats, HighWaterMark, Member } from '../../cluster/membership.ts';
import { StartProblem } from '../../errors/errors.ts';
import {
  type ClusterCommand,
  homeOfCommand,
  memberOf,
  newNodeId,
  nextStep,
  nodeOfCommand,
  streamsOf,
  uploadBytesPerSecond,
} from './command.ts';
import type { HomeNode } from './node-home.ts';
import { isSilent } from './report.ts';

/**
 * Makes a home that stands alone the first node of a cluster. It may be repeated after a failure.
 * Rejects with StreamUnreachable.
 * @throws StartProblem if something speaks against it; nothing was changed then
 */
export async function initCluster(command: ClusterCommand): Promise<void> {
  const { home, random } = command;
  const { dataSetId, node } = homeOfCommand(command);
  if (node !== undefined) {
    throw new StartProblem(
      `${home.path} is node ${node.id} of a cluster already: start it, or use edge-control cluster reseed.`,
    );
  }
  await refuseFaults(command);
  const streams = await streamsOf(command, dataSetId);
  for (const name of streams) await refuseUsed(command, name);
  const generation = (streams[0]?.generation ?? 0) + 1;
  const place = { id: newNodeId(random), generation, term: 0 };
  const begun = { formats: command.build.reads, removed: [], replaces: [] };
  await seed(command, { dataSetId, node: place, ...begun });
  for (const name of streams) await command.access.remove(name);
  command.out(nextStep);
}

/** What the operator of `reseed` has confirmed. */
export interface ReseedOrder {
  /** That the stream of the cluster is replaced. */
  readonly isConfirmed: boolean;
  /** That frames are dropped which another node has. */
  readonly force: boolean;
}

/**
 * Begins the stream of a cluster again with the records of this home, after damage that the rules
 * cannot resolve. Rejects with StreamUnreachable.
 * @returns whether it was done; without a confirmation only what it would do is printed
 * @throws StartProblem if something speaks against it; nothing was changed then
 */
export async function reseedCluster(
  command: ClusterCommand,
  { isConfirmed, force }: ReseedOrder,
): Promise<boolean> {
  const { home, access, out } = command;
  const { dataSetId, node, last } = nodeOfCommand(command);
  await refuseFaults(command);
  const streams = await streamsOf(command, dataSetId);
  const own = { id: node.id, generation: node.generation, term: node.term, ...last };
  const others: Place[] = [];
  const removed = new Set<string>();
  let formats: Formats | undefined;
  for (const name of streams) {
    const { members } = await access.open(name, home.sealingKey());
    const [listed, marks] = [await members.list(), await members.marks()];
    refuseRunning(
      listed.filter(({ id }) => id !== node.id),
      command,
    );
    others.push(...listed.map(placeOf), ...marks);
    formats ??= await members.formats();
    for (const id of await members.removed()) removed.add(id);
  }
  // An upgrade that was not final goes on as it was.
  const { build } = command;
  const objection = formats && formatsObjection(build, formats);
  if (objection !== undefined) throw new StartProblem(objection);
  const rivals = others.filter(({ id }) => id !== own.id);
  const greatest = rivals.reduce<Place>((a, b) => (isGreater(b, a) ? b : a), own);
  out(`this node  ${describe(own)}`);
  // With the stream, the entries and marks of the other nodes are gone, too.
  const isBlind = streams.length === 0;
  out(isBlind ? unknownOthers : `greatest   ${describe(greatest)}`);
  if (greatest !== own) {
    const dropped = `${greatest.id} has more than this node (${describe(greatest)})`;
    if (!force) {
      throw new StartProblem(
        `${dropped}: run reseed there, or drop what only that node has with --force.`,
      );
    }
    out(`drops      ${lossOf(own, greatest)}`);
  }
  const [mark = own] = others.filter(({ id }) => id === own.id).filter((at) => isGreater(at, own));
  const unsynced = mark === own ? 'up to 1 s' : lossOf(own, mark);
  const alsoTheirs = isBlind ? 'what only the other nodes have, and ' : '';
  out(
    `drops      ${alsoTheirs}what the log of this node had not synced when it ended: ${unsynced}`,
  );
  if (!isConfirmed) {
    out('Nothing was changed: confirm it with --yes.');
    return false;
  }
  const generation = Math.max(node.generation, streams[0]?.generation ?? 0) + 1;
  const place = { ...node, generation };
  removed.delete(own.id);
  const kept = { formats: formats ?? build.reads, removed: [...removed] };
  await seed(command, { dataSetId, node: place, replaces: streams, ...kept });
  const former = isBlind ? '' : ' The former stream is kept, and takes no message any more.';
  out(`The other nodes load its snapshot when they start.${former}`);
  return true;
}

const unknownOthers =
  'others     not known: the NATS servers have no stream of this data set. Run this command without --yes on each node, and with --yes on the one that is greatest by generation, then term, then LSN.';

async function refuseFaults({ access }: ClusterCommand): Promise<void> {
  const [fault] = await access.serverFaults();
  if (fault !== undefined) throw new StartProblem(fault);
}

/** A stream that an interrupted `init` left is empty, and nobody has been there. */
async function refuseUsed({ access, home }: ClusterCommand, name: StreamName): Promise<void> {
  const { stream, members } = await access.open(name, home.sealingKey());
  const [state, listed, marks] = [
    await stream.state(),
    await members.list(),
    await members.marks(),
  ];
  if (state.last === 0 && listed.length === 0 && marks.length === 0) return;
  throw new StartProblem(
    `There is a cluster of the data set ${name.dataSetId} already (generation ${name.generation}): let this machine join it, or give the home another data set by snapshot --output and restore.`,
  );
}

function refuseRunning(members: readonly Member[], { clock }: ClusterCommand): void {
  const running = members.find((member) => !isSilent(member, clock.now()));
  if (running === undefined) return;
  throw new StartProblem(
    `${running.id} (${running.advertised}) was heard of within the last seconds: stop all nodes first.`,
  );
}

/** What a stream begins with. */
interface Seed {
  readonly dataSetId: string;
  readonly node: HomeNode;
  readonly formats: Formats;
  /** Nodes that must not come back. */
  readonly removed: readonly string[];
  /** A node of one of these that was cut off or paused must not confirm anything there. */
  readonly replaces: readonly StreamName[];
}

/**
 * The home becomes that of a node last, so that a failure before leaves it as it was. The entry of
 * the node only helps those who look before its first start.
 */
async function seed(
  command: ClusterCommand,
  { dataSetId, node, formats, removed, replaces }: Seed,
): Promise<void> {
  const { access, home, cluster, out } = command;
  const { generation } = node;
  const name = { dataSetId, generation };
  try {
    const { path, lsn, crc } = await home.snapshot();
    const member = memberOf(command, node, { lsn, crc });
    await access.create(name, cluster.replicas);
    const { members, snapshots } = await access.open(name, home.sealingKey());
    const facts = { lsn, crc, generation, sequence: 0 };
    const kept = await snapshots.upload(path, facts, uploadBytesPerSecond);
    await members.beginFormats(formats);
    for (const id of removed) await members.remove(id);
    for (const former of replaces) await access.seal(former);
    home.enter(node);
    await members.raiseMark({ id: node.id, generation, term: node.term, lsn, crc });
    await members.put(member);
    out(`node ${node.id} of cluster ${dataSetId}, generation ${generation}`);
    out(`snapshot   LSN ${lsn}, ${kept.bytes} bytes`);
  } finally {
    home.discardDrafts();
  }
}

/** A place in the logs of all generations. */
type Place = Pick<HighWaterMark, 'id' | 'generation' | 'term' | 'lsn'>;

function placeOf({ id, generation, term, last }: Member): Place {
  return { id, generation, term, lsn: last.lsn };
}

function isGreater(a: Place, b: Place): boolean {
  if (a.generation !== b.generation) return a.generation > b.generation;
  return a.term === b.term ? a.lsn > b.lsn : a.term > b.term;
}

function describe({ id, generation, term, lsn }: Place): string {
  return `${id}: generation ${generation}, term ${term}, LSN ${lsn}`;
}

function lossOf(own: Place, greatest: Place): string {
  const isSame = own.generation === greatest.generation && own.term === greatest.term;
  if (isSame) return `${greatest.lsn - own.lsn} frames after LSN ${own.lsn}`;
  return `everything that generation ${greatest.generation}, term ${greatest.term} confirmed after LSN ${own.lsn} of this node`;
}

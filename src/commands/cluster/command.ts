// The surroundings that all cluster commands share.

import type { ClusterAccess, OpenStream, StreamName } from '../../cluster/access.ts';
import type { BuildFormats } from '../../cluster/log/formats.ts';
import type { Member } from '../../cluster/membership.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { Clock, Random } from '../../platform/ports.ts';
import type { ClusterConfig } from '../../settings/cluster-config.ts';
import type { HomeFacts, HomeNode, NodeHome } from './node-home.ts';

/** The surroundings of a command. */
export interface ClusterCommand {
  readonly cluster: ClusterConfig;
  readonly access: ClusterAccess;
  readonly home: NodeHome;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly build: BuildFormats;
  /** What this program is, and how this node is configured. */
  readonly self: Pick<Member, 'name' | 'version' | 'formats' | 'advertised' | 'settingsHash'> & {
    readonly internal: string;
  };
  /** A line on standard output. */
  out(line: string): void;
  /** A sentence on standard error. */
  err(sentence: string): void;
}

/** The home, of which there has to be one. @throws StartProblem */
export function homeOfCommand({ home }: ClusterCommand): HomeFacts {
  const facts = home.facts();
  if (facts === undefined) throw new StartProblem(`${home.path} is no home of a controller.`);
  return facts;
}

/** The home as that of a node. @throws StartProblem */
export function nodeOfCommand(command: ClusterCommand): HomeFacts & { readonly node: HomeNode } {
  const { node, ...facts } = homeOfCommand(command);
  if (node !== undefined) return { ...facts, node };
  throw noNode(command);
}

/**
 * Where a home belongs, also while a process uses it: for what is done to other nodes.
 * @throws StartProblem if it belongs to no cluster
 */
export function placeOfCommand(command: ClusterCommand): {
  readonly dataSetId: string;
  readonly nodeId: string;
} {
  const { home } = command;
  const nodeId = home.nodeId();
  if (nodeId === undefined) throw noNode(command);
  return { dataSetId: home.dataSetId(), nodeId };
}

function noNode({ home }: ClusterCommand): StartProblem {
  return new StartProblem(
    `${home.path} belongs to no cluster: make it the first node with edge-control cluster init.`,
  );
}

/** The streams of a data set, the newest generation first. Rejects with StreamUnreachable. */
export async function streamsOf(
  { access }: ClusterCommand,
  dataSetId: string,
): Promise<readonly StreamName[]> {
  const all = await access.streams();
  return all
    .filter((name) => name.dataSetId === dataSetId)
    .toSorted((a, b) => b.generation - a.generation);
}

/**
 * The newest stream of the data set of the home. Rejects with StreamUnreachable.
 * @throws StartProblem if there is none
 */
export async function newestStream(
  command: ClusterCommand,
  dataSetId: string,
  pki?: string,
): Promise<OpenStream & { readonly name: StreamName }> {
  const [name] = await streamsOf(command, dataSetId);
  if (name === undefined) {
    throw new StartProblem(
      `The NATS servers have no stream of the data set ${dataSetId}: see to cluster.servers and the account of the credentials.`,
    );
  }
  return { ...(await command.access.open(name, command.home.sealingKey(pki))), name };
}

/** The entry of this node before its first start. */
export function memberOf(
  { clock, self, home }: ClusterCommand,
  node: HomeNode,
  last: Member['last'],
): Member {
  return {
    ...self,
    id: node.id,
    role: 'recovering',
    generation: node.generation,
    term: node.term,
    last,
    keys: home.keys(),
    atMs: clock.now(),
  };
}

/** The last line of a command that made a node, for an operator who does it for the first time. */
export const nextStep =
  'next       edge-control run starts the node, and edge-control cluster status shows how the cluster is.';

/** Bytes of a node's id: 64 bits tell the nodes of all clusters of the world apart. */
const nodeIdBytes = 8;

/** The id of a new node. */
export function newNodeId(random: Random): string {
  return random.bytes(nodeIdBytes).toString('hex');
}

/** Bytes per second of an upload beside a cluster that works, where faster ones were felt. */
export const uploadBytesPerSecond = 10 * 1000 * 1000;

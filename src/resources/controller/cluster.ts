// The nodes of a cluster in the fabric API (behaviour/fabric#cluster).

import Type, { type TSchema } from 'typebox';
import type { Member } from '../../cluster/membership.ts';
import type { WatchedCluster } from '../../cluster/node/watch.ts';
import { emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { version } from '../../platform/version.ts';
import { type Context, type Operation, operation } from '../context.ts';

/** A node as the list shows it. */
interface ShownNode {
  readonly id: string;
  /** `tls:host:port` of its control channel; empty while it is not known. */
  readonly address: string;
  readonly voter: boolean;
  readonly leader: boolean;
  readonly connected: boolean;
  readonly version: string;
  readonly readOnly: boolean;
}

/** The list of nodes, and the orders to a cluster. */
export const cluster: readonly Operation[] = [
  operation({
    id: 'clusterListMembers',
    apis: ['fabric'],
    path: '/cluster/list-members',
    answered: 'leader',
    permission: 'admin',
    summary: 'List the nodes of the cluster, or this controller if it runs in none',
    answer: { bare: 'application/json' },
    errors: [400, 401, 429],
    decide: (context) => bare({ data: nodesOf(context) }),
  }),
  order({
    id: 'clusterMemberAdd',
    path: '/cluster/add-member',
    summary: 'Refused: a node joins by a command on its own machine',
    body: Type.Object({ address: Type.String(), isVoter: Type.Boolean() }),
    carryOut(_cluster, _context, { address }) {
      const reason = 'cannot be added from here: run `edge-control cluster join` on that machine';
      throw fieldError('address', reason, address);
    },
  }),
  order({
    id: 'clusterMemberRemove',
    path: '/cluster/remove-member',
    summary: 'Refused: a node leaves by a command on a machine of the cluster',
    body: Type.Object({ id: Type.String() }),
    carryOut(_cluster, _context, { id }) {
      throw fieldError('id', 'cannot be removed from here: run `edge-control cluster leave`', id);
    },
  }),
  order({
    id: 'clusterTransferLeadership',
    path: '/cluster/transfer-leadership',
    summary: 'Let another node lead',
    body: Type.Object({ newLeaderId: Type.Optional(Type.String()) }),
    carryOut(watched, { env }, { newLeaderId }) {
      expectSuccessor(watched, typeof newLeaderId === 'string' ? newLeaderId : '');
      watched.stepDown(new Promise((answered) => env.clock.soon(answered)));
      return emptyReply;
    },
  }),
];

interface Order {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  readonly body: TSchema;
  carryOut(
    cluster: WatchedCluster,
    context: Context,
    body: Readonly<Record<string, unknown>>,
  ): Reply;
}

/** An order to the cluster; without one it is refused. */
function order({ carryOut, ...declared }: Order): Operation {
  return operation({
    ...declared,
    apis: ['fabric'],
    method: 'POST',
    permission: 'admin',
    errors: [400, 401, 429],
    writes: false,
    actsOutside: true,
    answered: 'leader',
    decide(context) {
      const watched = context.env.cluster();
      if (watched === undefined) throw new ApiError('SERVER_NOT_RUNNING_IN_HA_MODE');
      return carryOut(watched, context, context.body as Readonly<Record<string, unknown>>);
    },
  });
}

function nodesOf({ env }: Context): ShownNode[] {
  const watched = env.cluster();
  const own = {
    id: watched?.id ?? env.trust.controllerId,
    address: env.addresses.control,
    voter: true,
    leader: true,
    connected: true,
    version: `v${version}`,
    readOnly: false,
  };
  if (watched === undefined) return [own];
  const others = watched.members.filter(({ id }) => id !== watched.id);
  const all = [own, ...others.map((member) => shownOf(watched, member))];
  return all.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Addresses for which no node vouches are not shown (behaviour/cluster#members-and-marks). */
function shownOf(watched: WatchedCluster, member: Member): ShownNode {
  const { id, control = '', isUnsealed, leads } = member;
  return {
    id,
    address: isUnsealed ? '' : control,
    // Every node has a say; this one may lead, too.
    voter: leads !== 'never',
    leader: id === watched.state.leaderId,
    connected: !watched.isAway(member),
    version: `v${member.version}`,
    readOnly: false,
  };
}

/**
 * Nodes settle among themselves which of them leads next, so a wanted one must be the only choice.
 * @throws ApiError COULD_NOT_VALIDATE if there is no follower, or the wanted one may not lead next.
 */
function expectSuccessor(watched: WatchedCluster, wanted: string): void {
  const followers = watched.members.filter(
    (member) =>
      member.id !== watched.id &&
      member.role === 'following' &&
      member.leads !== 'never' &&
      !watched.isAway(member),
  );
  const refuse = (reason: string) => fieldError('newLeaderId', reason, wanted);
  if (followers.length === 0) throw refuse('no other node could lead');
  if (wanted === '') return;
  if (!followers.some(({ id }) => id === wanted)) throw refuse('is not a node that follows');
  if (followers.length > 1)
    throw refuse('must be left out: the nodes that follow choose the leader');
}

/** An answer without an envelope. */
function bare(value: unknown): Reply {
  const contentType = 'application/json';
  return { form: 'bare', status: 200, contentType, body: JSON.stringify(value) };
}

// Orders that the owner of a home gives to the controller that runs on it, over its socket, and
// their answers.

import { reasonOf } from '../../snapshots/errors.ts';
import type { ClusterNode, NodeState } from '../cluster/cluster-node.ts';
import type { AdministratorReset } from '../resources/authenticators/administrator-reset.ts';

/** The owner's question to a running controller. */
export interface StatusOrder {
  readonly order: 'status';
}

/** The state of a running controller, as it says itself. */
export interface StatusAnswer {
  readonly url: string;
  /** HOST:PORT that it listens on; releases before this one do not say. */
  readonly listen?: string;
  readonly release: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** As `/health-checks` says. */
  readonly state: string;
  readonly healthy: boolean;
  /** One sentence per problem, for the operator; empty if all is well. */
  readonly problems: readonly string[];
}

/** Whether the order asks for the status. */
export function isStatusOrder(order: unknown): order is StatusOrder {
  return typeof order === 'object' && order !== null && 'order' in order
    ? order.order === 'status'
    : false;
}

/** The owner's order for a new password of an administrator. */
export interface ResetOrder extends AdministratorReset {
  readonly order: 'resetAdministrator';
}

/** The reset that was ordered; undefined if the order is another one. */
export function readResetOrder(order: unknown): AdministratorReset | undefined {
  if (typeof order !== 'object' || order === null) return undefined;
  const { order: name, username, password, removeMfa } = order as Partial<ResetOrder>;
  if (name !== 'resetAdministrator' || typeof password !== 'string') return undefined;
  if (username !== undefined && typeof username !== 'string') return undefined;
  return { username, password, removeMfa: removeMfa === true };
}

/** An order to a node of a cluster, as it is sent. */
export interface NodeOrder {
  readonly order: 'clusterStepDown' | 'clusterFinalize';
}

/** Its answer: what was done, or why nothing was. */
export type NodeAnswer = { readonly done: string } | { readonly refused: string };

/** What a node does at the order of its owner. */
export interface OrderedNode extends Pick<ClusterNode, 'state'> {
  /**
   * Ends the process cleanly once the order is answered, which lets another node lead at once.
   * Resolves before.
   */
  stepDown(answered: Promise<void>): Promise<void>;
  /**
   * Lets the cluster write the newest formats that this node knows.
   * @returns why it must not; undefined if it does
   */
  finalize(): Promise<string | undefined>;
}

/** The owner's order for an invitation to the cluster. */
export interface InviteOrder {
  readonly order: 'clusterInvite';
  /** The name of the node that is invited. */
  readonly node: string;
}

/** The order that was sent; undefined if it is another one. */
export function readInviteOrder(sent: unknown): InviteOrder | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const { order, node } = sent as Partial<InviteOrder>;
  return order === 'clusterInvite' && typeof node === 'string' ? { order, node } : undefined;
}

/** The owner's order for a new key of tokens. */
export interface RollOrder {
  readonly order: 'rollTokenKey';
  readonly endsSessions: boolean;
}

/** The order that was sent; undefined if it is another one. */
export function readRollOrder(sent: unknown): RollOrder | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const { order, endsSessions } = sent as Partial<RollOrder>;
  return order === 'rollTokenKey' ? { order, endsSessions: endsSessions === true } : undefined;
}

/** The order that was sent; undefined if it is none for a node. */
export function readNodeOrder(sent: unknown): NodeOrder['order'] | undefined {
  if (typeof sent !== 'object' || sent === null || !('order' in sent)) return undefined;
  const { order } = sent;
  return order === 'clusterStepDown' || order === 'clusterFinalize' ? order : undefined;
}

/** Why a node refuses what only the leader does. */
export function notLeading(state: Pick<NodeState, 'leaderId'> | undefined): string {
  const leaderId = state?.leaderId;
  const there = leaderId === undefined ? 'no node leads' : `node ${leaderId} does`;
  return `This node does not lead: ${there}. Give the order there.`;
}

/** Carries an order out. `answered` resolves once its answer has left. Never rejects. */
export async function answerNodeOrder(
  node: OrderedNode | undefined,
  order: NodeOrder['order'],
  answered: Promise<void>,
): Promise<NodeAnswer> {
  if (node === undefined) return { refused: 'This controller runs in no cluster.' };
  const { role, term } = node.state;
  if (role !== 'leading') return { refused: notLeading(node.state) };
  try {
    if (order === 'clusterFinalize') {
      const objection = await node.finalize();
      if (objection !== undefined) return { refused: objection };
      return { done: 'The upgrade is final: the nodes write the newest formats from now on.' };
    }
    await node.stepDown(answered);
    return { done: `This node has led up to term ${term} and starts again as a follower.` };
  } catch (error) {
    return { refused: `It failed: ${reasonOf(error)}.` };
  }
}

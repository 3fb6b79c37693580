// Invitations to a cluster: made by order of the owner of a home, and redeemed once by the machine
// that joins (behaviour/cluster#operating).

import { timingSafeEqual } from 'node:crypto';
import Type from 'typebox';
import { invitationText } from '../../cluster/node/invitation-text.ts';
import type { Reply } from '../../declare/operations/operation.ts';
import { ApiError } from '../../errors/errors.ts';
import {
  type ClusterInvitationRecord,
  clusterInvitationKind,
} from '../../records/cluster-invitation.ts';
import { tokenHash } from '../../records/token-hash.ts';
import { type Context, type Operation, operation, type ResourceEnvironment } from '../context.ts';

/** How long an invitation can be redeemed, in ms. @bound per entity */
const invitedMs = 30 * 60_000;
/** Wrong secrets after which an invitation is gone. @bound per entity */
const wrongSecretsMax = 5;
/** Invitations that may be open at the same time. @bound per controller */
const invitationsMax = 16;

/** Nobody is invited; the message is a sentence. Nothing was changed. */
export class InviteRefused extends Error {
  override readonly name = 'InviteRefused';
}

/** An invitation that was made. */
export interface Invitation {
  readonly id: string;
  /** Wall-clock ms. */
  readonly expiresAt: number;
  /** The text for the machine that joins. The controller does not store it. */
  readonly text: string;
}

/**
 * Makes an invitation for a node of that name. Resolves once it is durable.
 * @throws InviteRefused, ApiError or errors of the journal
 */
export async function inviteNode(env: ResourceEnvironment, node: string): Promise<Invitation> {
  const [root] = env.trust.anchors.filter((anchor) => anchor.checkIssued(anchor));
  if (root === undefined) throw new InviteRefused('The CA of the cluster has no root to check.');
  const key = apiKeyOf(env);
  const pin = `SHA256:${root.fingerprint256.replaceAll(':', '').toLowerCase()}`;
  const [id, secret] = [env.ids.entity(), env.ids.uuid()];
  const cause = { actor: 'edge-control cluster invite', requestId: '', operation: 'inviteNode' };
  const expiresAt = env.store.transact(cause, (tx) => {
    const table = env.store.table(clusterInvitationKind);
    const open = [...table.all()].map(({ record }) => record);
    for (const old of open) if (isOver(old, tx.now)) tx.delete(table, old.id);
    if (open.filter((each) => !isOver(each, tx.now)).length >= invitationsMax) {
      throw new InviteRefused(`${invitationsMax} invitations are open: wait until one is over.`);
    }
    const times = { createdAt: tx.now, updatedAt: tx.now, expiresAt: tx.now + invitedMs };
    const secretHash = tokenHash(secret);
    tx.put(table, { id, tags: {}, ...times, node, secretHash, triesLeft: wrongSecretsMax });
    return times.expiresAt;
  });
  await env.store.journal.flush();
  const text = invitationText({ addresses: addressesOf(env), pin, key, id, secret });
  return { id, expiresAt, text };
}

/** The fingerprint that all nodes tell. @throws InviteRefused while this one has not told it */
function apiKeyOf({ cluster }: ResourceEnvironment): string {
  const { id: ownId, members = [] } = cluster() ?? {};
  const key = members.find(({ id }) => id === ownId)?.keys['API key'];
  if (key !== undefined) return key;
  throw new InviteRefused('This node has told nobody of its keys so far: try again in a moment.');
}

/** This node comes first: its entry among the members may be one from before its start. */
function addressesOf({ addresses, cluster }: ResourceEnvironment): readonly string[] {
  const { id: ownId, members = [] } = cluster() ?? {};
  const others = members.filter(({ id, isUnsealed }) => id !== ownId && isUnsealed !== true);
  return [addresses.authority, ...others.map(({ advertised }) => advertised)];
}

/** The operation by which a machine gets the keys of the cluster. */
export const clusterInvitations: readonly Operation[] = [
  operation({
    id: 'clusterRedeemInvitation',
    apis: ['fabric'],
    method: 'POST',
    path: '/cluster/redeem-invitation',
    access: 'public',
    summary: 'Get the keys of the cluster by an invitation, once',
    answer: Type.Object({
      files: Type.Array(Type.Object({ name: Type.String(), base64: Type.String() })),
    }),
    body: Type.Object({
      id: Type.String({ maxLength: 100 }),
      secret: Type.String({ maxLength: 100 }),
    }),
    errors: [400, 401, 429],
    decide: (context: Context<{ readonly id: string; readonly secret: string }>): Reply => {
      const { env, tx, now, body } = context;
      const cluster = env.cluster();
      if (cluster === undefined) throw new ApiError('SERVER_NOT_RUNNING_IN_HA_MODE');
      const table = env.store.table(clusterInvitationKind);
      const invitation = table.find(body.id)?.record;
      if (invitation === undefined || isOver(invitation, now)) throw new ApiError('UNAUTHORIZED');
      if (!isSecretOf(invitation, body.secret)) {
        const triesLeft = invitation.triesLeft - 1;
        if (triesLeft <= 0) tx.delete(table, invitation.id);
        else tx.put(table, { ...invitation, triesLeft, updatedAt: now });
        return { form: 'refused', error: new ApiError('UNAUTHORIZED') };
      }
      tx.actAs(`invitation of ${invitation.node}`);
      tx.delete(table, invitation.id);
      const files = [...cluster.keyFiles()].map(([name, bytes]) => ({
        name,
        base64: bytes.toString('base64'),
      }));
      const headers = [['Cache-Control', 'no-store']] as const;
      return { form: 'data', status: 200, data: [JSON.stringify({ files })], headers };
    },
  }),
];

function isOver({ expiresAt = 0 }: ClusterInvitationRecord, now: number): boolean {
  return expiresAt <= now;
}

function isSecretOf({ secretHash }: ClusterInvitationRecord, secret: string): boolean {
  const [known, given] = [Buffer.from(secretHash), Buffer.from(tokenHash(secret))];
  return known.length === given.length && timingSafeEqual(known, given);
}

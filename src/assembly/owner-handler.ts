// Carries out what the owner of a home orders of the controller that runs on it.

import * as durability from '../../snapshots/errors.ts';
import { adoptTokenKey, RollRefused, rollTokenKey } from '../auth/token-keys/roll.ts';
import { ApiError } from '../errors/errors.ts';
import type { OwnerHandler } from '../http/server/owner-socket.ts';
import { healthOf } from '../monitoring/health-checks.ts';
import type { Sources } from '../monitoring/sources.ts';
import type { Log } from '../observe/logs.ts';
import { version } from '../platform/version.ts';
import {
  type AdministratorReset,
  type ResetAnswer,
  ResetRefused,
  resetAdministrator,
} from '../resources/authenticators/administrator-reset.ts';
import { InviteRefused, inviteNode } from '../resources/controller/cluster-invitations.ts';
import { formatHostPort, type HostPort } from '../settings/setting-type.ts';
import { DuplicateKey } from '../store/table.ts';
import { Busy } from '../turns/admission.ts';
import type { Core } from './core.ts';
import {
  answerNodeOrder,
  type InviteOrder,
  isStatusOrder,
  type NodeAnswer,
  notLeading,
  type OrderedNode,
  type RollOrder,
  readInviteOrder,
  readNodeOrder,
  readResetOrder,
  readRollOrder,
  type StatusAnswer,
} from './owner-orders.ts';

/** Carries out orders of the owner of the home. Never rejects. */
export function ownerHandler(
  core: Core,
  sources: Sources,
  listen: HostPort,
  log: Log,
  node: () => OrderedNode | undefined,
): OwnerHandler {
  return async (order, answered): Promise<ResetAnswer | NodeAnswer | StatusAnswer> => {
    if (isStatusOrder(order)) return statusOf(core, sources, listen);
    const roll = readRollOrder(order);
    if (roll !== undefined) return answerRoll(core, log, roll);
    const invite = readInviteOrder(order);
    if (invite !== undefined) return answerInvite(core, log, invite);
    const nodeOrder = readNodeOrder(order);
    if (nodeOrder === undefined) return answerReset(core, log, readResetOrder(order));
    return answerNodeOrder(node(), nodeOrder, answered);
  };
}

function statusOf({ env }: Core, sources: Sources, listen: HostPort): StatusAnswer {
  const { healthy, state, checks } = healthOf(sources);
  return {
    url: env.addresses.url,
    listen: formatHostPort(listen),
    release: version,
    startedAt: new Date(sources.startedAtMs).toISOString(),
    state,
    healthy,
    problems: checks.filter((check) => !check.healthy).map(({ message }) => message),
  };
}

/** Carries out a reset and logs it. Never rejects. */
export async function answerReset(
  { env }: Core,
  log: Log,
  order: AdministratorReset | undefined,
): Promise<ResetAnswer> {
  if (order === undefined) return { refused: 'This controller does not know the order.' };
  if (!env.store.isAttached) return { refused: notLeading(env.cluster()?.state) };
  try {
    const done = await resetAdministrator(env, order);
    const { identityId, lines } = done;
    log.warn({ identityId, lines }, 'an administrator was reset at the order of the owner');
    return done;
  } catch (err) {
    const refused = refusalSentence(err);
    if (refused !== undefined) return { refused };
    log.error({ err }, 'an administrator could not be reset');
    return { refused: 'It failed unexpectedly: the log of the controller says how.' };
  }
}

/** Announces a new key of tokens, and logs it. Never rejects. */
async function answerRoll(
  { env, authority }: Pick<Core, 'env' | 'authority'>,
  log: Log,
  order: RollOrder,
): Promise<NodeAnswer> {
  if (!env.store.isAttached) return { refused: notLeading(env.cluster()?.state) };
  try {
    // The upgrade of a cluster may have become final since this node began to lead.
    adoptTokenKey(env, authority.firstTokenKey);
    const { kid, signsAt } = await rollTokenKey(env, order);
    const at = new Date(signsAt).toISOString();
    log.warn({ kid, signsAt: at, endsSessions: order.endsSessions }, 'a token key was announced');
    const then = order.endsSessions
      ? 'All API sessions end then'
      : 'From then on, the former key only verifies';
    return { done: `Key ${kid} was announced and signs from ${at} on. ${then}.` };
  } catch (err) {
    const refused = refusalSentence(err);
    if (refused !== undefined) return { refused };
    log.error({ err }, 'no token key could be made');
    return { refused: 'It failed unexpectedly: the log of the controller says how.' };
  }
}

/** Makes an invitation, and logs it. Never rejects. */
async function answerInvite(
  { env }: Pick<Core, 'env'>,
  log: Log,
  { node }: InviteOrder,
): Promise<NodeAnswer> {
  if (env.cluster() === undefined) return { refused: 'This controller runs in no cluster.' };
  if (!env.store.isAttached) return { refused: notLeading(env.cluster()?.state) };
  try {
    const { id, expiresAt, text } = await inviteNode(env, node);
    const until = new Date(expiresAt).toISOString();
    log.warn({ id, node, until }, 'a node was invited to the cluster');
    return { done: text };
  } catch (err) {
    const refused = refusalSentence(err);
    if (refused !== undefined) return { refused };
    log.error({ err }, 'no node could be invited');
    return { refused: 'It failed unexpectedly: the log of the controller says how.' };
  }
}

function refusalSentence(error: unknown): string | undefined {
  if (error instanceof ResetRefused || error instanceof ApiError) return error.message;
  if (error instanceof RollRefused || error instanceof InviteRefused) return error.message;
  if (error instanceof Busy || error instanceof DuplicateKey) return `${error.message}.`;
  if (error instanceof durability.JournalStalled) {
    return 'The storage does not respond at the moment; nothing was changed.';
  }
  return undefined;
}

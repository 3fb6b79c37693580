// The tokens and sessions that routers report: those in use stay alive, and routers learn which are
// dead (behaviour/control-channel#api-session-sync).

import { hasExpired, isDisabled } from '../../auth/callers.ts';
import {
  type Frame,
  MalformedMessage,
  type Message,
  type MessageSteps,
} from '../../channel/channel-api.ts';
import { decodeParts, edge } from '../../channel/messages/messages.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import { identityKind } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { sessionKind } from '../../records/session.ts';
import { tokenHash } from '../../records/token-hash.ts';
import type { RoutersContext } from '../context.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import { removedMessage, sessionsRemovedMessage } from './api-session-messages.ts';
import { policiesOf } from './by-policy.ts';
import { isUsable } from './ended-sessions.ts';
import type { SyncedRouter } from './router-groups.ts';

/** A client of the identity is connected to the router now. */
export type IdentityHeard = (identityId: string, routerId: string) => void;

/** The parts of the sync that this needs. */
export interface ReportedTokensOptions {
  readonly heard: IdentityHeard;
  /** The router as the sync knows it; undefined when it is gone. */
  readonly find: (router: ConnectedRouter) => SyncedRouter | undefined;
}

/** Looks up what routers report, in steps. */
export class ReportedTokens {
  readonly #context: RoutersContext;
  readonly #options: ReportedTokensOptions;
  /** By router, the connection by which it reported first; at the first start after a migration. */
  #first: Map<string, ConnectedRouter> | undefined;

  constructor(context: RoutersContext, options: ReportedTokensOptions) {
    this.#context = context;
    this.#options = options;
  }

  /**
   * Sessions were not taken over. Those that a router reports over its first connection are of the
   * former controller, and what rests on them goes on (behaviour/control-channel#api-session-sync).
   */
  succeedFormer(): void {
    this.#first = new Map();
  }

  /** @throws MalformedMessage */
  heartbeat(router: ConnectedRouter, frame: Frame): MessageSteps {
    return this.#examine(router, frame, {
      *reported(body) {
        for (const { tokens } of decodeParts(edge.ApiSessionHeartbeat, body)) yield tokens;
      },
      isAlive: (token, synced) => this.#touch(token, synced),
      dead: (some) => removedMessage({ tokens: some, ids: [] }),
    });
  }

  /** @throws MalformedMessage */
  validate(router: ConnectedRouter, frame: Frame): MessageSteps {
    if (this.#first?.has(router.id) === false) this.#first.set(router.id, router);
    const areFormer = this.#first?.get(router.id) === router;
    return this.#examine(router, frame, {
      *reported(body) {
        const parts = decodeParts(edge.ValidateSessionsRequest, body);
        for (const { sessionTokens } of parts) yield sessionTokens;
      },
      isAlive: (id) => this.#isSessionAlive(id, router.id, areFormer),
      dead: sessionsRemovedMessage,
    });
  }

  /** Looks up each token of a message, some per step, and answers with the dead ones. */
  *#examine(
    connected: ConnectedRouter,
    { body }: Frame,
    { reported, isAlive, dead }: Examination,
  ): MessageSteps {
    const router = this.#options.find(connected);
    if (router === undefined) return;
    if (body.length > reportedBytesMax) {
      throw new MalformedMessage('too many tokens are reported in one message');
    }
    const found: string[] = [];
    for (const some of reported(body)) {
      for (const token of some) if (!isAlive(token, router)) found.push(token);
      yield;
    }
    for (let at = 0; at < found.length; at += deadAMessage) {
      connected.channel.send(dead(found.slice(at, at + deadAMessage)));
    }
  }

  /** A client of the router uses the token, so its API session is active. */
  #touch(token: string, { router, group }: SyncedRouter): boolean {
    const { env } = this.#context;
    if (token.length > tokenLengthMax) return false;
    const row = env.store.table(apiSessionKind).findBy('tokenHash', tokenHash(token));
    if (row === undefined || !isUsable(row.record)) return false;
    const now = env.clock.now();
    const identity = env.store.table(identityKind).find(row.record.identityId);
    if (identity === undefined || isDisabled(identity.record, now)) return false;
    if (hasExpired(env, row, now)) return false;
    const policies = policiesOf(env, 'identity', identity.slot);
    if (!policies.some((policy) => group.policies.includes(policy))) return false;
    env.activity.touch(row.slot, now);
    this.#options.heard(identity.id, router.id);
    return true;
  }

  /** Whether a session gives a right at this router; `ifUnknown` for one that is not stored. */
  #isSessionAlive(id: string, routerId: string, ifUnknown: boolean): boolean {
    const { store, access } = this.#context.env;
    const session = store.table(sessionKind).find(id)?.record;
    if (session === undefined) return ifUnknown;
    if (!isUsable(store.table(apiSessionKind).find(session.apiSessionId)?.record)) return false;
    const identity = store.table(identityKind).find(session.identityId);
    const service = store.table(serviceKind).find(session.serviceId);
    const router = store.table(routerKind).find(routerId);
    if (identity === undefined || service === undefined || router === undefined) return false;
    return access.routers.isUsable(identity.slot, service.slot, router.slot);
  }
}

/** How one sort of message is examined. */
interface Examination {
  /** Some hundred at a time. @throws MalformedMessage */
  reported(body: Buffer): Iterable<readonly string[]>;
  isAlive(reported: string, router: SyncedRouter): boolean;
  dead(reported: string[]): Message;
}

/** Dead tokens in one message. */
const deadAMessage = 1000;

/**
 * A reported token, in characters. Ours have 36, and a longer one is not even hashed.
 * @bound per request
 */
const tokenLengthMax = 100;

/**
 * The body of a message of tokens: routers put 10,000 of 38 bytes into one.
 * @bound per request
 */
const reportedBytesMax = 1024 * 1024;

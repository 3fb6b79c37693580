// The tokens and sessions that routers report: those in use stay alive, and routers learn which are
// dead (behaviour/control-channel#api-session-sync).

import { inSlices } from '../../actors/pace.ts';
import { isDisabled } from '../../auth/callers.ts';
import { expiryOf } from '../../auth/session-expiry.ts';
import { type Frame, MalformedMessage } from '../../channel/contract.ts';
import { decodeMessage, edge } from '../../channel/messages/messages.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import { identityKind } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { sessionKind } from '../../records/session.ts';
import { tokenHash } from '../../records/token-hash.ts';
import type { ConnectedRouter, RoutersContext } from '../contract.ts';
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

/** Looks up what routers report, in slices if it is much. */
export class ReportedTokens {
  readonly #context: RoutersContext;
  readonly #options: ReportedTokensOptions;

  constructor(context: RoutersContext, options: ReportedTokensOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** @throws MalformedMessage */
  heartbeat(router: ConnectedRouter, frame: Frame): void {
    const { tokens } = decodeMessage(edge.ApiSessionHeartbeat, frame.body);
    this.#examine(router, tokens, {
      isAlive: (token, synced) => this.#touch(token, synced),
      dead: (some) => removedMessage({ tokens: some, ids: [] }),
    });
  }

  /** @throws MalformedMessage */
  validate(router: ConnectedRouter, frame: Frame): void {
    const { sessionTokens } = decodeMessage(edge.ValidateSessionsRequest, frame.body);
    this.#examine(router, sessionTokens, {
      isAlive: (id) => this.#isSessionAlive(id, router.id),
      dead: sessionsRemovedMessage,
    });
  }

  #examine(
    router: ConnectedRouter,
    reported: readonly string[],
    { isAlive, dead }: Examination,
  ): void {
    const synced = this.#options.find(router);
    if (synced === undefined) return;
    if (synced.waitingMessages >= reportedMessagesMax) {
      throw new MalformedMessage('tokens are reported faster than they can be looked up');
    }
    const steps = function* () {
      const found: string[] = [];
      let looked = 0;
      for (const token of reported) {
        if (!isAlive(token, synced)) found.push(token);
        if (++looked % tokensAStep === 0) yield;
        if (router.channel.isClosed) return;
      }
      for (let at = 0; at < found.length; at += deadAMessage) {
        router.channel.send(dead(found.slice(at, at + deadAMessage)));
      }
    };
    if (reported.length < tokensAStep) {
      for (const _ of steps());
      return;
    }
    const { env, log } = this.#context;
    synced.waitingMessages += 1;
    void inSlices(steps(), env.clock, sliceMs)
      .catch((err) => log.error({ err }, 'reported tokens could not be looked up'))
      .finally(() => {
        synced.waitingMessages -= 1;
      });
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
    const activeAt = env.activity.lastActivityAt(row.slot);
    const { createdAt } = row.record;
    if (activeAt !== undefined && expiryOf(env.config, createdAt, activeAt) <= now) return false;
    const policies = policiesOf(env, 'identity', identity.slot);
    if (!policies.some((policy) => group.policies.includes(policy))) return false;
    env.activity.touch(row.slot, now);
    this.#options.heard(identity.id, router.id);
    return true;
  }

  /** Whether a session still gives a right at this router. */
  #isSessionAlive(id: string, routerId: string): boolean {
    const { store, access } = this.#context.env;
    const session = store.table(sessionKind).find(id)?.record;
    if (session === undefined) return false;
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
  isAlive(reported: string, router: SyncedRouter): boolean;
  dead(reported: string[]): ReturnType<typeof removedMessage>;
}

/** Tokens between two looks at the clock: up to 0.5 ms. */
const tokensAStep = 128;

/** How long a slice of look-ups takes. */
const sliceMs = 2;

/** Dead tokens in one message. */
const deadAMessage = 1000;

/**
 * A reported token, in characters. Ours have 36, and a longer one is not even hashed.
 * @bound per request
 */
const tokenLengthMax = 100;

/**
 * Messages of tokens that are being looked up for one router at a time. A router sends one per
 * 10,000 tokens and minute. @bound per connection
 */
const reportedMessagesMax = 32;

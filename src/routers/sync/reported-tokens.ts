// The tokens and sessions that routers report: those in use stay alive, and routers learn which are
// dead (behaviour/control-channel#api-session-sync).

import { inSlices } from '../../actors/pace.ts';
import { isDisabled } from '../../auth/callers.ts';
import { expiryOf } from '../../auth/session-expiry.ts';
import { type Frame, MalformedMessage, type Message } from '../../channel/contract.ts';
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

/** A message that waits for its turn. */
interface Waiting {
  readonly router: SyncedRouter;
  readonly body: Buffer;
  readonly examination: Examination;
}

/** Looks up what routers report: little at once, more in slices, one message after another. */
export class ReportedTokens {
  readonly #context: RoutersContext;
  readonly #options: ReportedTokensOptions;
  readonly #queue: Waiting[] = [];
  #waitingBytes = 0;
  #isRunning = false;

  constructor(context: RoutersContext, options: ReportedTokensOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** @throws MalformedMessage */
  heartbeat(router: ConnectedRouter, frame: Frame): void {
    this.#receive(router, frame, {
      reported: (body) => decodeMessage(edge.ApiSessionHeartbeat, body).tokens,
      isAlive: (token, synced) => this.#touch(token, synced),
      dead: (some) => removedMessage({ tokens: some, ids: [] }),
    });
  }

  /** @throws MalformedMessage */
  validate(router: ConnectedRouter, frame: Frame): void {
    this.#receive(router, frame, {
      reported: (body) => decodeMessage(edge.ValidateSessionsRequest, body).sessionTokens,
      isAlive: (id) => this.#isSessionAlive(id, router.id),
      dead: sessionsRemovedMessage,
    });
  }

  #receive(connected: ConnectedRouter, { body }: Frame, examination: Examination): void {
    const router = this.#options.find(connected);
    if (router === undefined) return;
    if (body.length > reportedBytesMax) {
      throw new MalformedMessage('too many tokens are reported in one message');
    }
    if (body.length <= littleBytes) {
      for (const _ of examine(router, body, examination));
      return;
    }
    if (router.waitingMessages >= reportedMessagesMax) {
      throw new MalformedMessage('tokens are reported faster than they can be looked up');
    }
    if (this.#waitingBytes + body.length > reportedBytesWaitingMax) {
      this.#context.log.warn({ router: connected.id }, 'reported tokens were not looked up');
      return;
    }
    router.waitingMessages += 1;
    this.#waitingBytes += body.length;
    this.#queue.push({ router, body, examination });
    this.#run();
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { env, log } = this.#context;
    void inSlices(this.#steps(), env.clock, sliceMs)
      .catch((err) => log.error({ err }, 'reported tokens could not be looked up'))
      .finally(() => {
        this.#isRunning = false;
        if (this.#queue.length > 0) this.#run();
      });
  }

  *#steps(): Generator<undefined, void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const { router, body, examination } = next;
      try {
        yield* examine(router, body, examination);
      } catch (error) {
        if (!(error instanceof MalformedMessage)) throw error;
        router.router.channel.close(error.message);
      } finally {
        router.waitingMessages -= 1;
        this.#waitingBytes -= body.length;
      }
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

/** Looks up each token of a message, some per step, and answers with the dead ones. */
function* examine(
  router: SyncedRouter,
  body: Buffer,
  { reported, isAlive, dead }: Examination,
): Generator<undefined, void> {
  const { channel } = router.router;
  const found: string[] = [];
  let looked = 0;
  for (const token of reported(body)) {
    if (!isAlive(token, router)) found.push(token);
    if (++looked % tokensAStep === 0) yield;
    if (channel.isClosed) return;
  }
  for (let at = 0; at < found.length; at += deadAMessage) {
    channel.send(dead(found.slice(at, at + deadAMessage)));
  }
}

/** How one sort of message is examined. */
interface Examination {
  /** @throws MalformedMessage */
  reported(body: Buffer): readonly string[];
  isAlive(reported: string, router: SyncedRouter): boolean;
  dead(reported: string[]): Message;
}

/** Tokens between two looks at the clock: up to 0.5 ms. */
const tokensAStep = 128;

/** As much as is looked up in the turn of the message: 100 tokens of 38 bytes. */
const littleBytes = 3800;

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
 * The body of a message of tokens: routers put 10,000 of 38 bytes into one.
 * @bound per request
 */
const reportedBytesMax = 1024 * 1024;

/**
 * Messages of many tokens that wait to be looked up for one router. A router sends one per 10,000
 * tokens and minute. @bound per connection
 */
const reportedMessagesMax = 8;

/**
 * The bodies of all messages that wait to be looked up; further ones are dropped. That is a minute
 * of 1,700,000 tokens. @bound per controller
 */
const reportedBytesWaitingMax = 64 * 1024 * 1024;

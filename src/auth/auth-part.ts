// The part of the controller that authentication provides.

import { availableParallelism } from 'node:os';
import type { Addresses } from '../declare/operations/environment.ts';
import type { Caller } from '../declare/operations/operation.ts';
import type { EventSink } from '../observe/events.ts';
import { Histogram, latencyBounds } from '../observe/histogram.ts';
import type { Log } from '../observe/logs.ts';
import type { Authority } from '../pki/authority/authority.ts';
import type { Serving } from '../pki/authority/serving.ts';
import { createOidcTokens, type OidcTokens } from '../pki/tokens/oidc-tokens.ts';
import type { TokenKeys } from '../pki/tokens/token-keys.ts';
import type { Clock, Fetch, Hasher, Random } from '../platform/ports.ts';
import { apiSessionKind } from '../records/api-session.ts';
import { mfaEnrollmentKind } from '../records/mfa-enrollment.ts';
import { type BoundValues, boundsOf } from '../settings/bounds.ts';
import type { Config } from '../settings/config.ts';
import type { Limits } from '../settings/limits.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { Admission, type AdmissionTimes, FifoQueue } from '../turns/admission.ts';
import type { Activity } from './activity.ts';
import { CallerRates } from './caller-rates.ts';
import { type ClientCas, ClientChains } from './certificates/client-chain.ts';
import { createExternalJwts, type ExternalJwts } from './external-jwt/external-jwt.ts';
import { KeyWaits } from './external-jwt/key-waits.ts';
import { AccessTokens } from './oidc/access-tokens.ts';
import { Issuers } from './oidc/issuers.ts';
import { FairQueue, type Share } from './passwords/login-queue.ts';
import { createPasswordCheck, type PasswordCheck } from './passwords/password.ts';
import { admittedHasher, planHashing, type SharedHasher } from './passwords/shared-hasher.ts';
import { RecentLogins } from './recent-logins.ts';
import { RefusedLogins } from './refused-logins.ts';
import type { Sealing } from './sealing/sealing.ts';
import { createMfa, type Mfa } from './second-factor/mfa.ts';
import type { ApiSessionEndings } from './sessions/endings.ts';

/** The part of authentication. */
export interface AuthPart {
  readonly activity: Activity;
  /** Hashes through the bounded queue; rejects with Busy. */
  readonly hasher: SharedHasher;
  readonly checkPassword: PasswordCheck;
  /** Notes that the API session of a caller is in use. */
  noteUse(caller: Pick<Caller, 'session'>): void;
  /** Limits how fast each identity may log in, write and filter lists. */
  readonly rates: CallerRates;
  /** Recent logins by address and user name. */
  readonly recentLogins: RecentLogins;
  /** Reports refused logins and lockouts to the log. */
  readonly refusedLogins: RefusedLogins;
  /** The secrets and codes of second factors. */
  readonly mfa: Mfa;
  /** Opens and seals the sealed values of records. */
  readonly sealing: Sealing;
  /** Evaluates the certificates that a client shows. */
  readonly clientChains: ClientChains;
  /** Evaluates the bearer tokens of a request. */
  readonly externalJwts: ExternalJwts;
  /** Lets requests wait for the keys of their bearer tokens. */
  readonly keyWaits: KeyWaits;
  /** The names of the OIDC provider. */
  readonly issuers: Issuers;
  /** Signs and verifies its tokens. */
  readonly oidcTokens: OidcTokens;
  /** Evaluates its access tokens. */
  readonly accessTokens: AccessTokens;
  /** Ends all API sessions of an identity, large numbers of them by deferred cascades. */
  endApiSessions(tx: Transaction, identityId: string): void;
  /**
   * Ends the API sessions of an authenticator except one, if the configuration says that they end
   * with it. The sessions of a deleted authenticator end without this call.
   */
  endSessionsOfAuthenticator(tx: Transaction, id: string, exceptId: string | undefined): void;
}

/** What authentication is built from. */
export interface AuthOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: Fetch;
  readonly hasher: Hasher;
  readonly log: Log;
  readonly bounds?: BoundValues;
  readonly store: Store;
  readonly authority: Authority;
  readonly tokenKeys: TokenKeys;
  /** Holds the certificate that serves the API. */
  readonly serving: Pick<Serving, 'server'>;
  readonly addresses: Pick<Addresses, 'authority'>;
  /** The nodes of the cluster, if there is one. */
  readonly cluster: () =>
    | { readonly members: readonly { readonly advertised: string }[] }
    | undefined;
  /** The third-party CAs whose certificates clients may show. */
  readonly cas: ClientCas;
  readonly activity: Activity;
  readonly sealing: Sealing;
  readonly hashing: HashingQueue;
  /** The queue of signatures in the libuv pool. */
  readonly signatures: Admission;
  readonly apiSessionEndings: ApiSessionEndings;
  readonly events: EventSink;
}

/** Creates the part of authentication. */
export function createAuth(options: AuthOptions): AuthPart {
  const { config, clock, random, bounds, store, authority, cas, activity, sealing } = options;
  const { limits } = config;
  const hasher = admittedHasher(options.hasher, options.hashing.queue);
  const externalJwts = createJwts(options);
  return {
    activity,
    noteUse: ({ session }) => activity.touch(session.slot, clock.now()),
    sealing,
    hasher,
    checkPassword: createPasswordCheck(hasher, random, config.argon2),
    rates: new CallerRates({ store, clock, limits }),
    recentLogins: new RecentLogins(limits.recentLoginsMax),
    refusedLogins: new RefusedLogins(clock, options.log.info, options.events),
    mfa: createFollowingMfa(options),
    clientChains: new ClientChains(authority, cas, limits, bounds),
    externalJwts,
    keyWaits: new KeyWaits({ keys: externalJwts.keys, clock, limits, bounds }),
    ...createTokens(options),
    endApiSessions(tx, key) {
      options.apiSessionEndings.end(tx, { by: 'identityId', key });
    },
    endSessionsOfAuthenticator(tx, key, exceptId) {
      if (!config.auth.endSessionsWithCredential) return;
      options.apiSessionEndings.end(tx, { by: 'authenticatorId', key, exceptId });
    },
  };
}

/** The tokens of the OIDC provider. */
function createTokens({
  config,
  bounds,
  store,
  authority,
  tokenKeys,
  serving,
  addresses,
  cluster,
}: AuthOptions): Pick<AuthPart, 'issuers' | 'oidcTokens' | 'accessTokens'> {
  const tokens = createOidcTokens(tokenKeys);
  const issuers = new Issuers({
    certificate: () => serving.server.certificate,
    *authorities() {
      yield addresses.authority;
      for (const { advertised } of cluster()?.members ?? []) yield advertised;
    },
    *ports() {
      yield config.listen.port;
      if (config.directListen !== undefined) yield config.directListen.port;
    },
  });
  const sessions = store.table(apiSessionKind);
  const accessTokens = new AccessTokens({
    tokens,
    issuers,
    knownMax: boundsOf(tokenBounds, bounds).accessTokensKnownMax,
    network: `spiffe://${authority.trustDomain}/`,
    hasSession: (id) => sessions.find(id) !== undefined,
  });
  // Tokens of a removed key must be verified again, and then fail.
  tokenKeys.onChange((isGone) => {
    if (isGone) accessTokens.forget();
  });
  return { issuers, oidcTokens: tokens, accessTokens };
}

/** The queue of password hashes, and how long they wait in it. */
export interface HashingQueue extends Omit<AdmissionTimes, 'clock'> {
  readonly queue: Admission<Share>;
}

/** The queue of a controller: as many hashes at once as the machine has cores. */
export function createHashing(clock: Clock, limits: Limits): HashingQueue {
  const times = { waited: new Histogram(latencyBounds), ran: new Histogram(latencyBounds) };
  const queue = new Admission<Share>({
    runningMax: planHashing(availableParallelism()).runningMax,
    queue: new FairQueue(limits.authenticationsWaitingMax),
    timed: { clock, ...times },
  });
  return { queue, ...times };
}

/**
 * Their fetches, checks and waits for keys each pass through an admission, and reject with Busy. As
 * many logins may wait for keys as for hashes; the two are counted separately.
 */
function createJwts({ config, bounds, clock, log, ...options }: AuthOptions): ExternalJwts {
  const { limits } = config;
  const { jwksFetchesMax: runningMax } = boundsOf(fetchBounds, bounds);
  // At most one per signer, so the queue is as long as the list of signers.
  const fetches = new Admission({ runningMax, queue: new FifoQueue(Number.POSITIVE_INFINITY) });
  const logins = new Admission({
    runningMax: limits.authenticationsWaitingMax,
    queue: new FifoQueue(0),
  });
  const fetch: Fetch = (url, most) => fetches.run(() => options.fetch(url, most));
  const jwts = createExternalJwts({ fetch, clock, limits, bounds, log });
  return {
    ...jwts,
    fetchKeys: (...shown) => logins.run(() => jwts.fetchKeys(...shown)),
    check: (...shown) => options.signatures.run(() => jwts.check(...shown)),
  };
}

/** Second factors whose opened secrets are forgotten when their enrollment changes. */
function createFollowingMfa({ config, random, clock, bounds, store, sealing }: AuthOptions): Mfa {
  const enrollments = store.table(mfaEnrollmentKind);
  const mfa = createMfa({ sealing, random, clock, bounds, totp: config.totp });
  enrollments.observe((row, before, after) => {
    // A new enrollment has no opened secrets to forget. A start sees every enrollment as new.
    if (before !== undefined && after?.state !== before.state) mfa.forget(row);
  });
  return mfa;
}

const tokenBounds = {
  /**
   * Access tokens whose signatures need not be checked again, some 500 bytes each. Each client has
   * one. @bound per controller
   */
  accessTokensKnownMax: 200_000,
};

const fetchBounds = {
  /**
   * Key sets fetched at the same time; after a start all of them are fetched. @bound per controller
   */
  jwksFetchesMax: 16,
};

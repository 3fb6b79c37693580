// Builds the environment: the parts of a controller that operations use.

import { availableParallelism } from 'node:os';
import type { AccessEnvironment } from './access/environment.ts';
import type { Snapshotter } from './actors/snapshotter.ts';
import {
  Admission,
  admittedFetch,
  admittedHasher,
  admittedJwts,
  PlainLine,
  planHashing,
  signaturesRunningMax,
} from './auth/admission.ts';
import type { ApiSessionEndings } from './auth/api-session-endings.ts';
import type { ApiSessionLife } from './auth/api-session-life.ts';
import { CallerRates } from './auth/caller-rates.ts';
import { ClientChains } from './auth/client-chain.ts';
import type { AuthEnvironment } from './auth/environment.ts';
import { createExternalJwts, type ExternalJwts } from './auth/external-jwt.ts';
import { FairLine, type Share } from './auth/fair-line.ts';
import { Lockouts } from './auth/lockout.ts';
import { createMfa, type Mfa } from './auth/mfa.ts';
import { createPasswordCheck } from './auth/password.ts';
import { RecentLogins } from './auth/recent-logins.ts';
import type { Sealing } from './auth/sealing.ts';
import { type BoundValues, boundsOf } from './bounds.ts';
import type { CoreOptions, Opened } from './core.ts';
import type { Cascades } from './declare/cascades.ts';
import type { AskedSnapshots, Environment } from './declare/environment.ts';
import { ListBuilds } from './declare/list-builds.ts';
import { Registry } from './declare/registry.ts';
import type { InspectEnvironment } from './inspect/server/environment.ts';
import { Inspection } from './inspect/server/inspection.ts';
import { instanceFaces } from './inspect/server/instance-faces.ts';
import type { MachineStates } from './inspect/server/machine-states.ts';
import { Tickets } from './inspect/server/tickets.ts';
import type { IntegrityEnvironment } from './integrity/environment.ts';
import type { Limits } from './limits.ts';
import type { ObserveEnvironment } from './monitoring/environment.ts';
import type { Hashing } from './monitoring/sources.ts';
import { Histogram, latencyBounds } from './observe/histogram.ts';
import type { Log } from './observe/logs.ts';
import { Traces } from './observe/traces.ts';
import { operations } from './operations.ts';
import { createIssuing } from './pki/authority/issuing.ts';
import type { Serving } from './pki/authority/serving.ts';
import type { PkiEnvironment } from './pki/environment.ts';
import type { ApiKey } from './pki/tokens/api-key.ts';
import {
  signCaToken,
  signEnrollmentToken,
  signNetworkToken,
} from './pki/tokens/enrollment-tokens.ts';
import { createSessionTokens } from './pki/tokens/session-tokens.ts';
import type { Clock } from './ports.ts';
import type { PostureEnvironment } from './posture/environment.ts';
import { FailedRequests } from './posture/failed-requests.ts';
import { mfaEnrollmentKind } from './records/mfa-enrollment.ts';
import { clientCas } from './resources/cas/client-cas.ts';
import { kinds, resources } from './resources/index.ts';
import type { Store } from './store/store.ts';

/** The queue of password hashes, and how long they wait in it. */
export interface HashingQueue extends Hashing {
  readonly queue: Admission<Share>;
}

/** The queue of a controller: as many hashes at once as the machine has cores. */
export function createHashing(clock: Clock, limits: Limits): HashingQueue {
  const times = { waited: new Histogram(latencyBounds), ran: new Histogram(latencyBounds) };
  const queue = new Admission<Share>({
    runningMax: planHashing(availableParallelism()).runningMax,
    line: new FairLine(limits.authenticationsWaitingMax),
    timed: { clock, ...times },
  });
  return { queue, ...times };
}

/** The parts of a core that are created before its environment. */
export interface Parts
  extends AccessEnvironment,
    Pick<PostureEnvironment, 'posture'>,
    Pick<AuthEnvironment, 'activity' | 'sealing'>,
    Pick<InspectEnvironment, 'logReader' | 'audit'>,
    IntegrityEnvironment,
    ObserveEnvironment {
  readonly serving: Serving;
  readonly cascades: Cascades;
  readonly states: MachineStates;
  readonly send: Environment['send'];
  readonly snapshotter: Snapshotter;
  readonly hashing: HashingQueue;
  readonly apiSessionEndings: ApiSessionEndings;
  /** Tells which timed event a record will receive, and when. */
  readonly waitOf: ApiSessionLife['waitOf'];
}

/** Builds the environment of a controller. */
export function createEnvironment(options: CoreOptions, opened: Opened, parts: Parts): Environment {
  const { config, clock, random, bounds } = options;
  const { store, authority } = opened;
  const { limits } = config;
  const hasher = admittedHasher(options.hasher, parts.hashing.queue);
  const { serving } = parts;
  const { access, posture, activity, sealing, integrity, observation, logReader, audit } = parts;
  const { url } = options.addresses;
  // The queue needs no bound: its entries are requests, which are bounded on arrival.
  const signatures = new Admission({
    runningMax: signaturesRunningMax,
    line: new PlainLine(Number.POSITIVE_INFINITY),
  });
  return {
    store,
    ...shown(options, opened, parts),
    builds: new ListBuilds(clock, limits, bounds),
    access,
    posture,
    activity,
    sealing,
    integrity,
    observation,
    logReader,
    audit,
    memory: options.memory,
    hasher,
    checkPassword: createPasswordCheck(hasher, random, config.argon2),
    lockouts: new Lockouts(),
    rates: new CallerRates({ store, clock, limits }),
    recentLogins: new RecentLogins(limits.recentLoginsMax),
    mfa: openMfa(options, store, sealing),
    clientChains: new ClientChains(authority, clientCas(store), limits, bounds),
    issuing: createIssuing(authority, clock, random),
    externalJwts: createJwts(options, signatures),
    snapshots: createAsked(parts.snapshotter, clock, limits.snapshotIntervalMs),
    presence: options.presence,
    traces: createTraces(store, bounds),
    failedRequests: createFailedRequests(store, bounds),
    sessionTokens: createSessionTokens(authority.tokenKey, url),
    tickets: new Tickets({ clock, random, bounds }),
    clock,
    ids: opened.ids,
    config,
    limits,
    bounds,
    get tellPlan() {
      return tellPlanOf(options.log);
    },
    addresses: {
      ...options.addresses,
      // Never earlier than the start that was last reported: change stamps must not go back
      // (behaviour/api-sessions#service-updates).
      startedAt: Math.max(clock.now(), opened.report.lastTimeMs),
      instanceId: opened.ids.uuid(),
    },
    send: parts.send,
    ...endingsBy(config, parts.apiSessionEndings),
    ...enrollmentSigning(serving, url, signatures),
    trust: authority,
    get apiKey() {
      return serving.apiKey;
    },
    get serverCertificate() {
      return serving.server.certificate;
    },
  };
}

/**
 * Creates the inspector's view of kinds, resources, and each record as an instance of its machine.
 */
function shown(
  { config, bounds }: CoreOptions,
  { store }: Opened,
  { cascades, states, waitOf }: Parts,
): Pick<Environment, 'registry' | 'inspection'> {
  const faces = instanceFaces(kinds, resources);
  return {
    registry: new Registry({
      kinds,
      resources,
      operations,
      cascades,
      store,
      limits: config.limits,
      bounds,
      faces: [...faces.values()],
    }),
    inspection: new Inspection({ store, kinds, faces, waitOf, states, bounds }),
  };
}

function endingsBy(
  { auth }: CoreOptions['config'],
  endings: ApiSessionEndings,
): Pick<AuthEnvironment, 'endApiSessions' | 'endSessionsOfAuthenticator'> {
  return {
    endApiSessions: (tx, key) => void endings.end(tx, { by: 'identityId', key }),
    endSessionsOfAuthenticator(tx, key, exceptId) {
      if (!auth.endSessionsWithCredential) return;
      endings.end(tx, { by: 'authenticatorId', key, exceptId });
    },
  };
}

/** Undefined while debug lines are off; the level may change at any time. */
function tellPlanOf(log: Log): Environment['tellPlan'] {
  return log.level === 'debug'
    ? (plan) => log.debug(plan, 'how a list came by its rows')
    : undefined;
}

/** The functions that sign with the API's key, in the libuv pool. */
function enrollmentSigning(
  serving: Serving,
  url: string,
  signatures: Admission,
): Pick<PkiEnvironment, 'signEnrollment' | 'signCaEnrollment' | 'networkJwt'> {
  let network: { readonly by: ApiKey; readonly jwt: string } | undefined;
  const by = (sign: (signer: ApiKey['signer']) => Promise<string>) =>
    signatures.run(() => sign(serving.apiKey.signer));
  return {
    signEnrollment: (claims) =>
      by((signer) => signEnrollmentToken(signer, { issuerUrl: url, controllers: [], ...claims })),
    signCaEnrollment: (caId) => by((signer) => signCaToken(signer, url, caId)),
    networkJwt() {
      const { apiKey } = serving;
      if (network?.by === apiKey) return network.jwt;
      return by(() => signNetworkToken(apiKey.signer, url)).then((jwt) => {
        network = { by: apiKey, jwt };
        return jwt;
      });
    },
  };
}

/** As many logins may wait for keys as for hashes; the two are counted separately. */
function createJwts(
  { config, fetch, clock, log, bounds }: CoreOptions,
  checks: Admission,
): ExternalJwts {
  const { limits } = config;
  const { jwksFetchesMax: runningMax } = boundsOf(fetchBounds, bounds);
  // At most one per signer, so the queue is as long as the list of signers.
  const fetches = new Admission({ runningMax, line: new PlainLine(Number.POSITIVE_INFINITY) });
  const logins = new Admission({
    runningMax: limits.authenticationsWaitingMax,
    line: new PlainLine(0),
  });
  const options = { fetch: admittedFetch(fetch, fetches), clock, limits, bounds, log };
  return admittedJwts(createExternalJwts(options), { fetches: logins, checks });
}

/** A snapshot that failed may be requested again at once. */
function createAsked(snapshotter: Snapshotter, clock: Clock, intervalMs: number): AskedSnapshots {
  let notBefore = Number.NEGATIVE_INFINITY;
  return {
    ask() {
      if (clock.monotonic() < notBefore) return undefined;
      notBefore = Number.POSITIVE_INFINITY;
      return snapshotter.take().then(
        () => {
          notBefore = clock.monotonic() + intervalMs;
        },
        (error: unknown) => {
          notBefore = Number.NEGATIVE_INFINITY;
          throw error;
        },
      );
    },
  };
}

function openMfa(
  { config, random, clock, bounds }: CoreOptions,
  store: Store,
  sealing: Sealing,
): Mfa {
  const enrollments = store.table(mfaEnrollmentKind);
  const mfa = createMfa({ sealing, random, clock, bounds, totp: config.totp });
  enrollments.observe((row, before, after) => {
    // A new enrollment has no opened secrets to forget. A start sees every enrollment as new.
    if (before !== undefined && after?.state !== before.state) mfa.forget(row);
  });
  return mfa;
}

/** A trace is removed with its identity. */
function createTraces(store: Store, bounds: BoundValues | undefined): Traces {
  const traces = new Traces(bounds);
  store.follow(({ changes }) => {
    for (const { table, row, after } of changes) {
      if (table.kind === 'identity' && after === undefined) traces.end(row.id);
    }
  });
  return traces;
}

/** They are removed with their identity. */
function createFailedRequests(store: Store, bounds: BoundValues | undefined): FailedRequests {
  const requests = new FailedRequests(bounds);
  requests.follow(store);
  return requests;
}

const fetchBounds = {
  /**
   * Key sets fetched at the same time; after a start all of them are fetched. @bound per controller
   */
  jwksFetchesMax: 16,
};

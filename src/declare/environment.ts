// What operations may use of the controller: handed to them with each request, made by
// controller.ts.

import type { X509Certificate } from 'node:crypto';
import type { MachineEvent } from '../../machines/machine.ts';
import type { Access } from '../access/access.ts';
import type { Sent } from '../actors/runtime.ts';
import type { Activity } from '../auth/activity.ts';
import type { SharedHasher } from '../auth/admission.ts';
import type { CallerRates } from '../auth/caller-rates.ts';
import type { ClientChains } from '../auth/client-chain.ts';
import type { ExternalJwts } from '../auth/external-jwt.ts';
import type { Lockouts } from '../auth/lockout.ts';
import type { Mfa } from '../auth/mfa.ts';
import type { PasswordCheck } from '../auth/password.ts';
import type { RecentLogins } from '../auth/recent-logins.ts';
import type { Sealing } from '../auth/sealing.ts';
import type { BoundValues } from '../bounds.ts';
import type { Config } from '../config.ts';
import type { Ids } from '../ids.ts';
import type { AuditFeed } from '../inspect/audit-feed.ts';
import type { LogReader } from '../inspect/contract.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { Tickets } from '../inspect/tickets.ts';
import type { IntegrityRuns } from '../integrity/run.ts';
import type { Limits } from '../limits.ts';
import type { HeapWatch } from '../observe/heap-watch.ts';
import type { LogFields } from '../observe/logs.ts';
import type { Observation } from '../observe/observation.ts';
import type { Traces } from '../observe/traces.ts';
import type { ApiKey } from '../pki/api-key.ts';
import type { Authority } from '../pki/authority.ts';
import type { Issuing } from '../pki/issuing.ts';
import type { SessionTokens } from '../pki/session-tokens.ts';
import type { Clock, RouterPresence } from '../ports.ts';
import type { Posture } from '../posture/contract.ts';
import type { FailedRequests } from '../posture/failed-requests.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { ListBuilds } from './list-builds.ts';
import type { Registry } from './registry.ts';

/** Names of this process and its API. */
export interface Addresses {
  /** `https://host:port`, as advertised. */
  readonly url: string;
  /** `host:port`. */
  readonly authority: string;
  /** Wall-clock ms of the start. */
  readonly startedAt: number;
  /** Id of this process; SDKs refresh when it changes. */
  readonly instanceId: string;
}

/** What a new enrollment's JWT says, beside the address of this controller. */
export interface EnrollmentSubject {
  readonly subject: string;
  readonly method: 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Snapshots as administrators ask for them. */
export interface AskedSnapshots {
  /**
   * Takes a snapshot; rejects when that fails. Undefined where the last one that was asked for is
   * less than `snapshotIntervalMs` ago, or not done.
   */
  ask(): Promise<unknown> | undefined;
}

/** The running controller as operations see it: one a controller. */
export interface Environment {
  readonly store: Store;
  readonly registry: Registry;
  /** Makes what lists of large tables need, step by step. */
  readonly builds: ListBuilds;
  readonly access: Access;
  /** What endpoints must be like, and whether they are. */
  readonly posture: Posture;
  readonly activity: Activity;
  /** Whether there is room for more records. */
  readonly memory: Pick<HeapWatch, 'admitRecord'>;
  /** Behind the bounded queue; rejects with Busy. */
  readonly hasher: SharedHasher;
  readonly checkPassword: PasswordCheck;
  readonly lockouts: Lockouts;
  /** How fast each identity may log in, write and have lists filtered. */
  readonly rates: CallerRates;
  /** Who logged in from where, lately. */
  readonly recentLogins: RecentLogins;
  /** The secrets and codes of second factors. */
  readonly mfa: Mfa;
  /** Opens and seals what records hold sealed. */
  readonly sealing: Sealing;
  /** Who vouches for the certificates that a client shows. */
  readonly clientChains: ClientChains;
  /** Makes certificates with our issuer. */
  readonly issuing: Issuing;
  /** What the bearer tokens of a request prove. */
  readonly externalJwts: ExternalJwts;
  readonly snapshots: AskedSnapshots;
  /** Whether the data is whole, when administrators ask. */
  readonly integrity: Pick<IntegrityRuns, 'results' | 'start'>;
  readonly presence: RouterPresence;
  /** Whose traffic is traced. */
  readonly traces: Traces;
  /** How the controller is doing. */
  readonly observation: Observation;
  /** What posture refused lately. */
  readonly failedRequests: FailedRequests;
  readonly sessionTokens: SessionTokens;
  /** Machines and their instances, as inspectors see them. */
  readonly inspection: Inspection;
  /** Reads the kept log, in a thread of its own. */
  readonly logReader: LogReader;
  /** Who reads the log along. */
  readonly audit: AuditFeed;
  /** What opens streams of inspectors. */
  readonly tickets: Tickets;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
  readonly limits: Limits;
  /** In place of bounds of the code: tests alone have some. */
  readonly bounds: BoundValues | undefined;
  /** Told how each list came by its rows; undefined while nobody reads debug lines. */
  readonly tellPlan: ((plan: LogFields) => void) | undefined;
  readonly addresses: Addresses;
  /**
   * Sends an event to a record's machine within `tx`. @throws ApiError when the machine refuses it.
   */
  send<E extends MachineEvent>(tx: Transaction, kind: string, id: string, event: E): Sent;
  /** Ends all API sessions of an identity, large numbers of them by deferred cascades. */
  endApiSessions(tx: Transaction, identityId: string): void;
  /**
   * Ends the API sessions that were opened by an authenticator, but for one, where the
   * configuration says that they end with it. Of one that is deleted they do so by themselves.
   */
  endSessionsOfAuthenticator(tx: Transaction, id: string, exceptId: string | undefined): void;
  /** Signs an enrollment JWT with the API key (behaviour/enrollment#jwt). */
  signEnrollment(subject: EnrollmentSubject): Promise<string>;
  /** Signs the JWT by which holders of a CA's certificates enroll (behaviour/enrollment). */
  signCaEnrollment(caId: string): Promise<string>;
  /** The key that the API is served with, beside what the signing functions make of it. */
  readonly apiKey: ApiKey;
  /** The CAs of this network: what it issued leads to one of them. */
  readonly trust: Pick<Authority, 'anchors' | 'intermediates' | 'trustDomain'>;
  /** Serves the API at present; its key signs the JWTs that clients enroll by. */
  readonly serverCertificate: X509Certificate;
  /**
   * Tells clients which network this is (behaviour/enrollment#lasting-jwts). It never ends. A
   * promise until it is signed for the first time with the API key.
   */
  networkJwt(): string | Promise<string>;
}

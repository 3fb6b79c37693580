// The controller without its listeners: store, actors, access, credentials and operations, put
// together.

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { compile } from '../machines/compile.ts';
import { machines } from '../machines/index.ts';
import type { Journal, RecoveryReport } from '../snapshots/journal.ts';
import { openHome } from '../snapshots/open.ts';
import { type Access, createAccess } from './access/access.ts';
import { followUpdates } from './access/service-updates.ts';
import { connectAccess } from './access/store-access.ts';
import { createRuntime, type Runtime } from './actors/runtime.ts';
import { transactionHost } from './actors/transaction-host.ts';
import { Activity } from './auth/activity.ts';
import { Admission, admittedHasher, planHashing } from './auth/admission.ts';
import { ApiSessionLife } from './auth/api-session-life.ts';
import { callerAgain, findCaller } from './auth/callers.ts';
import { Lockouts } from './auth/lockout.ts';
import { createPasswordCheck } from './auth/password.ts';
import type { Config } from './config.ts';
import { Cascades } from './declare/cascades.ts';
import type { Addresses, Environment } from './declare/environment.ts';
import { Registry } from './declare/registry.ts';
import { isErrorCode } from './error-codes.ts';
import { ApiError, notFound } from './errors.ts';
import { createApplication } from './http/application.ts';
import type { HttpHandler } from './http/exchange.ts';
import { HeldReplies } from './http/held-replies.ts';
import { Routes } from './http/routes.ts';
import { createIds, type Ids } from './ids.ts';
import type { Log } from './observe/logs.ts';
import { Traces } from './observe/traces.ts';
import { type Authority, openAuthority } from './pki/authority.ts';
import { signCaToken, signEnrollmentToken, signNetworkToken } from './pki/enrollment-tokens.ts';
import { fingerprint } from './pki/pem.ts';
import { createSessionTokens } from './pki/session-tokens.ts';
import { createSigner } from './pki/signer.ts';
import type { Clock, Disk, Hasher, Random, RouterPresence } from './ports.ts';
import { kinds, operations, resources } from './resources/index.ts';
import { sessionSource, updateSources } from './resources/session-sources.ts';
import { Store } from './store/store.ts';
import type { Transaction } from './store/transaction.ts';

/** The world a core works in: real ports, or their simulated twins. */
export interface CoreOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  readonly hasher: Hasher;
  readonly presence: RouterPresence;
  readonly log: Log;
  /** Where the log writer runs; `inline` for simulated disks. */
  readonly writer: 'worker' | 'inline';
  /** Freezes records deeply: tests and development. */
  readonly freeze: boolean;
  /** `https://host:port` as advertised; asked for at the end of the boot, when the port is known. */
  readonly addresses: Pick<Addresses, 'url' | 'authority'>;
}

/** A core that recovered its home and can serve. */
export interface Core {
  readonly env: Environment;
  readonly handler: HttpHandler;
  /** Answers requests whose body is over the bound. */
  readonly tooLarge: HttpHandler;
  readonly authority: Authority;
  readonly journal: Journal;
  readonly report: RecoveryReport;
  /** Whether the home has never been set up. */
  readonly isNew: boolean;
  /** Arms deadlines and flushes: time begins to pass for records. */
  start(): void;
  /** Stops time, writes the last snapshot and the seal, releases the home. */
  close(): Promise<void>;
}

/** Opens the home and puts everything together. @throws what opening the home or the PKI throws. */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { config, clock, random, disk } = options;
  const ids = createIds(random, clock);
  const store = new Store({
    clock,
    tables: kinds.map(({ table }) => table),
    freeze: options.freeze,
    followUpRowsMax: config.limits.followUpRowsMax,
  });
  const { journal, report } = await openHome({
    home: config.home,
    disk,
    clock,
    level: config.durability,
    writer: options.writer,
    newDataSetId: random.bytes(16).toString('hex'),
    segmentBytes: config.limits.segmentBytes,
    frameBytesMax: config.limits.frameBytesMax,
    pendingBytesMax: config.limits.writeBytesWaitingMax,
    snapshotsKept: config.snapshot.keep,
    ...(config.recoverTo === undefined ? {} : { recoverToLsn: config.recoverTo }),
    load: (record) => store.load(record),
  });
  try {
    const authority = await openAuthority({
      disk,
      clock,
      random,
      directory: join(config.home, 'pki'),
      host: config.advertise.host,
      settings: config.pki,
    });
    return assemble(options, { ids, store, journal, report, authority });
  } catch (error) {
    await journal.close();
    throw error;
  }
}

interface Opened {
  readonly ids: Ids;
  readonly store: Store;
  readonly journal: Journal;
  readonly report: RecoveryReport;
  readonly authority: Authority;
}

function assemble(options: CoreOptions, opened: Opened): Core {
  const { config, clock, log } = options;
  const { ids, store, journal, report, authority } = opened;
  const runtime = createRuntime(
    machines.map((machine) => compile(machine)),
    {
      refusal: refusalOf,
      unhandled: (kind, id, state) =>
        state === 'none' ? notFound(kind, id) : new ApiError('COULD_NOT_VALIDATE'),
      sendDepthMax: config.limits.sendDepthMax,
    },
  );
  const send: Environment['send'] = (tx, kind, id, event) =>
    runtime.send(transactionHost(store, tx), kind, id, event);
  const cascades = createCascades(store, runtime, ids);
  const access = createAccess({ memosMax: config.limits.accessMemosMax });
  followUpdates({
    store,
    touches: access.touches,
    now: () => clock.now(),
    identityKind: 'identity',
    sources: updateSources(store, access),
  });
  const activity = new Activity(config.limits.apiSessionsMax);
  const life = new ApiSessionLife({ store, activity, clock, config, kinds, send, cascades, log });
  connectAccess({
    store,
    access,
    kinds,
    sessions: sessionSource,
    touched: (identities) => access.touches.touch(identities, clock.now()),
    newId: () => ids.entity(),
  });
  store.attach(journal);
  store.followUps.drain();

  const env = createEnvironment(options, opened, {
    cascades,
    access,
    activity,
    send,
    endApiSessions: (tx, identityId) => life.endAllOf(tx, identityId),
  });
  const held = new HeldReplies({ journal, clock, waitMs: config.limits.stalledWriteAnswerMs });
  const application = createApplication({
    env,
    routes: new Routes(operations),
    held,
    log,
    findCaller: (request) => findCaller(env, request),
    callerAgain: (before) => callerAgain(env, before),
  });
  return {
    env,
    handler: application.handle,
    tooLarge: application.tooLarge,
    authority,
    journal,
    report,
    isNew: store.table('identity').size === 0,
    start: () => life.start(report.sealed),
    async close() {
      life.stop();
      await journal.flush();
      await journal.writeSnapshot(store.records());
      await journal.close();
    },
  };
}

function createCascades(store: Store, runtime: Runtime, ids: Ids): Cascades {
  const removes = new Map(kinds.map(({ kind, machine }) => [kind, machine?.removes ?? '']));
  return new Cascades({
    kinds,
    store,
    newId: () => ids.entity(),
    remover: (tx, kind, id) => {
      const event = { type: removes.get(kind) ?? '', now: tx.now };
      runtime.send(transactionHost(store, tx), kind, id, event);
    },
  });
}

interface Parts {
  readonly cascades: Cascades;
  readonly access: Access;
  readonly activity: Activity;
  readonly send: Environment['send'];
  readonly endApiSessions: (tx: Transaction, identityId: string) => void;
}

function createEnvironment(options: CoreOptions, opened: Opened, parts: Parts): Environment {
  const { config, clock, random } = options;
  const { store, authority } = opened;
  const { limits } = config;
  const hasher = admittedHasher(
    options.hasher,
    new Admission({
      runningMax: planHashing(availableParallelism()).runningMax,
      waitingMax: limits.authenticationsWaitingMax,
    }),
  );
  const signer = createSigner(authority.server.key, fingerprint(authority.server.certificate));
  const { url } = options.addresses;
  return {
    store,
    registry: new Registry({
      kinds,
      resources,
      operations,
      cascades: parts.cascades,
      store,
      limits,
    }),
    access: parts.access,
    activity: parts.activity,
    hasher,
    checkPassword: createPasswordCheck(hasher, random, config.argon2),
    lockouts: new Lockouts(limits.lockoutAuthenticatorsMax),
    presence: options.presence,
    traces: createTraces(store, limits.tracesMax),
    sessionTokens: createSessionTokens(authority.tokenKey, url, limits.jwtCharactersMax),
    clock,
    ids: opened.ids,
    config,
    limits,
    tellPlan:
      config.log.level === 'debug'
        ? (plan) => options.log.debug(plan, 'how a list came by its rows')
        : undefined,
    addresses: { ...options.addresses, startedAt: clock.now(), instanceId: opened.ids.uuid() },
    send: parts.send,
    endApiSessions: parts.endApiSessions,
    signEnrollment: (claims) =>
      signEnrollmentToken(signer, { issuerUrl: url, controllers: [], ...claims }),
    signCaEnrollment: (caId) => signCaToken(signer, url, caId),
    trust: authority,
    serverCertificate: authority.server.certificate,
    networkJwt: signNetworkToken(signer, url),
  };
}

/** A trace goes with its identity. */
function createTraces(store: Store, tracesMax: number): Traces {
  const traces = new Traces(tracesMax);
  store.follow(({ changes }) => {
    for (const { table, row, after } of changes) {
      if (table.kind === 'identity' && after === undefined) traces.end(row.record.id);
    }
  });
  return traces;
}

function refusalOf(code: string): Error {
  return isErrorCode(code) ? new ApiError(code) : new Error(`no error code ${code}`);
}

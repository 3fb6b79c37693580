// The controller without its listeners: combines store, actors, access, credentials and operations.

import { join } from 'node:path';
import { JournalStalled } from '../../snapshots/errors.ts';
import { pkiName } from '../../snapshots/home/layout.ts';
import { openHome } from '../../snapshots/home/open.ts';
import type { FollowingJournal, RecoveryReport } from '../../snapshots/journal.ts';
import type { ChangeStamps } from '../access/change-stamps.ts';
import type { SessionEndings } from '../access/session-endings.ts';
import { ClockWatch } from '../actors/clock-watch.ts';
import type { Deadlines } from '../actors/deadlines.ts';
import { Snapshotter, snapshotBounds } from '../actors/snapshotter.ts';
import { createHashing } from '../auth/auth-part.ts';
import { hasExpired } from '../auth/callers.ts';
import { sealedTexts } from '../auth/sealing/sealed-texts.ts';
import { SealingKey } from '../auth/sealing/sealing.ts';
import { ApiSessionLife } from '../auth/sessions/life.ts';
import { removeFormerFile } from '../auth/token-keys/former-file.ts';
import { adoptTokenKey } from '../auth/token-keys/roll.ts';
import { StoredTokenKeys } from '../auth/token-keys/stored-keys.ts';
import type { SessionUse } from '../cluster/node/session-uses.ts';
import { recordsMaxOf } from '../declare/kinds/kind.ts';
import { EventHub } from '../events/event-hub.ts';
import { EventSinks } from '../events/event-sinks.ts';
import { Application } from '../http/application/application.ts';
import { RequestFigures } from '../http/application/request-figures.ts';
import { Routes } from '../http/application/routes.ts';
import type { LostRequest, RequestFate } from '../http/front/tls-messages.ts';
import type { SocketHandler } from '../http/server/sockets.ts';
import { AuditFeed } from '../inspect/server/log/audit-feed.ts';
import { LogReader } from '../inspect/server/log/log-reader.ts';
import { inspectorPage } from '../inspect/server/machines/assets.ts';
import { liveMachines } from '../inspect/server/machines/live-machines.ts';
import { processViews } from '../inspect/server/machines/processes.ts';
import { InspectStream } from '../inspect/server/stream/stream.ts';
import { createIntegrity } from '../integrity/all-parts.ts';
import type { IntegrityRuns } from '../integrity/run.ts';
import { healthChecks } from '../monitoring/health-checks.ts';
import { LogMeter } from '../monitoring/log-meter.ts';
import { createObservation } from '../monitoring/observation.ts';
import { Sources, type WatchedCore } from '../monitoring/sources.ts';
import type { Log } from '../observe/logs.ts';
import { type Authority, openAuthority } from '../pki/authority/authority.ts';
import { Serving } from '../pki/authority/serving.ts';
import type { HttpHandler } from '../platform/http-exchange.ts';
import { createIds } from '../platform/ids.ts';
import { Expiries } from '../posture/expiries.ts';
import { createSubmissionFlush } from '../posture/repeated-submissions.ts';
import { apiSessionKind } from '../records/api-session.ts';
import { identityKind } from '../records/identity.ts';
import { servicePolicyKind } from '../records/service-policy.ts';
import { renewCaTokens } from '../resources/cas/ca-tokens.ts';
import { followSigners, warmSigners } from '../resources/external-jwt-signers/signer-keys.ts';
import { kinds } from '../resources/index.ts';
import { removeRouter } from '../resources/routers/router-life.ts';
import { type ControlPlane, createControlPlane } from '../routers/control-plane.ts';
import { RecoveredChanges } from '../routers/model/recovered-changes.ts';
import { createUsageFlush } from '../routers/usage/usage-flush.ts';
import { boundsOf } from '../settings/bounds.ts';
import { cascadeBounds } from '../store/deferred-cascades.ts';
import { DurableFrames } from '../store/durable-frames.ts';
import { Following } from '../store/following.ts';
import { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { inSlices } from '../turns/slices.ts';
import { Beginning } from './beginning.ts';
import { NodeReads } from './cluster/node-reads.ts';
import type { ControllerEnvironment } from './controller-environment.ts';
import type { CoreOptions, Opened } from './core-options.ts';
import { operations } from './operations.ts';
import { createEnvironment } from './parts.ts';
import { connectStore, type Wiring } from './wiring.ts';

/**
 * A core that has recovered its home. It can serve requests, on a node of a cluster once it leads.
 */
export interface Core {
  readonly env: ControllerEnvironment;
  readonly handler: HttpHandler;
  /** Answers requests whose body is over the bound. */
  readonly tooLarge: HttpHandler;
  readonly malformed: Application<ControllerEnvironment>['malformed'];
  /** Accepts WebSockets of inspectors. */
  readonly sockets: SocketHandler;
  /** Accepts WebSockets of programs that follow events. */
  readonly fabricSockets: SocketHandler;
  /** Accepts the control connections of routers. */
  readonly routers: ControlPlane;
  readonly authority: Authority;
  /** The certificate that the listeners show. */
  readonly serving: Serving;
  readonly journal: FollowingJournal;
  readonly durable: DurableFrames;
  readonly report: RecoveryReport;
  readonly snapshotter: Snapshotter;
  readonly integrity: IntegrityRuns;
  /** The observed parts of the core. */
  readonly sources: Sources;
  /** All times that records wait for. */
  readonly deadlines: Deadlines;
  /** Ends MFA when it expires. */
  readonly expiries: Expiries;
  /** Ends sessions that lose their access. */
  readonly endings: SessionEndings;
  /** Whether the home has never been set up. */
  readonly isNew: boolean;
  /** Applies the frames of the leader; undefined unless it is a node of a cluster. */
  readonly following: Following | undefined;
  /** Calls `then` when it is known what became of a request that another leader was sent. */
  decideLost(lost: LostRequest, then: (fate: RequestFate) => void): void;
  /**
   * Notes what nodes that follow report. Only while it leads. @returns the ids of API sessions that
   * have ended, or were idle for too long
   */
  noteUses(uses: readonly SessionUse[]): readonly string[];
  /**
   * Ends following: finishes what the former leader left open, and writes from then on. No frame
   * may be applied afterwards. Only for a node of a cluster.
   */
  lead(): Promise<void>;
  /** Starts what a node does while it follows: snapshots, and the certificate of its front. */
  startFollowing(): void;
  /**
   * Begins where the former controller of a network stopped: the idle time of all API sessions
   * begins now, and circuits that routers carry stay. Called before `start`. Resolves when that is
   * durable, and rejects when the log takes no writes.
   */
  succeedFormer(): Promise<void>;
  /** Starts deadlines and flushes, so that time begins to pass for records. */
  start(): void;
  /**
   * Stops everything that writes to the log by itself. Resolves when all that was written is
   * durable. A snapshot that is being written goes on.
   */
  rest(): Promise<void>;
  /** The same, then writes the last snapshot and the seal, and releases the home. */
  close(): Promise<void>;
  /** Releases the home where nothing that is open will ever be durable. Never rejects. */
  abandon(): Promise<void>;
}

/**
 * Opens the home and builds the core.
 * @throws what opening the home, the PKI or the sealing key throws.
 */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { config, clock, random, disk } = options;
  let notBeforeMs = 0;
  const ids = createIds(random, { now: () => Math.max(clock.now(), notBeforeMs) });
  const beganMs = clock.monotonic();
  const pki = join(config.home, pkiName);
  const sealingKey = new SealingKey({ disk, random, directory: pki });
  const store = new Store({
    clock,
    tables: kinds.map(({ table }) => table),
    freeze: options.freeze,
    cascadeRowsMax: boundsOf(cascadeBounds, options.bounds).cascadeRowsMax,
    recordsMax: recordsMaxOf(kinds, config.limits),
    fatal: options.fatal,
    sealer: sealingKey,
  });
  const wiring = connectStore(options, { store, ids });
  const recoveredModel = new RecoveredChanges();
  const { journal, report } = await (options.openHome ?? openHome)({
    home: config.home,
    disk,
    clock,
    level: config.durability,
    writer: options.writer,
    openWriter: options.openWriter,
    follows: options.openWriter !== undefined,
    newDataSetId: random.bytes(16).toString('hex'),
    segmentBytes: config.limits.segmentBytes,
    frameBytesMax: config.limits.frameBytesMax,
    pendingBytesMax: config.limits.writeBytesWaitingMax,
    snapshotsKept: config.snapshot.keep,
    ...(config.recoverTo === undefined ? {} : { recoverToLsn: config.recoverTo }),
    load: (record) => store.load(record),
    history: recoveredModel,
  });
  const renewIds = () => {
    notBeforeMs = journal.lastTimeMs + 1;
  };
  renewIds();
  try {
    const authority = await openAuthority({
      disk,
      clock,
      random,
      directory: pki,
      host: config.advertise.host,
      controlHost: config.ctrlAdvertise?.host,
      settings: config.pki,
    });
    const sealing = sealingKey.confirm(sealedTexts(store, kinds));
    const durable = new DurableFrames({
      journal,
      clock,
      lateMs: config.limits.stalledWriteAnswerMs,
      gate: options.gate,
    });
    const read = { ids, store, journal, report, renewIds, beganMs, recoveredModel };
    const tokenKeys = new StoredTokenKeys({ store, sealing, first: authority.firstTokenKey });
    const opened: Opened = { ...read, durable, authority, sealing, tokenKeys };
    return await assemble(options, opened, wiring);
  } catch (error) {
    await journal.close();
    throw error;
  }
}

async function assemble(options: CoreOptions, opened: Opened, wiring: Wiring): Promise<Core> {
  const { config, clock, log } = options;
  const [{ store }, { access }] = [opened, wiring];
  const timed = createTimed(options, opened, wiring);
  const { expiries, life, clockWatch } = timed;
  const cluster = `${opened.report.dataSetId} ${options.generation}`;
  const began = new Beginning({ clock, ...opened, cluster });
  const following = options.openWriter && follow(opened, life, began, access.changeStamps);
  if (following === undefined) await attach(options, opened, wiring);

  const snapshotter = createSnapshots(options, opened);
  const checked = { expiries, life, snapshotter };
  const integrity = createIntegrity({ ...options, ...opened, ...wiring, ...checked });
  if (following === undefined) recoverRuns(opened, integrity);
  const serving = new Serving(opened.authority, clock, log);
  const hashing = createHashing(clock, config.limits);
  const sources = options.sources ?? new Sources(clock);
  const observation = createObservation({ sources, log, processes: processViews });
  const { logReader, audit } = createLogReaders(options, opened);
  const hub = createEvents(options, opened, sources, () => env);
  const env = createEnvironment(options, opened, {
    ...wiring,
    events: hub,
    began,
    serving,
    snapshotter,
    integrity,
    hashing,
    observation,
    cluster: () => sources.cluster,
    logReader,
    audit,
    waitOf: (kind, row) => life.waitOf(kind, row),
  });
  for (const machine of liveMachines({ sources, snapshotter })) env.inspection.addLive(machine);
  const routers = createRouters(options, opened, env, { ...wiring, serving });
  access.changeStamps.advance(began.startedAt);
  followSigners(store, env.externalJwts.keys);
  const writeKeys = writerOfKeys(options, opened, env, serving);
  const observed = { snapshotter, integrity, clockWatch, hashing, access, logReader, routers };
  const routes = new Routes(operations);
  const { leader } = options;
  const reads = leader && following && new NodeReads({ env, following, leader, routes });
  const answering = { ...observed, life, hub, reads, routes };
  const { events, ...listened } = createAnswering(options, opened, env, sources, answering);
  const readers = [audit, logReader];
  const parts = { ...timed, integrity, serving, snapshotter, routers, readers, events, reads };
  return {
    ...opened,
    env,
    ...listened,
    routers,
    serving,
    snapshotter,
    integrity,
    sources,
    deadlines: life.deadlines,
    expiries,
    endings: wiring.connected.endings,
    get isNew() {
      return store.table(identityKind).size === 0;
    },
    following,
    decideLost: (lost, then) => reads?.decideLost(lost, then),
    noteUses: (uses) => noteUses(options, opened, wiring, uses),
    lead: () => lead(options, opened, wiring, { integrity, writeKeys, routers }),
    ...startAndStop(opened, env, following !== undefined, parts),
  };
}

/**
 * Writes what follows from the keys of the home, now and when the returned function is called. A
 * node that follows writes nothing; it does this when it leads.
 */
function writerOfKeys(
  options: CoreOptions,
  opened: Opened,
  env: ControllerEnvironment,
  serving: Serving,
): () => void {
  const { store, authority } = opened;
  const renewTokens = () => {
    if (store.isAttached) renewCaTokens(env, options.log);
  };
  const writeKeys = () => {
    // A new home gets its first key with all else.
    const isSetUp = store.table(identityKind).size > 0;
    try {
      if (store.isAttached && isSetUp) adoptTokenKey(env, authority.firstTokenKey);
    } catch (err) {
      options.log.error(
        { err },
        'the key of tokens is not in the log yet; the next start tries again',
      );
    }
    renewTokens();
  };
  removeFormerFile({ ...options, ...opened, directory: join(options.config.home, pkiName) });
  writeKeys();
  serving.afterChange(renewTokens);
  return writeKeys;
}

/** A new home gets the record of integrity runs with all others, in its first frame. */
function recoverRuns({ store }: Pick<Opened, 'store'>, integrity: IntegrityRuns): void {
  if (store.table(identityKind).size > 0) integrity.recover();
}

/** A part of the time within which the main thread has to show that it lives. @bound */
const takeoverSliceMs = 100;

/** As `Core.noteUses`. */
function noteUses(
  { clock, config }: Pick<CoreOptions, 'clock' | 'config'>,
  { store }: Pick<Opened, 'store'>,
  { activity }: Pick<Wiring, 'activity'>,
  uses: readonly SessionUse[],
): readonly string[] {
  const now = clock.now();
  const unknown: string[] = [];
  for (const { id, atMs } of uses) {
    const row = store.table(apiSessionKind).peek(id);
    if (row === undefined || hasExpired({ activity, config }, row, now)) unknown.push(id);
    // The clock of another node may be ahead.
    else activity.touch(row.slot, Math.min(atMs, now));
  }
  return unknown;
}

/** As `Core.lead`. */
async function lead(
  options: CoreOptions,
  opened: Opened,
  wiring: Wiring,
  parts: {
    readonly integrity: IntegrityRuns;
    readonly writeKeys: () => void;
    readonly routers: Pick<ControlPlane, 'lead'>;
  },
): Promise<void> {
  opened.journal.lead();
  opened.renewIds();
  await attach(options, opened, wiring);
  recoverRuns(opened, parts.integrity);
  // With many circuits it takes seconds, in which the lease has to be renewed.
  await inSlices(parts.routers.lead(), options.clock, takeoverSliceMs);
  parts.writeKeys();
}

/** A part that begins to do something by itself, and ends that. */
interface Actor {
  start(): void;
  stop(): Promise<void> | void;
}

/** Starts and stops the parts of a core that do something by themselves. */
function startAndStop(
  opened: Opened,
  env: ControllerEnvironment,
  isNode: boolean,
  parts: ReturnType<typeof createTimed> & {
    readonly integrity: IntegrityRuns;
    readonly serving: Serving;
    readonly snapshotter: Snapshotter;
    readonly routers: ControlPlane;
    readonly readers: readonly Pick<Actor, 'stop'>[];
    readonly events: Actor;
    readonly reads: NodeReads | undefined;
  },
): Pick<Core, 'startFollowing' | 'succeedFormer' | 'start' | 'rest' | 'close' | 'abandon'> {
  const { integrity, clockWatch, life, submissions, usage, expiries, serving, snapshotter } = parts;
  const alone: readonly Actor[] = [serving, snapshotter, clockWatch];
  let resting: Promise<void> | undefined;
  let lastSnapshot: Promise<void> | undefined;
  const stop = async () => {
    lastSnapshot = snapshotter.stop();
    parts.routers.stop();
    for (const reader of parts.readers) await reader.stop();
    const flushes = [submissions, usage];
    const stopping = [integrity, clockWatch, life, ...flushes, expiries, serving];
    for (const actor of stopping) await actor.stop();
    env.refusedLogins.flush();
    await opened.journal.flush();
    await parts.events.stop();
  };
  const rest = () => (resting ??= stop());
  return {
    startFollowing() {
      for (const actor of alone) actor.start();
    },
    async succeedFormer() {
      parts.routers.succeedFormer();
      for (const _ of life.beginIdleAnew()) await roomIn(opened.journal, env.limits.frameBytesMax);
      await opened.journal.flush();
    },
    start() {
      life.start(opened.report.sealed);
      for (const actor of [expiries, ...(isNode ? [] : alone), submissions, usage]) actor.start();
      warmSigners(opened.store, env.externalJwts.keys);
      parts.events.start();
      parts.reads?.lead();
    },
    rest,
    async close() {
      await rest();
      await lastSnapshot;
      await closeJournal(opened);
    },
    async abandon() {
      await opened.journal.close().catch(() => undefined);
    },
  };
}

/** Lets frames of the leader be applied from now on. */
function follow(
  { store, journal, report }: Opened,
  life: ApiSessionLife,
  began: Beginning,
  changeStamps: ChangeStamps,
): Following {
  life.follow();
  const { dataSetId } = report;
  const termBegan = (term: number, timeMs: number) => {
    began.termBegan(term, timeMs);
    // Posture responses that stamp are known to the leader only, so everyone reads once more.
    changeStamps.stampAll(began.startedAt);
  };
  return new Following({ store, journal, dataSetId, termBegan });
}

function createRouters(
  { log, random, traffic, gate, generation }: CoreOptions,
  { durable, store, report, recoveredModel }: Opened,
  env: ControllerEnvironment,
  { serving, modelCapture }: Pick<Wiring, 'modelCapture'> & { readonly serving: Serving },
): ControlPlane {
  const remove = (tx: Transaction, routerId: string) => removeRouter(env, tx, routerId);
  const { connectedRouters: connected } = env;
  // Whatever gives LSNs out again changes one of them. Nodes of a cluster have the same.
  const history = generation === undefined ? `cut-${report.lastCut}` : `cluster-${generation}`;
  const timelineId = `${report.dataSetId}-${history}`;
  const missed = recoveredModel.changesOf(store, report.snapshotLsn);
  const own = { model: { capture: modelCapture, timelineId, recovered: missed } };
  const parts = { env, connected, log, random, durable, serving, traffic, gate, ...own };
  const routers = createControlPlane({ ...parts, removeRouter: remove });
  if (store.isAttached) for (const _ of routers.lead());
  return routers;
}

/** Closes the journal so that the next start replays nothing. */
async function closeJournal({ journal, store }: Opened): Promise<void> {
  await journal.writeSnapshot(store.records());
  await journal.close();
}

/** Creates the parts that answer requests and inspectors, and adds them to the observed parts. */
function createAnswering(
  options: CoreOptions,
  opened: Opened,
  env: ControllerEnvironment,
  sources: Sources,
  {
    life,
    hub,
    reads,
    routes,
    ...watched
  }: Pick<
    WatchedCore,
    'snapshotter' | 'integrity' | 'clockWatch' | 'hashing' | 'access' | 'logReader' | 'routers'
  > & {
    readonly life: ApiSessionLife;
    readonly hub: EventHub;
    readonly reads: NodeReads | undefined;
    readonly routes: Routes<ControllerEnvironment>;
  },
) {
  const { config, clock, log } = options;
  const { store, journal, durable, report, beganMs } = opened;
  const stream = new InspectStream(env, log, options.gate);
  const events = new EventSinks({ env, hub, log, gate: options.gate, stream: options.eventStream });
  const requests = new RequestFigures();
  const logMeter = new LogMeter(journal, clock);
  store.follow(({ lsn, hasFrame }) => {
    // Frames of a leader were durable before they came.
    if (hasFrame && store.isAttached) logMeter.appended(lsn);
  });
  sources.watch({
    config,
    store,
    journal,
    logMeter,
    report,
    requests,
    held: durable,
    ...watched,
    memory: options.memory,
    recoveryMs: clock.monotonic() - beganMs,
    rates: env.rates,
    models: env.routerModels,
    machineCounts: () => env.inspection.counted(),
    inspectors: () => stream.figures,
    events,
    deadlines: life.deadlines,
  });
  const application = new Application({
    env,
    durable,
    log,
    routes,
    figures: requests,
    following: reads,
    outside: [
      healthChecks(sources),
      inspectorPage(),
      ...(options.console ? [options.console] : []),
    ],
  });
  const { handle: handler, tooLarge, malformed } = application;
  return { handler, tooLarge, malformed, sockets: stream, fabricSockets: events.sockets, events };
}

/** Creates the hub of events, which parts that are created later tell, too. */
function createEvents(
  { clock, log, bounds, addresses }: CoreOptions,
  { store, durable, authority }: Opened,
  sources: Sources,
  env: () => ControllerEnvironment,
): EventHub {
  const sourceId = () => sources.cluster?.id ?? authority.controllerId;
  const dynamicCost = (id: string) => env().terminatorCosts.dynamicCost(id);
  const around = { store, sourceId, addresses, dynamicCost };
  return new EventHub({ ...around, durable, clock, log, bounds });
}

/** Creates the readers of the log, which run beside the writer. */
function createLogReaders(options: CoreOptions, opened: Opened) {
  const { home, limits } = options.config;
  const logReader = new LogReader({ ...options, ...opened, home });
  const audit = new AuditFeed({ ...options, ...opened, limits, reader: logReader });
  return { logReader, audit };
}

/** Creates the parts that depend on time, except those that other parts need first. */
function createTimed(options: CoreOptions, opened: Opened, wiring: Wiring) {
  const { clock, log } = options;
  const { access, connected, posture } = wiring;
  return {
    expiries: new Expiries({
      ...options,
      ...opened,
      ...wiring,
      endanger: (sessions) => connected.endings.endanger(sessions),
      stampMember: (identity, now) => access.changeStamps.stampMember(identity, now),
      failed: (err) => log.error({ err }, 'a posture expiry could not be carried out'),
    }),
    life: new ApiSessionLife({ ...options, ...opened, ...wiring, kinds }),
    clockWatch: new ClockWatch(clock, log),
    submissions: createSubmissionFlush({ ...options, ...opened, repeats: posture.repeats }),
    usage: createUsageFlush({ ...options, ...opened, ...wiring }),
  };
}

function createSnapshots(
  { config, clock, log, bounds, snapshotKept, snapshotFailed }: CoreOptions,
  opened: Opened,
): Snapshotter {
  const { journal, report, store } = opened;
  const { snapshotSliceMs } = boundsOf(snapshotBounds, bounds);
  return new Snapshotter({
    clock,
    log,
    journal,
    report,
    logBytes: config.snapshot.logBytes,
    ageMs: config.snapshot.ageMinutes * 60_000,
    retryMs: config.limits.snapshotRetryMs,
    write: async () => {
      try {
        const kept = await journal.writeSnapshot(store.records(), snapshotSliceMs);
        snapshotKept?.(kept);
        return kept;
      } catch (error) {
        snapshotFailed?.();
        throw error;
      }
    },
  });
}

/**
 * Connects the recovered store with its journal, and writes the work that the last run left open.
 */
async function attach(
  { config: { limits, oidc }, log, openWriter }: CoreOptions,
  { store, journal }: Opened,
  { connected }: Wiring,
): Promise<void> {
  const { frameBytesMax } = limits;
  store.deferredCascades.onFailure = (err) => logFailedCascade(log, err);
  store.attach(journal);
  logFullTables(store, log);
  if (oidc.announce === 'all') logPostureLeftToRouters(store, log);
  // This may be more than may wait for the disk at one time.
  const { endings } = connected;
  for (const _ of openWriter ? endings.takeOver() : endings.catchUp()) {
    await roomIn(journal, frameBytesMax);
  }
}

/** Waits until the journal has room for another frame. */
async function roomIn(journal: FollowingJournal, frameBytesMax: number): Promise<void> {
  if (journal.roomBytes < frameBytesMax) await journal.flush();
}

/** A lowered bound does not prevent a start: existing records stay, and no more are accepted. */
function logFullTables(store: Store, log: Log): void {
  for (const { kind, size, recordsMax, isFull } of store.tables()) {
    if (!isFull) continue;
    log.warn({ kind, records: size, recordsMax }, 'no more records of this kind are accepted');
  }
}

/** Routers judge the posture of clients that log in by OIDC, and not as we do. */
function logPostureLeftToRouters(store: Store, log: Log): void {
  const policies = [...store.table(servicePolicyKind).all()].filter(
    ({ record }) => (record.postureCheckRoles?.length ?? 0) > 0,
  );
  if (policies.length === 0) return;
  log.warn(
    { servicePolicies: policies.length },
    'oidc.announce is all, so routers judge the posture checks of service policies, and refuse some dials that the controller permits: docs/routers.md has the list',
  );
}

/**
 * A log that takes no writes is reported elsewhere; a deferred cascade is retried five times per
 * second.
 */
function logFailedCascade(log: Log, err: unknown): void {
  if (err instanceof JournalStalled) return;
  log.error({ err }, 'a deferred cascade could not be carried out and will be retried');
}

// The composition root: creates all parts for the real machine, starts and stops them.

import { join } from 'node:path';
import * as durability from '../../snapshots/errors.ts';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { pkiName } from '../../snapshots/home/layout.ts';
import { refuseIfInUse } from '../../snapshots/home/lock.ts';
import { createLife, type Life } from '../actors/controller-life.ts';
import { Busy } from '../auth/admission-queue.ts';
import { createHasher } from '../auth/passwords/hasher.ts';
import {
  type ClusterNode,
  type Member,
  StreamMisconfigured,
  StreamUnreachable,
} from '../cluster/contract.ts';
import { AnswerGate } from '../cluster/log/answer-gate.ts';
import { NodeEnded } from '../cluster/node/node-ended.ts';
import { emptyCaches } from '../containers/recent-cache.ts';
import { ApiError, StartProblem } from '../errors/errors.ts';
import { consoleBounds, consolePage } from '../http/application/console.ts';
import type { OutsideHandler } from '../http/application/other-paths.ts';
import { ClaimedPorts } from '../http/front/claimed-ports.ts';
import { TlsThreads } from '../http/front/tls-front.ts';
import type { ClusterFront, ServerCertificate } from '../http/front/tls-messages.ts';
import { type Listeners, type ListenersOptions, startListeners } from '../http/server/listeners.ts';
import {
  type OwnerHandler,
  type OwnerSocket,
  startOwnerSocket,
} from '../http/server/owner-socket.ts';
import { tellOfDisk } from '../monitoring/disk-lines.ts';
import { healthOf } from '../monitoring/health-checks.ts';
import { createMetrics } from '../monitoring/metrics.ts';
import { type MetricsListener, startMetricsListener } from '../monitoring/metrics-listener.ts';
import { Sources } from '../monitoring/sources.ts';
import { EventLoopWatch } from '../observe/event-loop.ts';
import { HeapWatch } from '../observe/heap-watch.ts';
import type { Log } from '../observe/logs.ts';
import type { ChainedKey } from '../pki/authority/server-certificate.ts';
import { keyToPem, toPem } from '../pki/x509/pem.ts';
import { createFetch } from '../platform/fetch.ts';
import { systemHeap } from '../platform/heap.ts';
import type { Clock } from '../platform/ports.ts';
import { readDirectoryFiles } from '../platform/read-files.ts';
import { version } from '../platform/version.ts';
import type { ResetAnswer } from '../resources/authenticators/administrator-reset.ts';
import {
  type AdministratorReset,
  ResetRefused,
  resetAdministrator,
} from '../resources/authenticators/administrator-reset.ts';
import type { ClusterConfig } from '../settings/cluster-config.ts';
import type { Config } from '../settings/config.ts';
import { openFilesMax, roomWithin, type WorkerRoom } from '../settings/open-files.ts';
import { formatHostPort, type HostPort } from '../settings/setting-type.ts';
import { NewerRecord } from '../store/record.ts';
import { DuplicateKey } from '../store/table.ts';
import type { HomeNode } from './cluster/node.ts';
import { createClusterEvents } from './cluster/node-events.ts';
import { type Core, openCore } from './core.ts';
import type { CoreOptions } from './core-options.ts';
import { setUpHome } from './first-start.ts';
import { homeRefusal, refuseForeignFiles } from './home-refusal.ts';
import {
  answerNodeOrder,
  isStatusOrder,
  type NodeAnswer,
  notLeading,
  type OrderedNode,
  readNodeOrder,
  readResetOrder,
  type StatusAnswer,
} from './owner-orders.ts';
import type { ControllerSystem, FirstStart, RunningController } from './process-context.ts';

const workerNote =
  'a TLS worker died and was replaced; its connections are lost: this is a bug worth reporting';

/** Creates a home without serving it. @throws StartProblem in one sentence. */
export async function initHome(
  config: Config,
  system: ControllerSystem,
): Promise<{ readonly firstStart?: FirstStart | undefined }> {
  try {
    refuseForeignFiles(nodeDisk, config);
    const { core, firstStart } = await open(
      config,
      system,
      addressesOf(config, configured(config)),
    );
    await core.close();
    return { firstStart };
  } catch (error) {
    throw asStartProblem(error, config.home);
  }
}

/**
 * Resets an administrator of a home that no process has locked. @throws StartProblem in one
 * sentence when the home cannot be opened.
 */
export async function resetAdministratorOf(
  config: Config,
  system: ControllerSystem,
  order: AdministratorReset,
): Promise<ResetAnswer> {
  try {
    const { core } = await open(config, system, addressesOf(config, configured(config)));
    try {
      return await answerReset(core, system.log, order);
    } finally {
      await core.close();
    }
  } catch (error) {
    throw asStartProblem(error, config.home);
  }
}

/** Carries out orders of the owner of the home. Never rejects. */
function ownerHandler(
  core: Core,
  sources: Sources,
  listen: HostPort,
  log: Log,
  node: () => OrderedNode | undefined,
): OwnerHandler {
  return async (order, answered): Promise<ResetAnswer | NodeAnswer | StatusAnswer> => {
    if (isStatusOrder(order)) return statusOf(core, sources, listen);
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
async function answerReset(
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

function refusalSentence(error: unknown): string | undefined {
  if (error instanceof ResetRefused || error instanceof ApiError) return error.message;
  if (error instanceof Busy || error instanceof DuplicateKey) return `${error.message}.`;
  if (error instanceof durability.JournalStalled) {
    return 'The storage does not respond at the moment; nothing was changed.';
  }
  return undefined;
}

/**
 * Opens the home, which it creates on first start, and serves requests.
 * @param node in place of the one that the configuration names; for tests
 * @throws StartProblem in one sentence.
 */
export async function startController(
  config: Config,
  system: ControllerSystem,
  node?: HomeNode,
): Promise<RunningController> {
  const { cluster } = config;
  const ports = new ClaimedPorts();
  try {
    // Ports that the other process holds would only hide the reason.
    refuseIfInUse(nodeDisk, config.home);
    refuseForeignFiles(nodeDisk, config);
    if (cluster === undefined || node !== undefined) {
      return await new Controller(config, system, ports, node).start();
    }
    // Its code is loaded only here, because most controllers are alone.
    const { createNode } = await import('./cluster/node.ts');
    const settings = await withPort(cluster, ports);
    const made = await createNode(config, settings, { ...system, disk: nodeDisk });
    return await new Controller(config, system, ports, made).start();
  } catch (error) {
    throw asStartProblem(error, config.home);
  } finally {
    ports.release();
  }
}

/**
 * Settings of the cluster with the port that they leave to the system, because a node tells the
 * others its address before it listens. @throws an error with `code` when it can't be bound.
 */
async function withPort(cluster: ClusterConfig, ports: ClaimedPorts): Promise<ClusterConfig> {
  const { host } = cluster.listen;
  const port = await ports.claim(cluster.listen);
  const { advertise } = cluster;
  const told = { host: advertise.host, port: advertise.port || port };
  return { ...cluster, listen: { host, port }, advertise: told };
}

function heapWatchOf({ limits }: Config, clock: Clock): HeapWatch {
  return new HeapWatch({ clock, heap: systemHeap, limits, emptyCaches });
}

async function open(
  config: Config,
  { clock, random, log, fatal }: ControllerSystem,
  addresses: CoreOptions['addresses'],
  sources = new Sources(clock),
  console?: OutsideHandler,
  own?: HomeNode,
): Promise<{ core: Core; firstStart: FirstStart | undefined }> {
  const node = own?.thread;
  const core = await openCore({
    config,
    clock,
    random,
    disk: nodeDisk,
    hasher: createHasher(random),
    fetch: createFetch({
      clock,
      rules: { allowsPrivate: config.auth.jwksFromPrivateAddresses },
    }),
    memory: sources.heap ?? heapWatchOf(config, clock),
    log,
    writer: 'worker',
    openWriter: node && ((start, events) => node.openWriter(start, events)),
    gate: node && new AnswerGate(node, clock),
    openHome: own?.openHome,
    snapshotKept: own && ((kept) => own.share(kept)),
    snapshotFailed: own && (() => own.shareFailed()),
    freeze: false,
    fatal,
    addresses,
    sources,
    console,
  });
  own?.onSnapshotWanted(() => void takeSnapshot(core));
  try {
    const mayWrite = core.following === undefined;
    const firstStart = mayWrite && core.isNew ? await setUpHome(core.env, random) : undefined;
    if (firstStart !== undefined) await core.journal.flush();
    return { core, firstStart };
  } catch (error) {
    await core.close();
    throw error;
  }
}

/** Reads the console that is to be served, if any. @throws StartProblem */
async function openConsole(
  { console: directory }: Config,
  log: Log,
): Promise<OutsideHandler | undefined> {
  if (directory === undefined) return undefined;
  let files: ReadonlyMap<string, Buffer>;
  try {
    files = await readDirectoryFiles(directory, consoleBounds);
  } catch (thrown) {
    const reason = durability.reasonOf(thrown);
    throw new StartProblem(`The console in ${directory} cannot be read: ${reason}.`);
  }
  const page = consolePage(files);
  if (page === undefined) {
    throw new StartProblem(`${directory} is no built console: it has no index.html.`);
  }
  log.info({ directory, files: files.size }, 'the console is served at /zac');
  return page;
}

/** The ports that the controller listens on. */
interface Ports {
  readonly api: number;
  /** Of the listener for control connections alone, if there is one. */
  readonly control: number | undefined;
}

/** The ports of a controller that does not listen. */
function configured({ listen, ctrlListen }: Config): Ports {
  return { api: listen.port, control: ctrlListen?.port };
}

function addressesOf(config: Config, ports: Ports): CoreOptions['addresses'] {
  const { advertise, ctrlAdvertise = { host: advertise.host, port: 0 } } = config;
  const api = { host: advertise.host, port: advertise.port || ports.api };
  const control = { host: ctrlAdvertise.host, port: ctrlAdvertise.port };
  control.port ||= ports.control ?? api.port;
  const authority = formatHostPort(api);
  return { url: `https://${authority}`, authority, control: `tls:${formatHostPort(control)}` };
}

/**
 * The address for control connections alone, with a port that is free. Port 6262 may belong to
 * another controller of this machine: if the operator did not ask for it, `undefined` stands for
 * going on without it. @throws an error with `code` when it can't be bound.
 */
async function claimControl(
  { ctrlListen }: Config,
  ports: ClaimedPorts,
  log: Log,
): Promise<HostPort | undefined> {
  if (ctrlListen === undefined) return undefined;
  const { host, isNamed } = ctrlListen;
  try {
    return { host, port: await ports.claim(ctrlListen) };
  } catch (thrown) {
    if (isNamed || durability.systemCodeOf(thrown) !== 'EADDRINUSE') throw thrown;
    const listen = formatHostPort(ctrlListen);
    log.warn({ listen }, 'the port is in use: routers connect to the port of the API instead');
    return undefined;
  }
}

/** What the listeners start with. */
type Claimed = Pick<ListenersOptions, 'port' | 'controlListen' | 'room' | 'threads' | 'ports'>;

class Controller {
  readonly #config: Config;
  readonly #system: ControllerSystem;
  readonly #ports: ClaimedPorts;
  #core: Core | undefined;
  #life: Life | undefined;
  #isResigning = false;
  #listeners: Listeners | undefined;
  #ownerSocket: OwnerSocket | undefined;
  #metrics: MetricsListener | undefined;
  readonly #sources: Sources;
  #firstStart: FirstStart | undefined;
  /** This process as a node of a cluster; absent without a cluster. The controller stops it. */
  readonly #own: HomeNode | undefined;
  /** Ends the process as a node that starts again. */
  #endNode: (reason: NodeEnded) => void = () => undefined;

  constructor(config: Config, system: ControllerSystem, ports: ClaimedPorts, own?: HomeNode) {
    this.#config = config;
    this.#system = system;
    this.#ports = ports;
    this.#own = own;
    this.#sources = new Sources(system.clock);
    this.#sources.phase = 'boot';
  }

  async start(): Promise<RunningController> {
    const { clock } = this.#system;
    await this.#openMetrics();
    const life = createLife({
      clock,
      drainMsMax: this.#config.limits.drainTimeoutMs,
      steps: {
        recover: () => this.#recover(),
        ...(this.#own && { takeOver: () => this.#takeOver() }),
        drain: () => this.#drain(),
      },
    });
    this.#life = life;
    const failed = new Promise<Error>((resolve) => {
      this.#endNode = resolve;
      void life.ended().then((phase) => {
        if (phase === 'failed') resolve(asError(life.error));
      });
    });
    life.onPhase((phase) => {
      this.#sources.phase = phase;
    });
    life.start();
    const phase = await life.settled();
    const core = this.#core;
    if ((phase !== 'serving' && phase !== 'following') || core === undefined) {
      await this.#closeMetrics();
      throw asError(life.error);
    }
    core.journal.onHealth((health) => {
      if (health.state === 'failed') life.fail(new Error(health.reason));
    });
    return this.#running(core, life, failed);
  }

  #running(core: Core, life: Life, failed: Promise<Error>): RunningController {
    const closeMetrics = () => this.#closeMetrics();
    const release = () => this.#release();
    return {
      url: core.env.addresses.url,
      controlAddress: core.env.addresses.control,
      directUrl: this.#listeners?.directUrl,
      metricsUrl: this.#metrics?.url,
      firstStart: this.#firstStart,
      caFile: join(this.#config.home, pkiName, 'ca.pem'),
      failed,
      reopenCertificate: () => core.serving.check(),
      takeSnapshot: () => takeSnapshot(core),
      async stop() {
        life.stop('asked to stop');
        const end = await life.ended();
        await closeMetrics();
        if (end !== 'failed') return;
        await release();
        throw asError(life.error);
      },
    };
  }

  /** Opened first, so that an operator can watch the recovery. */
  async #openMetrics(): Promise<void> {
    const { clock, log } = this.#system;
    const { metrics } = this.#config;
    const sources = this.#sources;
    sources.eventLoop = new EventLoopWatch(clock);
    sources.eventLoop.start();
    sources.heap = heapWatchOf(this.#config, clock);
    sources.heap.start();
    if (metrics.listen === undefined) return;
    const listen = metrics.listen;
    const served = { metrics: createMetrics(sources), sources };
    this.#metrics = await startMetricsListener({ listen, ...served, log });
    sources.metricsAddress = this.#metrics.address;
    log.info({ url: this.#metrics.url }, 'metrics are served');
  }

  /** Closed last, so that an operator can watch the stop. */
  async #closeMetrics(): Promise<void> {
    this.#sources.eventLoop?.stop();
    this.#sources.heap?.stop();
    await this.#metrics?.stop();
  }

  async #recover(): Promise<void> {
    // The port goes into tokens and links, so it must be known before anything else is built.
    const { listen, directListen, tlsWorkers } = this.#config;
    const port = await this.#ports.claim(listen);
    const controlListen = await claimControl(this.#config, this.#ports, this.#system.log);
    // Claimed now, so that a port in use is reported before a home is created or opened.
    if (directListen !== undefined) await this.#ports.claim(directListen);
    const console = await openConsole(this.#config, this.#system.log);
    const openFiles = openFilesMax(nodeDisk);
    const hasControlPort = controlListen !== undefined;
    const isNode = this.#own !== undefined;
    const listening = { workers: tlsWorkers, hasControlPort, isNode };
    const room = roomWithin(this.#config.limits, openFiles, listening);
    const threads = new TlsThreads(tlsWorkers + (hasControlPort ? 1 : 0));
    const claimed = { port, controlListen, room, threads, ports: this.#ports };
    try {
      const core = await this.#open(claimed, console);
      this.#watchNode();
      if (isNode) await this.#follow(core, claimed);
      else await this.#serve(core, claimed);
      this.#tellOfResources(openFiles, room);
    } finally {
      await threads.end();
    }
  }

  #watchNode(): void {
    if (this.#own === undefined) return;
    const { watch } = this.#own;
    this.#sources.cluster = watch;
    watch.start();
  }

  /** Lets another node lead; the process ends then, to be started again as a follower. */
  async #stepDown(answered: Promise<void>): Promise<void> {
    const life = this.#life;
    void answered.then(() => life?.stop('the node was told to step down'));
    void life?.ended().then(() => this.#endNode(new NodeEnded('This node has stepped down.')));
  }

  /** The node applies what the leader writes, until it is told to lead. */
  async #follow(core: Core, claimed: Claimed): Promise<void> {
    const { clock, log, fatal } = this.#system;
    const { following } = core;
    const own = this.#own;
    if (own === undefined || following === undefined) return;
    own.formats.follow((versions) => core.env.store.writeVersions(versions));
    core.startFollowing();
    const lead = () => this.#life?.lead();
    const fail = (error: unknown) => this.#life?.fail(error);
    const { cluster } = await this.#listen(core, claimed, await own.front.open(core.authority));
    own.front.follow(cluster);
    const leaderChanged = (leader: Member | undefined) => {
      // Once it has taken over, this node is the leader for its front until the process ends.
      if (!core.env.store.isAttached) own.front.lead(leader);
    };
    const { journal } = core;
    const isLeaving = () => this.#isResigning && journal.durableLsn === journal.lastLsn;
    const node = own.thread;
    const parts = { node, following, clock, log, fatal, lead, fail, isLeaving, leaderChanged };
    const events = createClusterEvents(parts);
    const { lastLsn: lsn, lastCrc: crc } = core.report;
    node.start({ lsn, crc }, events);
  }

  async #takeOver(): Promise<void> {
    const core = this.#core;
    if (core === undefined) return;
    await core.lead();
    core.start();
    this.#listeners?.cluster.lead({ who: 'self' });
  }

  /** Logs the resources of the machine once it serves; a refused start logs only its reason. */
  #tellOfResources(
    openFiles: number | undefined,
    { connectionsMax, descriptorsMax, controlPortDescriptorsMax }: WorkerRoom,
  ): void {
    const { limits, tlsWorkers } = this.#config;
    const { log } = this.#system;
    const { heap } = this.#sources;
    if (heap !== undefined) {
      const { limitBytes: heapLimitBytes, boundBytes: liveBytesMax } = heap;
      log.info({ heapLimitBytes, liveBytesMax }, 'the heap is sized');
    }
    if (connectionsMax === limits.connectionsMax) return;
    const configured = limits.connectionsMax;
    const routersMax = controlPortDescriptorsMax || descriptorsMax;
    log.info(
      { openFiles, connectionsMax, routersMax, configured, tlsWorkers },
      'the limit on open files allows fewer connections per TLS worker than are configured',
    );
  }

  async #open(claimed: Claimed, console: OutsideHandler | undefined): Promise<Core> {
    const config = this.#config;
    const { log } = this.#system;
    const ports = { api: claimed.port, control: claimed.controlListen?.port };
    const addresses = addressesOf(config, ports);
    this.#own?.advertise(addresses);
    const { core, firstStart } = await open(
      config,
      this.#system,
      addresses,
      this.#sources,
      console,
      this.#own,
    );
    this.#core = core;
    this.#firstStart = firstStart;
    for (const notice of [...config.notices, ...core.authority.notices]) log.warn(notice);
    tellOfDisk(core.report, core.journal, log, this.#own !== undefined);
    return core;
  }

  async #serve(core: Core, claimed: Claimed): Promise<void> {
    await this.#listen(core, claimed);
    core.start();
  }

  async #listen(core: Core, claimed: Claimed, cluster?: ClusterFront): Promise<Listeners> {
    const config = this.#config;
    const { log, clock } = this.#system;
    try {
      this.#listeners = await startListeners({
        ...claimed,
        config,
        clock,
        log,
        handler: core.handler,
        tooLarge: core.tooLarge,
        malformed: core.malformed,
        sockets: core.sockets,
        acceptControl: core.routers.accept,
        server: shownBy(core.serving.server),
        cluster,
        workerFailed: (err) => {
          this.#sources.workerFailures++;
          log.error({ err }, workerNote);
        },
      });
      const listen = { host: config.listen.host, port: claimed.port };
      this.#ownerSocket = await startOwnerSocket({
        home: config.home,
        clock,
        timeoutMs: config.limits.handlerTimeoutMs,
        handler: ownerHandler(core, this.#sources, listen, log, () => this.#ordered),
      });
    } catch (error) {
      await this.#listeners?.stop();
      await core.close();
      throw error;
    }
    const listeners = this.#listeners;
    this.#sources.listeners = listeners;
    core.serving.follow((server) => listeners.renew(shownBy(server)));
    if (listeners.directUrl !== undefined) {
      log.info({ url: listeners.directUrl }, 'the direct listener serves');
    }
    return listeners;
  }

  /** The node as its owner orders it about. */
  get #ordered(): OrderedNode | undefined {
    const node = this.#own?.thread;
    if (node === undefined) return undefined;
    return {
      state: node.state,
      stepDown: (answered) => this.#stepDown(answered),
      finalize: async () => await this.#own?.formats.finalize(),
    };
  }

  /** Frees the ports of a controller that has failed, for a process that goes on without it. */
  async #release(): Promise<void> {
    await this.#ownerSocket?.stop();
    await this.#listeners?.stop();
    await this.#own?.close();
  }

  /**
   * The stop of a halted node. What it has not confirmed will never be, and no answer that waits
   * for that can leave, so it waits for neither; the next start recovers what is confirmed.
   */
  async #abandon(node: Pick<ClusterNode, 'stop'>): Promise<void> {
    const { clock, log } = this.#system;
    const parts = async () => {
      this.#core?.routers.stop();
      await this.#ownerSocket?.stop();
      await this.#listeners?.stop(haltedLingerMsMax);
      await node.stop();
      await this.#core?.abandon();
      await this.#own?.close();
    };
    const late = new Promise<void>((resolve) => void clock.after(haltedStopMsMax, resolve));
    await Promise.race([parts(), late]);
    log.info('the halted node has ended, without a last snapshot');
  }

  async #drain(): Promise<void> {
    const node = this.#own?.thread;
    if (node?.state.role === 'halted') return await this.#abandon(node);
    // Routers come back to the next start; nothing of theirs ends before.
    this.#core?.routers.stop();
    // A listener that it restarts must not outlive the others.
    await this.#core?.serving.stop();
    await this.#ownerSocket?.stop();
    await this.#listeners?.stop();
    // Before the last snapshot, which may take a while: another node leads at once.
    if (node !== undefined && this.#core?.env.store.isAttached === true) {
      await this.#core.rest();
      this.#isResigning = true;
      await node.resign();
    }
    if (this.#core !== undefined) {
      await this.#core.close();
      this.#system.log.info('snapshot written');
    }
    await node?.stop();
    await this.#own?.close();
  }
}

/**
 * How long a halted node lets answers end, in ms: those of health and of inspectors leave at once.
 * @bound
 */
const haltedLingerMsMax = 500;
/** A halted node that does not let go of its connections so long, in ms, is left behind. @bound */
const haltedStopMsMax = 4000;

/** Takes a snapshot; a failure is logged elsewhere. */
async function takeSnapshot({ snapshotter }: Core): Promise<void> {
  await snapshotter.take().catch(() => undefined);
}

function shownBy({ chain, key }: ChainedKey): ServerCertificate {
  return { certificate: toPem(chain), key: keyToPem(key) };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

const ownErrors: readonly (abstract new (...args: never[]) => Error)[] = [
  durability.HomeLocked,
  durability.LogCorrupt,
  durability.RecoverToUnreachable,
  durability.NewerFormat,
  durability.OtherMembership,
  durability.SyncFailed,
  NewerRecord,
];

/**
 * A problem that the operator can fix becomes one sentence; a bug in the program keeps its stack.
 */
function asStartProblem(thrown: unknown, home: string): unknown {
  if (thrown instanceof StartProblem) return thrown;
  if (thrown instanceof ApiError) {
    const { cause } = thrown;
    const detail = cause !== undefined && 'field' in cause ? ` ${cause.field} ${cause.reason}` : '';
    return new StartProblem(`${thrown.message}${detail}`);
  }
  // The command line chooses its exit code by the cause.
  const because = { cause: thrown };
  if (thrown instanceof StreamMisconfigured) {
    const again = 'Change that, then start this node again.';
    return new StartProblem(
      `The NATS servers cannot be used: ${thrown.message}. ${again}`,
      because,
    );
  }
  if (thrown instanceof StreamUnreachable) {
    const again = 'Start this node again when a majority of them serves.';
    return new StartProblem(
      `The NATS servers cannot be asked: ${thrown.message}. ${again}`,
      because,
    );
  }
  const error = asError(thrown);
  const { code, syscall } = error as NodeJS.ErrnoException;
  const refusal = homeRefusal(home, error);
  if (refusal !== undefined) return new StartProblem(refusal, because);
  if (syscall !== undefined) {
    // An error of the operating system; a failed read does not even name its file.
    return new StartProblem(
      `The home ${home} cannot be used: ${error.message}. See to its disk and rights.`,
      because,
    );
  }
  const isKnown = ownErrors.some((type) => error instanceof type) || code !== undefined;
  return isKnown ? new StartProblem(error.message, because) : error;
}

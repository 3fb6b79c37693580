// A controller that serves: it starts its parts in order, watches them, and stops them.

import { join } from 'node:path';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { pkiName } from '../../snapshots/home/layout.ts';
import { createLife, type Life } from '../actors/controller-life.ts';
import type { NodeEnded } from '../cluster/node/node-ended.ts';
import type { OutsideHandler } from '../http/application/other-paths.ts';
import type { ClaimedPorts } from '../http/front/claimed-ports.ts';
import { TlsThreads } from '../http/front/tls-front.ts';
import type { ClusterFront, ServerCertificate } from '../http/front/tls-messages.ts';
import { type Listeners, type ListenersOptions, startListeners } from '../http/server/listeners.ts';
import { type OwnerSocket, startOwnerSocket } from '../http/server/owner-socket.ts';
import { logDisk } from '../monitoring/disk-lines.ts';
import { createMetrics } from '../monitoring/metrics.ts';
import { type MetricsListener, startMetricsListener } from '../monitoring/metrics-listener.ts';
import { createRouterScrape } from '../monitoring/router-scrape.ts';
import { Sources } from '../monitoring/sources.ts';
import { EventLoopWatch } from '../observe/event-loop.ts';
import type { ChainedKey } from '../pki/authority/server-certificate.ts';
import { keyToPem, toPem } from '../pki/x509/pem.ts';
import type { Config } from '../settings/config.ts';
import { capacityWithin, openFilesMax, type WorkerCapacity } from '../settings/open-files.ts';
import type { HomeNode } from './cluster/node.ts';
import { ServedNode } from './cluster/served-node.ts';
import type { Core } from './core.ts';
import { firstStartAfterMigration } from './migrated-home.ts';
import { heapWatchOf, openConsole, openCoreOf, takeSnapshot } from './opened-core.ts';
import { ownerHandler } from './owner-handler.ts';
import { addressesOf, claimControl } from './ports-and-addresses.ts';
import type { ControllerSystem, FirstStart, RunningController } from './process-context.ts';
import { asError } from './start-problem.ts';

const workerNote =
  'a TLS worker died and was replaced; its connections are lost: this is a bug worth reporting';

/**
 * How long a halted node lets answers end, in ms: those of health and of inspectors leave at once.
 * @bound
 */
const haltedLingerMsMax = 500;

/** A halted node that does not let go of its connections so long, in ms, is left behind. @bound */
const haltedStopMsMax = 4000;

/** The claimed ports and the bounds with which the listeners start. */
type Claimed = Pick<ListenersOptions, 'port' | 'controlListen' | 'capacity' | 'threads' | 'ports'>;

/** A controller that serves its home, alone or as a node of a cluster. */
export class ServedController {
  readonly #config: Config;
  readonly #system: ControllerSystem;
  readonly #ports: ClaimedPorts;
  #core: Core | undefined;
  #life: Life | undefined;
  #listeners: Listeners | undefined;
  #ownerSocket: OwnerSocket | undefined;
  #metrics: MetricsListener | undefined;
  readonly #sources: Sources;
  #firstStart: FirstStart | undefined;
  readonly #own: HomeNode | undefined;
  /** Absent without a cluster. */
  readonly #node: ServedNode | undefined;
  /** Ends the process as a node that starts again. */
  #endNode: (reason: NodeEnded) => void = () => undefined;

  constructor(config: Config, system: ControllerSystem, ports: ClaimedPorts, own?: HomeNode) {
    this.#config = config;
    this.#system = system;
    this.#ports = ports;
    this.#own = own;
    const life = () => this.#life;
    const end = (reason: NodeEnded) => this.#endNode(reason);
    this.#node = own && new ServedNode({ own, system, life, end });
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
        ...(this.#node && { takeOver: () => this.#takeOver() }),
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
    const leave = async () => await this.#node?.leave();
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
        await leave();
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
    const routers = metrics.routers ? createRouterScrape(sources) : undefined;
    const served = { metrics: createMetrics(sources), routers, sources };
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
    const controlWorkers = controlListen === undefined ? 0 : this.#config.controlWorkers;
    const isNode = this.#own !== undefined;
    const listening = { workers: tlsWorkers, controlWorkers, isNode };
    const capacity = capacityWithin(this.#config.limits, openFiles, listening);
    const threads = new TlsThreads(tlsWorkers + controlWorkers);
    const claimed = { port, controlListen, capacity, threads, ports: this.#ports };
    try {
      const core = await this.#open(claimed, console);
      this.#node?.watch(this.#sources);
      if (this.#node === undefined) await this.#serve(core, claimed);
      else await this.#node.follow(core, (front) => this.#listen(core, claimed, front));
      this.#tellOfResources(openFiles, capacity);
    } finally {
      await threads.end();
    }
  }

  async #takeOver(): Promise<void> {
    const core = this.#core;
    if (core === undefined) return;
    await core.lead();
    await this.#startMigrated(core);
    core.start();
    const term = core.following?.term ?? 0;
    this.#listeners?.cluster.lead({ who: 'self', term });
  }

  /** Logs the resources of the machine once it serves; a refused start logs only its reason. */
  #tellOfResources(
    openFiles: number | undefined,
    { connectionsMax, descriptorsMax, controlPortDescriptorsMax }: WorkerCapacity,
  ): void {
    const { limits, tlsWorkers, controlWorkers } = this.#config;
    const { log } = this.#system;
    const { heap } = this.#sources;
    if (heap !== undefined) {
      const { limitBytes: heapLimitBytes, boundBytes: liveBytesMax } = heap;
      log.info({ heapLimitBytes, liveBytesMax }, 'the heap is sized');
    }
    if (connectionsMax === limits.connectionsMax) return;
    const configured = limits.connectionsMax;
    const routersMax = controlPortDescriptorsMax * controlWorkers || descriptorsMax;
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
    const { core, firstStart } = await openCoreOf(
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
    logDisk(core.report, core.journal, log, this.#own !== undefined);
    return core;
  }

  async #serve(core: Core, claimed: Claimed): Promise<void> {
    try {
      await this.#startMigrated(core);
    } catch (error) {
      await core.close();
      throw error;
    }
    await this.#listen(core, claimed);
    core.start();
  }

  async #startMigrated(core: Core): Promise<void> {
    const { log } = this.#system;
    await firstStartAfterMigration(core, { disk: nodeDisk, home: this.#config.home, log });
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
        sockets: [core.sockets, core.fabricSockets],
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
        handler: ownerHandler(core, this.#sources, listen, log, () => this.#node?.ordered),
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
  async #abandon(): Promise<void> {
    const { clock, log } = this.#system;
    const parts = async () => {
      this.#core?.routers.stop();
      await this.#ownerSocket?.stop();
      await this.#listeners?.stop(haltedLingerMsMax);
      await this.#own?.thread.stop();
      await this.#core?.abandon();
      await this.#own?.close();
    };
    const late = new Promise<void>((resolve) => void clock.after(haltedStopMsMax, resolve));
    await Promise.race([parts(), late]);
    log.info('the halted node has ended, without a last snapshot');
  }

  async #drain(): Promise<void> {
    const node = this.#node;
    if (node?.isHalted === true) return await this.#abandon();
    // Routers come back to the next start; nothing of theirs ends before.
    this.#core?.routers.stop();
    // A listener that it restarts must not outlive the others.
    await this.#core?.serving.stop();
    await this.#ownerSocket?.stop();
    await this.#listeners?.stop();
    if (this.#core !== undefined) {
      // Before the last snapshot, which may take a while: another node leads at once.
      await node?.resign(this.#core);
      await this.#core.close();
      this.#system.log.info('snapshot written');
    }
    await node?.stop();
  }
}

function shownBy({ chain, key }: ChainedKey): ServerCertificate {
  return { certificate: toPem(chain), key: keyToPem(key) };
}

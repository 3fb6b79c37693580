// The main thread's side of the TLS front: finds the ports, starts the workers, learns about their
// connections.

import { createSecureContext } from 'node:tls';
import { Worker } from 'node:worker_threads';
import type { HostPort } from '../../settings/setting-type.ts';
import { bindRefusal, ClaimedPorts } from './claimed-ports.ts';
import type { NodeKey } from './cluster/node-members.ts';
import type { ConnectionTable } from './connection-table.ts';
import type { Connections, FrontCounters } from './peers.ts';
import type {
  ClusterFront,
  ControlFront,
  FromTlsWorker,
  FrontLimits,
  Leading,
  LostRequest,
  NodeCertificates,
  RequestFate,
  ServerCertificate,
  TlsWorkerData,
  ToTlsWorker,
} from './tls-messages.ts';

/** The options of the TLS front. */
export interface TlsFrontOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Workers for this port; a port for control connections has others. */
  readonly workers: number;
  readonly server: ServerCertificate;
  /** As a worker connects to it: at most 107 bytes. */
  readonly socketPath: string;
  /** Without it, control connections are closed. */
  readonly control?: ControlFront | undefined;
  /** Without it, this is the only node. */
  readonly cluster?: ClusterFront | undefined;
  /** The same bound as in `limits.connectionsMax`. */
  readonly connections: Connections;
  readonly limits: FrontLimits;
  /** Threads for the workers that were started already. */
  readonly threads?: TlsThreads | undefined;
  /** Ports that were claimed already. They are released when the workers listen. */
  readonly ports?: ClaimedPorts | undefined;
  /** A worker died of an error; its connections are lost and another worker replaces it. */
  readonly failed: (error: Error) => void;
}

/**
 * Threads that become TLS workers. Loading their code takes 0.1 s, a seventh of the start of an
 * empty home. Started before the home is recovered, they cost a start nothing.
 */
export class TlsThreads {
  readonly #idle = new Set<Worker>();

  /** Starts this many threads. */
  constructor(count: number) {
    for (let begun = 0; begun < count; begun++) {
      const thread = newThread();
      this.#idle.add(thread);
      // A thread that could not start is replaced on use, and reports the reason then.
      thread.on('error', () => {});
      thread.on('exit', () => this.#idle.delete(thread));
    }
  }

  /** A waiting thread, or a new one if none waits. */
  take(): Worker {
    for (const thread of this.#idle) {
      this.#idle.delete(thread);
      return thread;
    }
    return newThread();
  }

  /** Ends the unused threads. */
  async end(): Promise<void> {
    await Promise.all([...this.#idle].map((thread) => thread.terminate()));
  }
}

function newThread(): Worker {
  return new Worker(new URL('./tls-worker.ts', import.meta.url), {
    // The arguments of the process are for its main thread.
    execArgv: [],
  });
}

/**
 * Starts the workers. Throws an error with `code` and a clear sentence when the port can't be
 * bound, and Node's error when certificate and key don't fit.
 */
export async function startTlsFront(options: TlsFrontOptions): Promise<TlsFront> {
  const { certificate, key } = options.server;
  createSecureContext({ cert: certificate, key, ca: [] });
  const ports = options.ports ?? new ClaimedPorts();
  try {
    const port = await ports.claim(options);
    const cluster = await claimCluster(options, ports);
    const control = await claimControl(options, ports);
    const front = new TlsFront({ ...options, cluster }, port, control);
    await front.start();
    return front;
  } finally {
    ports.release();
  }
}

async function claimCluster(
  { cluster }: TlsFrontOptions,
  ports: ClaimedPorts,
): Promise<ClusterFront | undefined> {
  if (cluster === undefined) return undefined;
  const { certificates, listen } = cluster;
  checkNodePair(certificates);
  return { ...cluster, listen: { ...listen, port: await ports.claim(listen) } };
}

/** @throws Node's error when certificate and key of a node don't fit */
function checkNodePair({ pair, anchors }: NodeCertificates): void {
  createSecureContext({ cert: pair.certificate, key: pair.key, ca: anchors });
}

async function claimControl(
  { control }: TlsFrontOptions,
  ports: ClaimedPorts,
): Promise<ControlFront | undefined> {
  if (control?.listen === undefined) return control;
  const { listen } = control;
  return { ...control, listen: { ...listen, port: await ports.claim(listen) } };
}

/** The running TLS front. */
export class TlsFront {
  readonly port: number;
  readonly #options: TlsFrontOptions;
  /** With the ports that were claimed. */
  readonly #control: ControlFront | undefined;
  readonly #workers: Place[] = [];
  #server: ServerCertificate;
  #cluster: ClusterFront | undefined;
  #stopping = false;
  #decide: Parameters<TlsFront['onLost']>[0] = (_request, then) => then('unknown');

  constructor(options: TlsFrontOptions, port: number, control: ControlFront | undefined) {
    this.#options = options;
    this.#control = control;
    this.#server = options.server;
    this.#cluster = options.cluster;
    this.port = port;
  }

  async start(): Promise<void> {
    const started: Promise<void>[] = [];
    for (const place of this.#places()) {
      this.#workers.push(place);
      started.push(this.#fill(place));
    }
    try {
      await Promise.all(started);
    } catch (error) {
      this.#stopping = true;
      await Promise.all(this.#workers.map((place) => place.worker?.terminate()));
      throw error;
    }
  }

  /**
   * The control port has workers of its own, because a fleet that dials at once keeps it busy for
   * seconds, and clients of the API would wait for that in the same worker.
   */
  *#places(): Generator<Place> {
    const { host, workers, connections, limits } = this.#options;
    const listen = { host, port: this.port };
    const readsBehindMax = Math.max(1, Math.floor(limits.readsBehindMax / workers));
    for (let index = 0; index < workers; index += 1) {
      const table = connections.addWorker();
      yield {
        listen,
        protocols: 'both',
        limits: { ...limits, readsBehindMax },
        table,
        gone: nobodyWaits,
      };
    }
    if (this.#control?.listen === undefined) return;
    const { listen: controlListen, workers: controlWorkers } = this.#control;
    const { controlPortDescriptorsMax: descriptorsMax } = limits;
    for (let index = 0; index < controlWorkers; index += 1) {
      yield {
        listen: controlListen,
        protocols: 'control',
        limits: { ...limits, connectionsMax: 0, descriptorsMax },
        table: connections.addWorker(0),
        gone: nobodyWaits,
      };
    }
  }

  /** Worker threads. */
  get workers(): number {
    return this.#workers.length;
  }

  /** The port for control connections alone, if there is one. */
  get controlPort(): number | undefined {
    return this.#control?.listen?.port;
  }

  /** The port for other nodes, if this node is one of several. */
  get clusterPort(): number | undefined {
    return this.#cluster?.listen.port;
  }

  /**
   * Who leads has changed. Clients of this front go to that node from now on. It has no effect if
   * this is the only node.
   */
  lead(leading: Leading): void {
    this.#changeCluster({ leading }, { kind: 'leading', leading });
  }

  /** The nodes of the cluster have changed. The connections of a removed node end at once. */
  replaceMembers(members: readonly NodeKey[]): void {
    this.#changeCluster({ members }, { kind: 'members', members });
  }

  /** Shows another certificate to other nodes. Throws when it and the key don't fit. */
  renewNode(certificates: NodeCertificates): void {
    checkNodePair(certificates);
    this.#changeCluster({ certificates }, { kind: 'renewNode', certificates });
  }

  /** Has `decide` tell what became of requests that were lost with their leader. */
  onLost(decide: (request: LostRequest, then: (fate: RequestFate) => void) => void): void {
    this.#decide = decide;
  }

  /** Tells the workers, those that replace others later included. */
  #changeCluster(change: Partial<ClusterFront>, message: ToTlsWorker): void {
    if (this.#cluster === undefined) return;
    this.#cluster = { ...this.#cluster, ...change };
    for (const place of this.#workers) say(place, message);
  }

  /** Counts of all workers since the start; a replaced worker starts from zero. */
  counters(): FrontCounters {
    return this.#options.connections.counters();
  }

  /** Closes a connection after its answers; further bytes of the client are dropped. */
  finish(slot: number): void {
    const { connectionsMax } = this.#options.limits;
    const place = this.#workers[Math.floor(slot / connectionsMax)];
    if (place !== undefined) say(place, { kind: 'finish', slot });
  }

  /** Shows another certificate from the next handshake on. Throws when it and the key don't fit. */
  renew(server: ServerCertificate): void {
    // Checked here, because a failure in the workers would end them.
    createSecureContext({ cert: server.certificate, key: server.key, ca: [] });
    this.#server = server;
    for (const place of this.#workers) say(place, { kind: 'renew', server });
  }

  /** Answers of the leader ask the clients of this node to close their connections, too. */
  leave(): void {
    for (const place of this.#workers) say(place, { kind: 'leave' });
  }

  /** Accepts no new connections, and closes those that have sent nothing. */
  stopListening(timeoutMs: number): void {
    this.#stopping = true;
    for (const place of this.#workers) say(place, { kind: 'drain', timeoutMs });
  }

  /** Resolves when each worker has ended, at the latest after the time given to `stopListening`. */
  async stopped(): Promise<void> {
    await Promise.all(this.#workers.map((place) => place.gone));
  }

  /** Starts a worker in a place; resolves when it listens. */
  #fill(place: Place): Promise<void> {
    const { socketPath, threads } = this.#options;
    const { listen, protocols, limits } = place;
    const { shared, slotBase } = place.table;
    const data: TlsWorkerData = {
      listen,
      protocols,
      socketPath,
      controlSocketPath: this.#control?.socketPath,
      cluster: this.#cluster,
      server: this.#server,
      limits,
      shared,
      slotBase,
    };
    const worker = threads?.take() ?? newThread();
    worker.postMessage(data);
    place.worker = worker;
    place.gone = new Promise((resolve) => worker.once('exit', () => resolve()));
    return new Promise((resolve, reject) => {
      let listening = false;
      worker.on('message', (message: FromTlsWorker) => {
        if (message.kind === 'listening') {
          listening = true;
          resolve();
        } else if (message.kind === 'refused') {
          reject(bindRefusal(message.at, message));
        } else this.#hear(place, message);
      });
      let cause = new Error('a TLS worker ended by itself');
      worker.on('error', (error: Error) => {
        cause = error;
      });
      worker.on('exit', () => {
        if (!listening) reject(cause);
        else if (!this.#stopping) this.#replace(place, cause);
      });
    });
  }

  #replace(place: Place, cause: Error): void {
    this.#options.failed(cause);
    place.table = this.#options.connections.replaceWorker(place.table);
    // It has listened before; if it can't now, only the other workers are left.
    this.#fill(place).catch(this.#options.failed);
  }

  #hear(place: Place, message: FromTlsWorker): void {
    if (message.kind === 'left') this.#options.connections.forget(message.slots);
    else if (message.kind === 'lost') {
      const { ticket, request } = message;
      const { worker } = place;
      // Another worker may be in the place by then, with tickets of its own.
      this.#decide(request, (fate) => worker?.postMessage({ kind: 'fate', ticket, fate }));
    } else if (message.kind === 'introduce') {
      const slots: number[] = [];
      for (const { slot, certificates } of message.connections) {
        this.#options.connections.introduce(slot, certificates);
        slots.push(slot);
      }
      say(place, { kind: 'welcome', slots });
    }
  }
}

/** A worker's place, kept when the worker is replaced. */
interface Place {
  readonly listen: HostPort;
  readonly protocols: TlsWorkerData['protocols'];
  readonly limits: FrontLimits;
  table: ConnectionTable;
  worker?: Worker;
  gone: Promise<void>;
}

function say(place: Place, message: ToTlsWorker): void {
  place.worker?.postMessage(message);
}

const nobodyWaits = Promise.resolve();

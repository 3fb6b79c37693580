// Connections with certificates, between a TLS worker and the main thread: slots are used again and
// again, while the main thread reads its messages late.

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { Connections } from '../../src/http/front/peers.ts';
import type { FromTlsWorker, ServerCertificate } from '../../src/http/front/tls-messages.ts';
import { Relay } from '../../src/http/front/tls-relay.ts';
import { TlsWorker } from '../../src/http/front/tls-worker.ts';
import { unixSocketPlace } from '../../src/http/server/unix-socket.ts';
import * as fc from '../properties.ts';
import { roomOf } from '../system/process.ts';
import { issue } from './certificates.ts';
import { holds } from './cluster-nodes.ts';
import { frontLimits, get } from './harness.ts';

/** A TLS worker in this thread, and a main thread that reads a message when it is told to. */
class Threads {
  readonly connections: Connections;
  /** Clients whose connection is open, by what they ask for. */
  readonly clients = new Map<string, Duplex>();
  /** Requests that were taken for those of another client, or for nobody's. */
  readonly mistaken: string[] = [];
  readonly #worker: TlsWorker;
  readonly #port: MessagePort;
  #connected = 0;

  static async start(t: Test, connectionsMax: number): Promise<Threads> {
    const place = unixSocketPlace(join(roomOf(t), 'run'), 'http.sock');
    const { certificate, key } = await issue('server');
    const server = createServer();
    server.listen(place.path);
    await once(server, 'listening');
    const threads = new Threads(server, connectionsMax, { certificate, key }, place.path);
    t.teardown(() => {
      // A message that arrives while it stops wakes this thread, as it wakes the main thread.
      threads.#port.on('message', (message) => threads.#take(message));
      threads.#port.postMessage({ kind: 'drain', timeoutMs: 0 });
      server.close();
      place.release();
    });
    return threads;
  }

  private constructor(
    server: Server,
    connectionsMax: number,
    pair: ServerCertificate,
    socketPath: string,
  ) {
    this.connections = new Connections(connectionsMax);
    const { shared, slotBase } = this.connections.addWorker();
    const { port1, port2 } = new MessageChannel();
    this.#port = port2;
    this.#worker = new TlsWorker(port1, {
      listen: { host: '127.0.0.1', port: 0 },
      protocols: 'both',
      socketPath,
      controlSocketPath: undefined,
      cluster: undefined,
      server: pair,
      limits: { ...frontLimits, connectionsMax },
      shared,
      slotBase,
    });
    server.on('connection', (socket) => {
      socket.once('data', (bytes) => this.#arrive(bytes));
      socket.on('error', () => {});
    });
  }

  /** A client that has shown this certificate, or none if it is empty, and asks at once. */
  connect(certificate: string): void {
    const [stream, theirs] = duplexPair();
    const path = `/${certificate}/${this.#connected++}`;
    const certificates = certificate === '' ? [] : [Buffer.from(certificate)];
    this.clients.set(path, stream);
    theirs.on('close', () => this.clients.delete(path));
    new Relay(this.#worker, {
      stream: theirs,
      address: '127.0.0.1',
      certificates,
      isTunnel: false,
    });
    stream.write(get(path));
  }

  /** The main thread reads one message. @returns false if there is none */
  hear(): boolean {
    const received = receiveMessageOnPort(this.#port);
    if (received !== undefined) this.#take(received.message);
    return received !== undefined;
  }

  /** As `TlsFront` does. */
  #take(message: FromTlsWorker): void {
    if (message.kind === 'left') this.connections.forget(message.slots);
    if (message.kind !== 'introduce') return;
    for (const { slot, certificates } of message.connections) {
      this.connections.introduce(slot, certificates);
    }
    const slots = message.connections.map(({ slot }) => slot);
    this.#port.postMessage({ kind: 'welcome', slots });
  }

  /** The server reads the first bytes of a connection: a PROXY header and a request. */
  #arrive(bytes: Buffer): void {
    const id = Uint8Array.from(bytes.subarray(idStart, idStart + 16)).buffer;
    const peer = this.connections.peer(id);
    const path = bytes.toString('latin1', headerBytes).split(' ')[1] ?? '';
    const [, certificate = ''] = path.split('/');
    if (peer === undefined && !this.clients.has(path)) return;
    const taken = peer?.certificates.join() ?? 'nobody';
    if (taken !== certificate) this.mistaken.push(`${path} for ${taken}`);
  }
}

/** Where the id stands in a PROXY header: behind signature, version, protocol and length. */
const idStart = 16;
const headerBytes = 52;

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('a request is never taken for that of the one who had its slot before', async (t) => {
  const threads = await Threads.start(t, 2);
  const action = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('connect', 'connect A', 'connect B') },
    { weight: 2, arbitrary: fc.constant('close') },
    { weight: 3, arbitrary: fc.constantFrom('hear', 'turn', 'turn', 'turn') },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1000, maxLength: 1000 }), async (actions) => {
      for (const action of actions) {
        const [oldest] = threads.clients.values();
        if (action === 'close') oldest?.end();
        else if (action === 'hear') threads.hear();
        else if (action === 'turn') await turn();
        else threads.connect(action.split(' ')[1] ?? '');
      }
      if (threads.mistaken.length > 0) throw new Error(threads.mistaken.join(', '));
    }),
    { numRuns: 10, endOnFailure: true },
  );
  for (const client of threads.clients.values()) client.end();
  await holds(() => !threads.hear() && threads.clients.size === 0);
});

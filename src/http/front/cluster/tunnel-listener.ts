// The leader's side of the tunnels: takes the connections of other nodes and hands on the clients
// that they carry.

import { constants as cryptoConstants } from 'node:crypto';
import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls';
import { addressBlock } from '../../../platform/address-block.ts';
import type { Clock } from '../../../platform/ports.ts';
import type { HostPort } from '../../../settings/setting-type.ts';
import { FairShares } from '../../../turns/fair-shares.ts';
import type { FrontCounterName } from '../connection-table.ts';
import type { FrontLimits, NodeCertificates } from '../tls-messages.ts';
import { tls13Suites } from '../tls-suites.ts';
import type { NodeMembers } from './node-members.ts';
import { MalformedPreface, type TunnelClient, TunnelPrefaceReader } from './tunnel-preface.ts';
import {
  namesRequestsHeader,
  PingWatch,
  sessionLimits,
  sessionUseNote,
  tunnelBounds,
} from './tunnel-settings.ts';

/** The options of a listener for other nodes. */
export interface TunnelListenerOptions {
  readonly certificates: NodeCertificates;
  readonly members: NodeMembers;
  readonly limits: FrontLimits;
  readonly clock: Clock;
  readonly count: (name: FrontCounterName, change: number) => void;
  /** Whether there is room for a client, or some was made. It is asked before `accept`. */
  readonly hasCapacity: (client: TunnelClient) => boolean;
  /**
   * Takes a client. Its stream is paused, and its bytes follow when it is resumed.
   * `reportSessionUse` tells its node that an API session was used.
   */
  readonly accept: (
    client: TunnelClient & { readonly namesRequests: boolean },
    stream: ServerHttp2Stream,
    reportSessionUse: () => void,
  ) => void;
}

/**
 * A TLS listener for other nodes only: each shows its node certificate, speaks HTTP/2, and opens a
 * stream by CONNECT for each of its clients (behaviour/cluster#tunnels). The answer to a stream is
 * 200 if the client is taken, 421 if this node does not lead, 503 if there is no room.
 */
export class TunnelListener {
  readonly #options: TunnelListenerOptions;
  readonly #tls: Server;
  /** Connections whose handshake is not done, by the block of addresses they come from. */
  readonly #unfinished = new FairShares<Socket>();
  readonly #byPeer = new Map<string, { readonly socket: Socket; readonly address: string }>();
  readonly #links = new Set<NodeLink>();
  /** Tunnels whose first bytes are not complete, by the id of their node. */
  readonly #beginnings = new FairShares<Beginning>();
  /** Of this node's leadership. */
  #term: number | undefined;

  constructor(options: TunnelListenerOptions) {
    this.#options = options;
    this.#tls = createServer({
      ...contextOptions(options.certificates),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
      handshakeTimeout: tunnelBounds.linkHandshakeMs,
      noDelay: true,
    });
    this.#tls.prependListener('connection', (socket) => this.#arrive(socket));
    this.#tls.on('secureConnection', (socket) => this.#secured(socket));
    this.#tls.on('tlsClientError', (_error, socket) => {
      options.count('nodesRefused', 1);
      socket.destroy();
    });
  }

  /** Listens beside the other workers. `refused` is called with the reason if it can't. */
  listen({ host, port }: HostPort, listening: () => void, refused: (error: Error) => void): void {
    this.#tls.once('error', refused);
    this.#tls.listen({ host, port, reusePort: true }, () => {
      this.#tls.off('error', refused);
      // No descriptors are left; accepting continues when some are free again.
      this.#tls.on('error', () => {});
      listening();
    });
  }

  /** Accepts tunnels from now on, as the leader of this term, or no more. */
  lead(term: number | undefined): void {
    this.#term = term;
  }

  /** Shows this certificate from the next handshake on. */
  renew(certificates: NodeCertificates): void {
    this.#tls.setSecureContext(contextOptions(certificates));
  }

  /** The list of members has changed: the connections of removed nodes end at once. */
  checkMembers(): void {
    for (const link of this.#links) {
      const certificate = link.socket.getPeerX509Certificate();
      const id = certificate && this.#options.members.idOf(certificate);
      if (id !== link.nodeId) link.session.destroy();
    }
  }

  /** Called once per second or more often: drops what has been silent for too long. */
  sweep(passedMs: number): void {
    const untilMs = this.#options.clock.monotonic() - tunnelBounds.prefaceTimeoutMs;
    for (const beginning of this.#beginnings.oldestWhile(({ sinceMs }) => sinceMs <= untilMs)) {
      this.#refuse(beginning);
    }
    for (const link of this.#links) link.watch.sweep(passedMs);
  }

  /** Accepts nothing more; tunnels that are open go on until `end`. */
  stop(): void {
    this.#term = undefined;
    this.#tls.close();
    for (const socket of this.#unfinished.oldestWhile(() => true)) socket.destroy();
    for (const { session } of this.#links) session.close();
  }

  /** Drops all connections. */
  end(): void {
    for (const { session } of this.#links) session.destroy();
  }

  #arrive(socket: Socket): void {
    const peer = peerOf(socket);
    if (this.#unfinished.size >= tunnelBounds.linkHandshakesMax) {
      const oldest = this.#unfinished.oldestOfMost();
      if (oldest !== undefined) {
        // Counted as refused when TLS notices.
        this.#finishHandshake(peerOf(oldest));
        oldest.destroy();
      }
    }
    const address = addressBlock(socket.remoteAddress ?? '');
    this.#unfinished.add(address, socket);
    this.#byPeer.set(peer, { socket, address });
    socket.on('close', () => {
      if (this.#byPeer.get(peer)?.socket === socket) this.#finishHandshake(peer);
    });
  }

  #finishHandshake(peer: string): void {
    const arrived = this.#byPeer.get(peer);
    if (arrived === undefined) return;
    this.#byPeer.delete(peer);
    this.#unfinished.delete(arrived.address, arrived.socket);
  }

  #secured(socket: TLSSocket): void {
    const { count, limits, members } = this.#options;
    this.#finishHandshake(peerOf(socket));
    const certificate = socket.getPeerX509Certificate();
    const nodeId = certificate && members.idOf(certificate);
    const isFit = nodeId !== undefined && socket.alpnProtocol === 'h2';
    if (!isFit || this.#linksOf(nodeId) >= tunnelBounds.linksPerNodeMax) {
      count('nodesRefused', 1);
      socket.on('error', () => {});
      socket.destroy();
      return;
    }
    const session = performServerHandshake(socket, sessionLimits(limits.connectionsMax));
    session.setLocalWindowSize(tunnelBounds.linkWindowBytes);
    const link: NodeLink = { nodeId, socket, session, watch: new PingWatch(session) };
    this.#links.add(link);
    count('nodeConnectionsOpen', 1);
    session.on('error', () => {});
    session.on('close', () => {
      this.#links.delete(link);
      count('nodeConnectionsOpen', -1);
    });
    session.on('stream', (stream, headers) => this.#begin(link, stream, headers));
  }

  #linksOf(nodeId: string): number {
    let links = 0;
    for (const link of this.#links) if (link.nodeId === nodeId) links += 1;
    return links;
  }

  #begin(link: NodeLink, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    // Each error closes its stream, and its owner learns that by `close`.
    stream.on('error', () => {});
    const isConnect = headers[':method'] === 'CONNECT';
    if (!isConnect || this.#term === undefined) {
      const status = isConnect ? misdirected : constants.HTTP_STATUS_METHOD_NOT_ALLOWED;
      // Nothing reads the stream, so Node closes it behind the answer.
      stream.respond({ ':status': status }, { endStream: true });
      return;
    }
    if (this.#beginnings.size >= this.#options.limits.connectionsMax) {
      const oldest = this.#beginnings.oldestOfMost();
      if (oldest !== undefined) this.#refuse(oldest);
    }
    const namesRequests = headers[namesRequestsHeader] !== undefined;
    const sinceMs = this.#options.clock.monotonic();
    const beginning = { link, stream, namesRequests, sinceMs };
    this.#beginnings.add(link.nodeId, beginning);
    const reader = new TunnelPrefaceReader(this.#options.limits);
    const refuse = () => this.#refuse(beginning);
    const read = (chunk: Buffer) => {
      const begun = this.#read(beginning, reader, chunk);
      if (begun === undefined) return;
      stream.off('data', read);
      stream.off('end', refuse);
      stream.off('close', refuse);
      this.#beginnings.delete(link.nodeId, beginning);
      this.#open(beginning, begun.client, begun.rest);
    };
    stream.on('data', read);
    // A stream that ended before its first bytes were complete would stay half open.
    stream.on('end', refuse);
    stream.on('close', refuse);
  }

  #read(
    beginning: Beginning,
    reader: TunnelPrefaceReader,
    chunk: Buffer,
  ): ReturnType<TunnelPrefaceReader['take']> {
    if (beginning.stream.closed) return undefined;
    try {
      return reader.take(chunk);
    } catch (thrown) {
      if (!(thrown instanceof MalformedPreface)) throw thrown;
      this.#options.count('tunnelsMalformed', 1);
      this.#refuse(beginning);
      return undefined;
    }
  }

  /** The answer to a tunnel that is not taken. */
  #refusal(client: TunnelClient): number | undefined {
    if (this.#term === undefined) return misdirected;
    if (!this.#options.hasCapacity(client)) return constants.HTTP_STATUS_SERVICE_UNAVAILABLE;
    return undefined;
  }

  #open({ link, stream, namesRequests }: Beginning, client: TunnelClient, rest: Buffer): void {
    stream.pause();
    if (stream.destroyed || stream.closed) return;
    const refusal = this.#refusal(client);
    if (refusal !== undefined) {
      stream.respond({ ':status': refusal }, { endStream: true });
      stream.resume();
      return;
    }
    if (rest.length > 0) stream.unshift(rest);
    this.#options.count('tunnelsOpen', 1);
    stream.on('close', () => this.#options.count('tunnelsOpen', -1));
    // The other node sends bytes of the client only now, so that a client without this answer has
    // asked for nothing yet.
    const named = namesRequests ? { [namesRequestsHeader]: String(this.#term) } : {};
    stream.respond({ ':status': 200, ...named });
    const reportUse = () => reportSessionUse(link, stream);
    this.#options.accept({ ...client, namesRequests }, stream, reportUse);
  }

  #refuse(beginning: Beginning): void {
    const { link, stream } = beginning;
    this.#beginnings.delete(link.nodeId, beginning);
    if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
  }
}

/** A tunnel whose first bytes are not complete. */
interface Beginning {
  readonly link: NodeLink;
  readonly stream: ServerHttp2Stream;
  readonly namesRequests: boolean;
  /** Monotonic ms. */
  readonly sinceMs: number;
}

function reportSessionUse({ session }: NodeLink, { id, closed }: ServerHttp2Stream): void {
  if (!session.destroyed && !closed && id !== undefined) session.altsvc(sessionUseNote, id);
}

/** The answer of a node that does not lead. */
const misdirected = constants.HTTP_STATUS_MISDIRECTED_REQUEST;

/** A connection of another node. */
interface NodeLink {
  readonly nodeId: string;
  readonly socket: TLSSocket;
  readonly session: ServerHttp2Session;
  readonly watch: PingWatch;
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Node certificates are not resumed: each connection is checked against the present members. */
function contextOptions({ pair, anchors }: NodeCertificates): SecureContextOptions {
  return {
    cert: pair.certificate,
    key: pair.key,
    ca: anchors,
    minVersion: 'TLSv1.3',
    ciphers: tls13Suites,
    secureOptions: cryptoConstants.SSL_OP_NO_TICKET,
  };
}

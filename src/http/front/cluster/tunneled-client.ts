// One client of a follower: its bytes go through a tunnel to the leader, or wait until there is a
// leader.

import { Buffer } from 'node:buffer';
import { type ClientHttp2Stream, constants } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { FrontCounterName } from '../connection-table.ts';
import type { RelayedClient, SweptClient } from '../relayed-client.ts';
import { RequestFraming } from '../request-framing.ts';
import { encodeTunnelPreface, type TunnelClient, type TunnelProtocol } from './tunnel-preface.ts';
import { namesRequestsHeader } from './tunnel-settings.ts';

/** What a client of a follower needs of its worker. */
export interface TunnelOwner {
  /** Calls `openThrough`, `handOver` or `refuse`, now or when a leader is known. */
  seek(client: TunneledClient): void;
  /** The tunnel did not open; `seek` is called for the client a little later. */
  seekLater(client: TunneledClient): void;
  /** The client does not wait any more. */
  settled(client: TunneledClient): void;
  /** The client is over. */
  left(client: TunneledClient): void;
  count(name: FrontCounterName, change: number): void;
  /** Request line and headers of one request. */
  readonly headerBytesMax: number;
  /** The answer to a client that has found no leader, and whose connection stays or not. */
  refusal(isKept: boolean): Buffer;
}

/**
 * The tunnel is opened at the client's first byte, and its bytes are sent only after the leader has
 * answered the tunnel. Until then nothing was asked of a leader, so the client may try another one.
 * After that it never sends its bytes again: if the tunnel closes, its connection closes. For a
 * part of a client, `DividedClient` decides what becomes of the request
 * (behaviour/cluster#leader-changes).
 */
export class TunneledClient implements SweptClient {
  active = true;
  quietSweeps = 0;
  /** The leader looks after heads that do not end. */
  headSweeps = 0;
  readonly isInHead = false;
  readonly client: TunnelClient;
  #phase: 'silent' | 'waiting' | 'opening' | 'open' | 'retiring' | 'finishing' | 'closed' =
    'silent';
  readonly #owner: TunnelOwner;
  readonly #given: RelayedClient;
  readonly #socket: Duplex;
  /** Only follows the requests; the leader checks their framing. Absent for control connections. */
  readonly #framing: RequestFraming | undefined;
  /** Requests that were whole when the leader sent its last byte. */
  #answeredRequests = 0;
  #isSessionUsed = false;
  #notedIn: number | undefined;
  #hasSent = false;
  /** Called once when a leader has answered a control connection. */
  #admitted: (() => void) | undefined;
  #tunnel: ClientHttp2Stream | undefined;
  /** Bytes that no leader was sent. */
  #held: Buffer = nothing;
  readonly #listeners = {
    data: (chunk: Buffer) => this.#fromClient(chunk),
    drain: () => void this.#tunnel?.resume(),
    end: () => this.#leave('closedByClient', constants.NGHTTP2_NO_ERROR),
    error: () => this.closeFor('closedByClient'),
    close: () => this.closeFor('closedByClient'),
  };

  constructor(
    owner: TunnelOwner,
    given: RelayedClient,
    protocol: TunnelProtocol,
    admitted: () => void,
  ) {
    const { stream, address, certificates } = given;
    this.#owner = owner;
    this.#given = given;
    this.client = { protocol, address, certificates };
    this.#socket = stream;
    if (protocol === 'requests') {
      this.#framing = new RequestFraming(owner.headerBytesMax, { mayChange: false });
    }
    this.#admitted = admitted;
    for (const [name, listener] of Object.entries(this.#listeners)) stream.on(name, listener);
  }

  /** As `Relay.state`; `held` is a control connection, which may be quiet for any time. */
  get state(): 'silent' | 'busy' | 'parked' | 'finishing' | 'closed' | 'held' {
    const phase = this.#phase;
    if (phase === 'silent' || phase === 'finishing' || phase === 'closed') return phase;
    return this.client.protocol === 'control' ? 'held' : 'busy';
  }

  get awaitsAnswer(): boolean {
    const { wholeRequests = 0 } = this.#framing ?? {};
    return this.state === 'busy' && wholeRequests > this.#answeredRequests;
  }

  /** The leader has told of the use of an API session. */
  noteSessionUse(): void {
    this.#isSessionUsed = true;
  }

  takeSessionUse(): boolean {
    const isUsed = this.#isSessionUsed;
    this.#isSessionUsed = false;
    return isUsed;
  }

  /** Bytes that wait for a leader. */
  get heldBytes(): number {
    return this.#held.length;
  }

  /** Whether it has no tunnel and needs one. */
  get isWaiting(): boolean {
    return this.#phase === 'waiting';
  }

  /**
   * The term of the leader that was sent its bytes, if that gives the frames of a request its name.
   */
  get notedIn(): number | undefined {
    return this.#notedIn;
  }

  /** Whether a leader was sent bytes. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  /** Whether it is a part of a client, which names its requests. */
  get isPart(): boolean {
    return this.#given.isPart === true;
  }

  /** Begins a tunnel. */
  openThrough(tunnel: ClientHttp2Stream): void {
    this.#phase = 'opening';
    this.#tunnel = tunnel;
    // Each error closes the tunnel.
    tunnel.on('error', () => {});
    tunnel.on('response', (headers) => {
      const term = headers[namesRequestsHeader];
      this.#notedIn = typeof term === 'string' ? Number(term) : undefined;
      this.#answered(tunnel, headers[':status']);
    });
    tunnel.on('data', (chunk: Buffer) => this.#fromLeader(tunnel, chunk));
    tunnel.on('drain', () => {
      if (this.#tunnel === tunnel && this.#phase === 'open') this.#socket.resume();
    });
    tunnel.on('end', () => this.#leaderEnded(tunnel));
    tunnel.on('close', () => this.#tunnelClosed(tunnel));
    tunnel.write(encodeTunnelPreface(this.client));
  }

  /**
   * Gives up the connection to be served here. Its stream is paused, and begins with the bytes that
   * were held.
   */
  handOver(): RelayedClient {
    this.#dropTunnel(constants.NGHTTP2_CANCEL);
    this.#phase = 'closed';
    // This node leads now, and its server gets them.
    this.#hasSent = true;
    const socket = this.#socket;
    for (const [name, listener] of Object.entries(this.#listeners)) socket.off(name, listener);
    socket.pause();
    if (this.#held.length > 0) socket.unshift(this.#held);
    this.#owner.left(this);
    return this.#given;
  }

  /** Called once for a control connection that is handed over, when its hello is accepted. */
  get admitted(): () => void {
    return this.#admitted ?? (() => {});
  }

  /** Another node leads, or nobody: nothing more is sent to the one that led. */
  leaderChanged(): void {
    if (this.#phase === 'opening') {
      this.#dropTunnel(constants.NGHTTP2_CANCEL);
      this.#phase = 'waiting';
    } else if (this.#phase === 'open') {
      if (this.client.protocol === 'control') {
        this.closeFor('closedWithLeader');
        return;
      }
      // The last answers may be on their way. What the client sends now is dropped unread.
      this.#phase = 'retiring';
      this.#socket.resume();
    }
  }

  /** Ends a client whose leader has had time for its last answers. */
  endRetiring(): void {
    if (this.#phase !== 'retiring') return;
    if (this.isPart) this.closeFor('closedWithLeader');
    else this.#end('closedWithLeader');
  }

  /** No leader was found in time, or it has no room. */
  refuse(): void {
    this.#dropTunnel(constants.NGHTTP2_CANCEL);
    this.#held = nothing;
    if (this.client.protocol === 'control') {
      this.closeFor('closedWithoutLeader');
      return;
    }
    this.#socket.write(this.#owner.refusal(this.isPart));
    if (this.isPart) this.closeFor('closedWithoutLeader');
    else this.#end('closedWithoutLeader');
  }

  finish(): void {
    if (this.#phase === 'silent') this.#end(undefined);
  }

  closeFor(reason: FrontCounterName): void {
    this.#leave(reason, constants.NGHTTP2_CANCEL);
  }

  #leave(reason: FrontCounterName, code: number): void {
    if (this.#phase === 'closed') return;
    if (this.#phase !== 'finishing') this.#count(reason);
    this.#phase = 'closed';
    this.#held = nothing;
    this.#socket.destroy();
    this.#dropTunnel(code);
    this.#owner.left(this);
  }

  /** The client itself counts why it is closed, but only its tunnel knows that it got a refusal. */
  #count(reason: FrontCounterName): void {
    if (reason === 'closedWithoutLeader' || !this.isPart) this.#owner.count(reason, 1);
  }

  /** Closes after the bytes that were written; what the client sends is read and dropped. */
  #end(reason: FrontCounterName | undefined): void {
    if (this.#phase === 'finishing' || this.#phase === 'closed') return;
    if (reason !== undefined) this.#count(reason);
    this.#owner.settled(this);
    this.#phase = 'finishing';
    this.quietSweeps = 0;
    this.#socket.end();
    this.#socket.resume();
  }

  #fromClient(chunk: Buffer): void {
    this.active = true;
    this.#framing?.take(chunk);
    switch (this.#phase) {
      case 'open':
        if (this.#tunnel?.write(chunk) === false) this.#socket.pause();
        return;
      case 'silent':
        this.#phase = 'waiting';
        this.#held = chunk;
        this.#socket.pause();
        this.#owner.seek(this);
        return;
      case 'waiting':
      case 'opening':
        this.#held = Buffer.concat([this.#held, chunk]);
        return;
      default:
    }
  }

  #answered(tunnel: ClientHttp2Stream, status: number | undefined): void {
    if (this.#tunnel !== tunnel || this.#phase !== 'opening') return;
    if (status === constants.HTTP_STATUS_OK) {
      this.#phase = 'open';
      this.#hasSent = true;
      this.#owner.settled(this);
      const held = this.#held;
      this.#held = nothing;
      if (tunnel.write(held)) this.#socket.resume();
      return;
    }
    this.#dropTunnel(constants.NGHTTP2_CANCEL);
    this.#phase = 'waiting';
    if (status === constants.HTTP_STATUS_SERVICE_UNAVAILABLE) this.refuse();
    else this.#owner.seekLater(this);
  }

  #fromLeader(tunnel: ClientHttp2Stream, chunk: Buffer): void {
    if (this.#tunnel !== tunnel) return;
    if (this.#phase !== 'open' && this.#phase !== 'retiring') return;
    this.active = true;
    this.#follow(chunk);
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) return;
    if (!socket.write(chunk)) tunnel.pause();
    const admitted = this.#admitted;
    if (admitted === undefined) return;
    this.#admitted = undefined;
    // A leader that refuses a router closes behind its answer.
    setImmediate(() => {
      if (this.#phase === 'open') admitted();
    });
  }

  #follow(answer: Buffer): void {
    const framing = this.#framing;
    if (framing === undefined) return;
    this.#answeredRequests = framing.wholeRequests;
    if (framing.awaitsUpgrade) framing.answered(answer);
  }

  #leaderEnded(tunnel: ClientHttp2Stream): void {
    if (this.#tunnel !== tunnel) return;
    if (this.#phase === 'open' || this.#phase === 'retiring') this.#end('closedByServer');
  }

  #tunnelClosed(tunnel: ClientHttp2Stream): void {
    if (this.#tunnel !== tunnel) return;
    this.#tunnel = undefined;
    if (this.#phase === 'opening') {
      this.#phase = 'waiting';
      this.#owner.seekLater(this);
    } else if (this.#phase === 'open' || this.#phase === 'retiring') {
      this.closeFor('closedWithLeader');
    }
  }

  #dropTunnel(code: number): void {
    const tunnel = this.#tunnel;
    this.#tunnel = undefined;
    if (tunnel === undefined) return;
    // Read to its end, because only then it closes, also if the leader has closed it.
    tunnel.resume();
    if (!tunnel.closed) tunnel.close(tunnel.writableLength === 0 ? code : constants.NGHTTP2_CANCEL);
  }
}

const nothing: Buffer = Buffer.alloc(0);

// The part of a TLS worker that serves a cluster. On a follower it relays clients to the leader, on
// the leader it takes those of other nodes.

import { ApiError, errorBody } from '../../../errors/errors.ts';
import { createIds } from '../../../platform/ids.ts';
import type { Clock, Random, Timer } from '../../../platform/ports.ts';
import type { Seat, SeatedClient } from '../connection-capacity.ts';
import type { ConnectionTable, FrontCounterName } from '../connection-table.ts';
import type { RelayedClient, SweptClient } from '../relayed-client.ts';
import type {
  ClusterFront,
  FrontLimits,
  Leading,
  LostRequest,
  NodeCertificates,
  RequestFate,
} from '../tls-messages.ts';
import { DividedClient, type DividedOwner } from './divided-client.ts';
import { LeaderLinks } from './leader-links.ts';
import { type NodeKey, NodeMembers } from './node-members.ts';
import { TunnelListener } from './tunnel-listener.ts';
import type { TunnelClient, TunnelProtocol } from './tunnel-preface.ts';
import { tunnelBounds } from './tunnel-settings.ts';
import { TunneledClient, type TunnelOwner } from './tunneled-client.ts';

/** The options of the part. */
export interface ClusterWorkerOptions {
  readonly cluster: ClusterFront;
  readonly limits: FrontLimits;
  readonly table: ConnectionTable;
  readonly clock: Clock;
  readonly random: Random;
  /** Serves a client on this node. Its stream is paused; the receiver resumes it. */
  readonly serve: (client: RelayedClient, protocol: TunnelProtocol, admitted: () => void) => void;
  /** Whether this worker has room for a client of another node, or has made some. */
  readonly hasCapacity: (client: TunnelClient) => boolean;
  /** Serves a part of a client by the server of this node. */
  readonly serveHere: (part: RelayedClient) => SeatedClient;
  /** A client of this front, or a part of one, and its seat if it has one. */
  readonly entered: (client: SweptClient, seat: Seat | undefined) => void;
  readonly left: (client: SweptClient) => void;
  /** Asks what became of a request; `settle` answers by the same ticket. */
  readonly lost: (ticket: number, request: LostRequest) => void;
}

/** One per TLS worker of a node in a cluster. */
export class ClusterWorker implements TunnelOwner, DividedOwner {
  readonly #options: ClusterWorkerOptions;
  readonly #members: NodeMembers;
  readonly #listener: TunnelListener;
  readonly #links: LeaderLinks;
  readonly #ids: ReturnType<typeof createIds>;
  #leading: Leading = { who: 'nobody' };
  readonly #clients = new Set<TunneledClient>();
  readonly #divided = new Set<DividedClient>();
  /** Clients that wait for a leader, or for its answer, with the time since when. */
  readonly #waiting = new Map<
    TunneledClient,
    { readonly sinceMs: number; readonly bytes: number }
  >();
  #waitingBytes = 0;
  /** Requests whose fate was asked for, by their tickets. */
  readonly #undecided = new Map<number, (fate: RequestFate) => void>();
  #tickets = 0;
  isLeaving = false;
  #isDraining = false;
  #retry: Timer | undefined;
  /** Ends the connections to the last leader. */
  #retirement: Timer | undefined;

  constructor(options: ClusterWorkerOptions) {
    this.#options = options;
    const { cluster, limits, clock, random, serve, hasCapacity } = options;
    const { certificates, trustDomain } = cluster;
    this.#ids = createIds(random, clock);
    this.#members = new NodeMembers(trustDomain, cluster.members);
    this.#listener = new TunnelListener({
      certificates,
      members: this.#members,
      limits,
      clock,
      count: (name, change) => this.count(name, change),
      hasCapacity,
      accept: ({ protocol, ...facts }, stream, reportSessionUse) =>
        serve({ ...facts, stream, isTunnel: true, reportSessionUse }, protocol, () => {}),
    });
    this.#links = new LeaderLinks({
      certificates,
      trustDomain,
      // The worker of the control port has no room for requests.
      connectionsMax: limits.connectionsMax || limits.controlPortDescriptorsMax,
      clock,
      tunnelsPerLinkMax: tunnelBounds.tunnelsPerLinkMax,
      failed: () => this.count('leaderConnectionsFailed', 1),
      ready: () => this.#seekAll(),
    });
    this.lead(cluster.leading);
  }

  /** Listens for other nodes, beside the other workers. */
  listen(listening: () => void, refused: (error: Error) => void): void {
    this.#listener.listen(this.#options.cluster.listen, listening, refused);
  }

  /** Takes a client whose handshake is done: serves it here if this node leads. */
  take(client: RelayedClient, protocol: TunnelProtocol, admitted: () => void): void {
    if (this.#leading.who === 'self') {
      this.#options.serve(client, protocol, admitted);
      return;
    }
    if (protocol === 'requests' && this.#options.cluster.answersReads) {
      const divided = new DividedClient(this, client);
      this.#divided.add(divided);
      this.#options.entered(divided, client.seat);
    } else this.#tunnel(client, protocol, admitted);
  }

  /** Tells who leads. Nothing happens to clients if it is the same node at the same address. */
  lead(leading: Leading): void {
    if (this.#isDraining || isSame(leading, this.#leading)) return;
    this.#leading = leading;
    this.#listener.lead(leading.who === 'self' ? leading.term : undefined);
    // First, so that no client opens a tunnel to the former leader.
    this.#links.lead(leading.who === 'other' ? leading.place : undefined);
    for (const client of [...this.#clients, ...this.#divided]) client.leaderChanged();
    this.#retirement?.cancel();
    this.#retirement = this.#options.clock.after(tunnelBounds.retiringMs, () => {
      for (const client of [...this.#clients]) client.endRetiring();
    });
    this.#seekAll();
  }

  /** The nodes of the cluster have changed. */
  replaceMembers(members: readonly NodeKey[]): void {
    this.#members.replace(members);
    this.#listener.checkMembers();
  }

  /** Shows this certificate to other nodes. */
  renew(certificates: NodeCertificates): void {
    this.#listener.renew(certificates);
    this.#links.renew(certificates);
  }

  /** Called once per second or more often. */
  sweep(passedMs: number): void {
    this.#listener.sweep(passedMs);
    this.#links.sweep(passedMs);
    const { clock, cluster, limits } = this.#options;
    const nowMs = clock.monotonic();
    for (const [client, { sinceMs }] of this.#waiting) {
      const isControl = client.client.protocol === 'control';
      const mostMs = isControl ? limits.controlWaitMs : cluster.leaderWaitMs;
      if (nowMs - sinceMs >= mostMs) client.refuse();
    }
  }

  /** Clients are asked to close their connections. */
  leave(): void {
    this.isLeaving = true;
  }

  /** Accepts no more tunnels, refuses clients that wait, and ends the others as at a change. */
  drain(): void {
    this.lead({ who: 'nobody' });
    this.#isDraining = true;
    for (const client of [...this.#divided]) client.finish();
    for (const client of [...this.#waiting.keys()]) client.refuse();
    this.#listener.stop();
  }

  /** Drops all connections to other nodes and of them. */
  stop(): void {
    for (const client of [...this.#clients, ...this.#divided]) client.closeFor('closedByServer');
    this.#retry?.cancel();
    this.#retirement?.cancel();
    this.#links.stop();
    this.#listener.stop();
    this.#listener.end();
  }

  seek(client: TunneledClient): void {
    if (this.#leading.who === 'self') {
      const { protocol } = client.client;
      const { admitted } = client;
      this.#options.serve(client.handOver(), protocol, admitted);
      return;
    }
    if (!this.#wait(client)) {
      client.refuse();
      return;
    }
    if (this.#leading.who !== 'other') return;
    const tunnel = this.#links.open(() => client.noteSessionUse(), client.isPart);
    if (tunnel === 'full') client.refuse();
    else if (tunnel !== undefined) client.openThrough(tunnel);
  }

  seekLater(_client: TunneledClient): void {
    this.#retry ??= this.#options.clock.after(tunnelBounds.linkRetryMs, () => {
      this.#retry = undefined;
      this.#seekAll();
    });
  }

  settled(client: TunneledClient): void {
    const waited = this.#waiting.get(client);
    if (waited === undefined) return;
    this.#waiting.delete(client);
    this.#waitingBytes -= waited.bytes;
    this.count('waitingForLeader', -1);
  }

  left(client: TunneledClient): void {
    this.settled(client);
    this.#clients.delete(client);
    this.#options.left(client);
  }

  get leads(): boolean {
    return this.#leading.who === 'self';
  }

  serveHere(part: RelayedClient): SeatedClient {
    return this.#options.serveHere(part);
  }

  serveThere(part: RelayedClient): TunneledClient {
    return this.#tunnel(part, 'requests', () => {});
  }

  requestId(): string {
    return this.#ids.request();
  }

  fateOf(request: LostRequest, then: (fate: RequestFate) => void): void {
    this.#tickets += 1;
    this.#undecided.set(this.#tickets, then);
    this.#options.lost(this.#tickets, request);
  }

  /** A ticket that was given to `lost` is answered. */
  settle(ticket: number, fate: RequestFate): void {
    const then = this.#undecided.get(ticket);
    this.#undecided.delete(ticket);
    then?.(fate);
  }

  unknownOutcome(): Buffer {
    return this.#answerOf(new ApiError('OUTCOME_UNKNOWN'), []);
  }

  admitBehind(): boolean {
    const { limits, table } = this.#options;
    if (table.count('readsBehind') >= limits.readsBehindMax) return false;
    this.count('readsBehind', 1);
    return true;
  }

  leftBehind(): void {
    this.count('readsBehind', -1);
  }

  tooFarBehind(): Buffer {
    const message = 'This node is too far behind the controller that leads.';
    return this.#unavailable(message, true);
  }

  dividedLeft(client: DividedClient): void {
    this.#divided.delete(client);
    this.#options.left(client);
  }

  get headerBytesMax(): number {
    return this.#options.limits.headerBytesMax;
  }

  count(name: FrontCounterName, change: number): void {
    this.#options.table.add(name, change);
  }

  /** A 503 in the envelope of all errors (behaviour/errors#body). */
  refusal(isKept: boolean): Buffer {
    return this.#unavailable('No controller leads at the moment; nothing was changed.', isKept);
  }

  #unavailable(message: string, isKept: boolean): Buffer {
    const error = new ApiError('STORAGE_UNAVAILABLE', { message });
    const headers = [`Retry-After: ${retryAfterSeconds}`];
    return this.#answerOf(error, isKept ? headers : [...headers, 'Connection: close']);
  }

  #answerOf(error: ApiError, headers: readonly string[]): Buffer {
    const body = errorBody(error, this.#ids.request());
    const head = [
      'HTTP/1.1 503 Service Unavailable',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  }

  #tunnel(client: RelayedClient, protocol: TunnelProtocol, admitted: () => void): TunneledClient {
    const tunneled = new TunneledClient(this, client, protocol, admitted);
    this.#clients.add(tunneled);
    this.#options.entered(tunneled, client.seat);
    return tunneled;
  }

  /** Notes since when a client waits; false if there is no room for its bytes. */
  #wait(client: TunneledClient): boolean {
    if (this.#waiting.has(client)) return true;
    const bytes = client.heldBytes;
    if (this.#waitingBytes + bytes > tunnelBounds.waitingBytesMax) return false;
    this.#waitingBytes += bytes;
    this.#waiting.set(client, { sinceMs: this.#options.clock.monotonic(), bytes });
    this.count('waitingForLeader', 1);
    return true;
  }

  /** Tries again for all clients that have no tunnel. */
  #seekAll(): void {
    for (const client of [...this.#waiting.keys()]) if (client.isWaiting) this.seek(client);
  }
}

function isSame(one: Leading, other: Leading): boolean {
  if (one.who !== 'other' || other.who !== 'other') return one.who === other.who;
  const { id, fingerprint, address } = one.place;
  const { place } = other;
  return (
    id === place.id &&
    fingerprint === place.fingerprint &&
    address.host === place.address.host &&
    address.port === place.address.port
  );
}

/** Takeovers take a few seconds. */
const retryAfterSeconds = 2;

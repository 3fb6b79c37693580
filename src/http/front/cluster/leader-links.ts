// A follower's side of the tunnels: the connections of a TLS worker to the leader.

import { X509Certificate } from 'node:crypto';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { Clock, Timer } from '../../../platform/ports.ts';
import { formatHostPort } from '../../../settings/setting-type.ts';
import type { LeaderPlace, NodeCertificates } from '../tls-messages.ts';
import { tls13Suites } from '../tls-suites.ts';
import { NodeMembers } from './node-members.ts';
import {
  namesRequestsHeader,
  PingWatch,
  sessionLimits,
  sessionUseNote,
  tunnelBounds,
} from './tunnel-settings.ts';

/** The options of the links to the leader. */
export interface LeaderLinksOptions {
  readonly certificates: NodeCertificates;
  readonly trustDomain: string;
  /** Clients that the worker may have. */
  readonly connectionsMax: number;
  readonly clock: Clock;
  /** Tunnels over one connection, which is then replaced. */
  readonly tunnelsPerLinkMax: number;
  /** A connection came to nothing: the leader was not reached, or was another node. */
  readonly failed: () => void;
  /** A connection is ready: waiting clients may open their tunnels. */
  readonly ready: () => void;
}

/**
 * A few connections to the leader, which are replaced when they fail or have carried enough
 * tunnels. The leader has to show the certificate of the node that it is said to be.
 */
export class LeaderLinks {
  readonly #options: LeaderLinksOptions;
  readonly #links = new Set<Link>();
  #certificates: NodeCertificates;
  #place: LeaderPlace | undefined;
  #retry: Timer | undefined;

  constructor(options: LeaderLinksOptions) {
    this.#options = options;
    this.#certificates = options.certificates;
  }

  /**
   * Connects to this leader, or to nobody. Tunnels to another one are left open for their last
   * answers; their owners end them.
   */
  lead(place: LeaderPlace | undefined): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    for (const link of this.#links) retire(link);
    this.#place = place;
    this.#connectMissing();
  }

  /** Shows this certificate from the next connection on. */
  renew(certificates: NodeCertificates): void {
    this.#certificates = certificates;
  }

  /**
   * A tunnel to the leader; `full` if it takes no more from this worker, undefined while no
   * connection is ready. `sessionUsed` is called when the leader tells that an API session was used
   * in the tunnel. `names`: whether its requests have names, which its answer says, too.
   */
  open(sessionUsed: () => void, names = false): ClientHttp2Stream | 'full' | undefined {
    let best: Link | undefined;
    let isFull = false;
    for (const link of this.#links) {
      // A connection that was lost tells so only in a later turn, and takes no tunnel until then.
      if (link.phase !== 'ready' || link.session.closed || link.session.destroyed) continue;
      if (link.open >= link.tunnelsMax) isFull = true;
      else if (best === undefined || link.open < best.open) best = link;
    }
    if (best === undefined) return isFull ? 'full' : undefined;
    return this.#request(best, sessionUsed, names);
  }

  /** Called once per second or more often: drops connections that do not answer. */
  sweep(passedMs: number): void {
    const untilMs = this.#options.clock.monotonic() - tunnelBounds.linkHandshakeMs;
    for (const link of this.#links) {
      if (link.phase === 'connecting' && link.sinceMs <= untilMs) link.session.destroy();
      else link.watch.sweep(passedMs);
    }
  }

  /** Drops all connections. */
  stop(): void {
    this.lead(undefined);
    for (const { session } of this.#links) session.destroy();
  }

  #request(link: Link, sessionUsed: () => void, names: boolean): ClientHttp2Stream {
    const asked = { ':method': 'CONNECT', ':authority': 'controller' };
    const stream = link.session.request(names ? { ...asked, [namesRequestsHeader]: '1' } : asked);
    const { id = 0 } = stream;
    link.sessionUsed.set(id, sessionUsed);
    link.open += 1;
    link.opened += 1;
    stream.on('close', () => {
      link.sessionUsed.delete(id);
      link.open -= 1;
      if (link.phase === 'retired' && link.open === 0) link.session.close();
    });
    if (link.opened >= this.#options.tunnelsPerLinkMax) {
      retire(link);
      this.#connectMissing();
    }
    return stream;
  }

  #connectMissing(): void {
    if (this.#place === undefined) return;
    let usable = 0;
    for (const link of this.#links) if (link.phase !== 'retired') usable += 1;
    for (; usable < tunnelBounds.linksMax; usable += 1) this.#connect(this.#place);
  }

  #connect(place: LeaderPlace): void {
    const { trustDomain, clock, connectionsMax, ready } = this.#options;
    const { pair, anchors } = this.#certificates;
    const leader = new NodeMembers(trustDomain, [place]);
    const session = connect(`https://${formatHostPort(place.address)}`, {
      ...sessionLimits(connectionsMax),
      cert: pair.certificate,
      key: pair.key,
      ca: anchors,
      minVersion: 'TLSv1.3',
      ciphers: tls13Suites,
      checkServerIdentity: (_host, { raw }) =>
        leader.idOf(new X509Certificate(raw)) === undefined ? notTheLeader() : undefined,
    });
    const sinceMs = clock.monotonic();
    const watch = new PingWatch(session);
    const sessionUsed = new Map<number, () => void>();
    const link: Link = { session, watch, sinceMs, sessionUsed, phase: 'connecting', ...noTunnels };
    this.#links.add(link);
    session.on('error', () => {});
    session.on('connect', () => session.setLocalWindowSize(tunnelBounds.linkWindowBytes));
    session.on('remoteSettings', ({ maxConcurrentStreams = connectionsMax }) => {
      link.tunnelsMax = maxConcurrentStreams;
      if (link.phase !== 'connecting') return;
      link.phase = 'ready';
      ready();
    });
    session.on('goaway', () => retire(link));
    session.on('altsvc', (note, _origin, id) => {
      if (note === sessionUseNote) sessionUsed.get(id)?.();
    });
    session.on('close', () => {
      this.#links.delete(link);
      if (link.phase === 'connecting') this.#options.failed();
      this.#connectLater();
    });
  }

  #connectLater(): void {
    if (this.#place === undefined) return;
    this.#retry ??= this.#options.clock.after(tunnelBounds.linkRetryMs, () => {
      this.#retry = undefined;
      this.#connectMissing();
    });
  }
}

/** A connection to the leader. */
interface Link {
  readonly session: ClientHttp2Session;
  readonly watch: PingWatch;
  readonly sinceMs: number;
  /** `retired` takes no more tunnels, and ends with the last one. */
  phase: 'connecting' | 'ready' | 'retired';
  /** Tunnels that are open. */
  open: number;
  /** Tunnels that were opened over it. */
  opened: number;
  /** What the leader allows. */
  tunnelsMax: number;
  /** By the id of a tunnel's stream: called when an API session was used in the tunnel. */
  readonly sessionUsed: Map<number, () => void>;
}

const noTunnels = { open: 0, opened: 0, tunnelsMax: 0 };

function retire(link: Link): void {
  if (link.phase === 'retired') return;
  const isReady = link.phase === 'ready';
  link.phase = 'retired';
  if (!isReady) link.session.destroy();
  // With tunnels it ends behind the last one. A session that is closed would not send those that
  // were begun in this turn.
  else if (link.open === 0) link.session.close();
}

/** Not a name that outsiders know, so the error says nothing of it. */
function notTheLeader(): Error {
  return new Error('the certificate is not that of the leader');
}

// The HTTP/2 settings of the connections between nodes, the same on both sides.

import type { Settings } from 'node:http2';
import type { Clock } from '../../ports.ts';

/** Bounds of the connections between nodes. Nodes trust each other, but not a node that is broken. */
export const tunnelBounds = {
  /** Connections of a TLS worker to the leader, so that one lost packet delays half of its clients. @bound per worker */
  linksMax: 2,
  /** Connections that a worker of the leader has from one node, those that are being replaced included. @bound per node */
  linksPerNodeMax: 256,
  /** Connections of other nodes whose handshake is not done. @bound per worker */
  linkHandshakesMax: 64,
  /** From a connection of another node, or to it, to the end of its handshake. @bound per connection */
  linkHandshakeMs: 3000,
  /** Time between two pings. @bound per connection */
  pingIntervalMs: 1000,
  /** From a ping to its answer: then the other machine is taken for dead. @bound per connection */
  pingTimeoutMs: 5000,
  /** From a tunnel to its complete first bytes. @bound per connection */
  prefaceTimeoutMs: 5000,
  /**
   * Tunnels over one connection, which is then replaced. HTTP/2 has 2^30 stream ids for them.
   * @bound per connection
   */
  tunnelsPerLinkMax: 16_777_216,
  /** Bytes of a tunnel that may be under way in one direction. @bound per connection */
  tunnelWindowBytes: 65_536,
  /** Bytes of all tunnels of a connection that may be under way in one direction. @bound per connection */
  linkWindowBytes: 8_388_608,
  /** Between two tries to reach the leader. @bound per worker */
  linkRetryMs: 200,
  /** After a change of the leader, for the last answers of the old one. @bound per connection */
  retiringMs: 1000,
  /** Bytes that wait for a leader. @bound per worker */
  waitingBytesMax: 16_777_216,
};

/** The settings that one side tells the other. `tunnelsMax` may be open at a time. */
export function tunnelSettings(tunnelsMax: number): Settings {
  return {
    enablePush: false,
    initialWindowSize: tunnelBounds.tunnelWindowBytes,
    maxConcurrentStreams: tunnelsMax,
    // A request for a tunnel has a method and an authority.
    maxHeaderListSize: 1024,
  };
}

/** What Node's own limits of a connection must be, so that `tunnelsMax` tunnels fit. */
export function sessionLimits(tunnelsMax: number) {
  return {
    settings: tunnelSettings(tunnelsMax),
    // In MB. A window of bytes and the state of a stream per tunnel; 10, the default, end a
    // connection at 11,000 tunnels that wait.
    maxSessionMemory: 10 + Math.ceil((tunnelsMax * (tunnelBounds.tunnelWindowBytes + 4096)) / 1e6),
    maxHeaderListPairs: 16,
    maxOutstandingPings: 4,
    maxSessionInvalidFrames: 16,
    maxReservedRemoteStreams: 0,
    // Each client that goes away in the middle of something resets its tunnel.
    streamResetBurst: tunnelsMax,
    streamResetRate: tunnelsMax,
  };
}

/** The part of an HTTP/2 session that is watched. */
interface PingedSession {
  readonly destroyed: boolean;
  ping(callback: (error: Error | null) => void): boolean;
  destroy(): void;
}

/** Notices that the machine at the other end of a connection is gone. */
export class PingWatch {
  readonly #session: PingedSession;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** When the last ping was sent; undefined after its answer. */
  #unansweredSinceMs: number | undefined;
  #pingedMs: number;

  constructor(session: PingedSession, clock: Pick<Clock, 'monotonic'>) {
    this.#session = session;
    this.#clock = clock;
    this.#pingedMs = clock.monotonic();
  }

  /** Called once per second or more often. */
  sweep(): void {
    const session = this.#session;
    if (session.destroyed) return;
    const nowMs = this.#clock.monotonic();
    if (this.#unansweredSinceMs !== undefined) {
      if (nowMs - this.#unansweredSinceMs >= tunnelBounds.pingTimeoutMs) session.destroy();
      return;
    }
    if (nowMs - this.#pingedMs < tunnelBounds.pingIntervalMs) return;
    this.#pingedMs = nowMs;
    this.#unansweredSinceMs = nowMs;
    session.ping((error) => {
      if (error === null) this.#unansweredSinceMs = undefined;
    });
  }
}

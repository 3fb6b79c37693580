// The HTTP/2 settings of the connections between nodes, the same on both sides.

import type { Settings } from 'node:http2';

/** Bounds of the connections between nodes: these trust each other, but one may be broken. */
export const tunnelBounds = {
  /** Connections to the leader: with two, a lost packet delays half of it. @bound per worker */
  linksMax: 2,
  /** Connections of one node, with those that are being replaced. @bound per worker */
  linksPerNodeMax: 256,
  /** Connections of other nodes whose handshake is not done. @bound per worker */
  linkHandshakesMax: 64,
  /** From a connection between nodes to the end of its handshake. @bound per connection */
  linkHandshakeMs: 3000,
  /** From a ping to its answer; then the other machine is taken for dead. @bound per connection */
  pingTimeoutMs: 5000,
  /** From a tunnel to its complete first bytes. @bound per connection */
  prefaceTimeoutMs: 5000,
  /**
   * Tunnels over one connection, which is then replaced. HTTP/2 has ids for 2^30.
   * @bound per connection
   */
  tunnelsPerLinkMax: 16_777_216,
  /** Bytes of one tunnel that are under way in one direction. @bound per connection */
  tunnelWindowBytes: 65_536,
  /** The same of all tunnels of a connection between nodes. @bound per connection */
  linkWindowBytes: 8_388_608,
  /** Between two tries to reach the leader. @bound per worker */
  linkRetryMs: 200,
  /** After a change of the leader, for the last answers of the old one. @bound per connection */
  retiringMs: 1000,
  /** Bytes of clients that wait for a leader. @bound per worker */
  waitingBytesMax: 16_777_216,
};

/**
 * The value of the ALTSVC frame (RFC 7838 §4) by which the leader tells a node that an API session
 * was used in a tunnel. HTTP/2 has no other frame by which a server says something of a stream
 * beside its bytes, and a node that does not know this value ignores it.
 */
export const sessionUseNote = 'session-used';

/**
 * The header of a tunnel whose requests have names (`requestIdHeader`). Its answer has it, with
 * the term of the leader, if that gives the frames of a request its name.
 */
export const namesRequestsHeader = 'names-requests';

/** The settings that one side tells the other. `tunnelsMax` may be open at a time. */
function tunnelSettings(tunnelsMax: number): Settings {
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

/**
 * Notices that the machine at the other end of a connection is gone. Its time is that of sweeps, so
 * that a thread that was stopped itself takes nobody for dead when it goes on.
 */
export class PingWatch {
  readonly #session: PingedSession;
  /** Time in sweeps since the last ping; undefined after its answer. */
  #unansweredMs: number | undefined;

  constructor(session: PingedSession) {
    this.#session = session;
  }

  /** Called once per second or more often. */
  sweep(passedMs: number): void {
    const session = this.#session;
    if (session.destroyed) return;
    if (this.#unansweredMs === undefined) {
      this.#unansweredMs = 0;
      session.ping((error) => {
        if (error === null) this.#unansweredMs = undefined;
      });
      return;
    }
    this.#unansweredMs += passedMs;
    if (this.#unansweredMs >= tunnelBounds.pingTimeoutMs) session.destroy();
  }
}

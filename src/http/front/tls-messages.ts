// The messages between the main thread and a TLS worker, and the bounds of the TLS front.

import type { chainBounds } from '../../auth/certificates/client-chain.ts';
import type { Limits } from '../../settings/limits.ts';
import type { HostPort } from '../../settings/setting-type.ts';
import type { NodeKey } from './cluster/node-members.ts';

/** The bounds of one TLS worker. */
export type FrontLimits = Pick<
  Limits,
  | 'connectionsMax'
  | 'connectionsPerAddressMax'
  | 'controlPendingMax'
  | 'controlPendingPerAddressMax'
  | 'handshakesUnfinishedMax'
  | 'handshakeTimeoutMs'
  | 'headerBytesMax'
  | 'silentTimeoutMs'
  | 'idleTimeoutMs'
  | 'lingerTimeoutMs'
> &
  Pick<typeof chainBounds, 'certificatesMax' | 'certificatesBytesMax'> &
  Readonly<typeof frontBounds> & {
    /** Descriptors that the open connections of a worker for the API may take together. */
    readonly descriptorsMax: number;
    /** The same of the worker for the control port. */
    readonly controlPortDescriptorsMax: number;
  };

/** The bounds of a TLS worker that are not settings. */
export const frontBounds = {
  /** A ClientHello. With post-quantum key shares it has under 3 KB. @bound per connection */
  clientHelloBytesMax: 16 * 1024,
  /** From a connection's first byte to its whole ClientHello. @bound per connection */
  clientHelloTimeoutMs: 3000,
  /**
   * Connections accepted per turn of the event loop at the control port. libuv accepts one of each
   * listening socket, so a worker has so many of them there. With one, a fleet that dials at once
   * waits in the system's queue, in which routers that have given up are not noticed. At the port
   * of the API it is one: where room is scarce, a burst of an address would be in it before the
   * others are. @bound per worker
   */
  controlAcceptedPerTurnMax: 12,
  /** Handshakes begun per turn of the event loop, at 0.3 ms each. @bound per worker */
  handshakesPerTurnMax: 8,
  /** A handshake younger than this makes no room for another one. @bound per worker */
  handshakeGraceMs: 2000,
  /**
   * Routers give up after so long, hello included (behaviour/control-channel#transport).
   * @bound per connection
   */
  controlPatienceMs: 5000,
  /**
   * From a control connection to the beginning of its handshake, at first. It becomes longer while
   * routers are served in their time, and shorter when they go before. @bound per connection
   */
  controlWaitMs: 4000,
  /**
   * Handshakes of control connections in progress, their hellos included. If a returning fleet
   * keeps all processors busy, each handshake takes as long as all that are in progress, at some
   * 3 ms each on both sides together. With many more in progress a router that has waited would
   * give up in the middle. @bound per worker
   */
  controlHandshakesMax: 64,
  /**
   * Reads that wait for the leader at a time because this node is behind. Each worker has an equal
   * share, and answers further ones 503. @bound per controller
   */
  readsBehindMax: 64,
  /**
   * A close by the server this long after its last answer is its keep-alive time-out (10 s, built
   * into uWebSockets.js), and the connection of the client stays; an earlier one is meant for the
   * client. @bound
   */
  parkAfterMs: 5000,
};

/** The server's own certificate, PEM. */
export interface ServerCertificate {
  /** The leaf first, followed by the intermediates. */
  readonly certificate: string;
  readonly key: string;
}

/** How a node proves to other nodes who it is, and checks them. PEM. */
export interface NodeCertificates {
  /** Of the node's own certificate. */
  readonly pair: ServerCertificate;
  /** The roots that issue node certificates. */
  readonly anchors: string;
}

/** Where the leader is reached by other nodes. */
export interface LeaderPlace extends NodeKey {
  readonly address: HostPort;
}

/** A request that was sent to a leader of this term as a whole, and whose answer did not come. */
export interface LostRequest {
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
  readonly term: number;
}

/** Whether it was not done, and may be sent again, or whether that cannot be told. */
export type RequestFate = 'again' | 'unknown';

/** Who leads: this node, another one, or nobody that it knows of. */
export type Leading =
  | { readonly who: 'nobody' }
  | { readonly who: 'self'; readonly term: number }
  | { readonly who: 'other'; readonly place: LeaderPlace };

/** How the TLS front of a node in a cluster reaches other nodes, and is reached by them. */
export interface ClusterFront {
  /** `cluster.listen`. Port 0 takes a free port. */
  readonly listen: HostPort;
  readonly certificates: NodeCertificates;
  /** The SPIFFE trust domain of the node certificates. */
  readonly trustDomain: string;
  readonly members: readonly NodeKey[];
  readonly leading: Leading;
  /** How long a request waits for a leader. */
  readonly leaderWaitMs: number;
  /** Whether the server of this node answers reads while another one leads. */
  readonly answersReads: boolean;
}

/** How the TLS front serves control connections. */
export interface ControlFront {
  /** The Unix socket of the main thread, as a worker connects to it: at most 107 bytes. */
  readonly socketPath: string;
  /**
   * An address for control connections alone, if there is one; it has workers of its own. Port 0
   * takes a free port.
   */
  readonly listen: HostPort | undefined;
  /** Workers for that address. */
  readonly workers: number;
}

/** The first message to a worker. */
export interface TlsWorkerData {
  readonly listen: HostPort;
  /** Control connections alone are served at the control port. */
  readonly protocols: 'both' | 'control';
  readonly socketPath: string;
  /** The Unix socket for control connections; absent where they are closed. */
  readonly controlSocketPath: string | undefined;
  /** Absent where there is only one node. */
  readonly cluster: ClusterFront | undefined;
  readonly server: ServerCertificate;
  readonly limits: FrontLimits;
  readonly shared: SharedArrayBuffer;
  readonly slotBase: number;
}

/** Messages to a worker. One message may name several connections. */
export type ToTlsWorker =
  /** The main thread knows these connections now; forward their bytes. */
  | { readonly kind: 'welcome'; readonly slots: readonly number[] }
  /** Close after the last answer, and forward nothing more of the client. */
  | { readonly kind: 'finish'; readonly slot: number }
  /** Who leads has changed. */
  | { readonly kind: 'leading'; readonly leading: Leading }
  /** The nodes of the cluster have changed. */
  | { readonly kind: 'members'; readonly members: readonly NodeKey[] }
  /** What became of a request. */
  | { readonly kind: 'fate'; readonly ticket: number; readonly fate: RequestFate }
  /** Show this certificate to other nodes. */
  | { readonly kind: 'renewNode'; readonly certificates: NodeCertificates }
  /** Show this certificate to new connections. */
  | { readonly kind: 'renew'; readonly server: ServerCertificate }
  /** Ask clients to close their connections. */
  | { readonly kind: 'leave' }
  /** Accept no new connections; end after the last one, or after `timeoutMs`. */
  | { readonly kind: 'drain'; readonly timeoutMs: number };

/** Messages from a worker. */
export type FromTlsWorker =
  | { readonly kind: 'listening' }
  | {
      readonly kind: 'refused';
      readonly at: HostPort;
      readonly message: string;
      readonly code: string;
    }
  /** Connections that showed certificates, each with its chain in DER, the leaf first. */
  | { readonly kind: 'introduce'; readonly connections: readonly Introduction[] }
  /** A request is lost; `fate` answers it by the same ticket. */
  | { readonly kind: 'lost'; readonly ticket: number; readonly request: LostRequest }
  /** Announced connections that are closed. */
  | { readonly kind: 'left'; readonly slots: readonly number[] };

/** A connection with certificates. */
export interface Introduction {
  readonly slot: number;
  readonly certificates: readonly Uint8Array[];
}

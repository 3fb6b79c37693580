// The clients of a TLS worker, as those see them that take them over.

import type { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { Seat, SeatedClient } from './connection-capacity.ts';
import type { FrontCounterName } from './connection-table.ts';

/** A client as its worker looks at it once per second or more often. */
export interface SweptClient extends SeatedClient {
  /** Set at every byte; the sweep clears it. */
  active: boolean;
  /** Sweeps in a row that found no byte. */
  quietSweeps: number;
  /** Sweeps that found the head of the same request incomplete. */
  headSweeps: number;
  readonly isInHead: boolean;
  readonly state: 'silent' | 'busy' | 'parked' | 'finishing' | 'closed' | 'held';
  /** Ends a client that has asked for nothing, or all of whose requests are answered. */
  finish(): void;
  closeFor(reason: FrontCounterName): void;
}

/** The client of a relay, or of a control connection. */
export interface RelayedClient {
  readonly stream: Duplex;
  /** Read when the connection was taken, because a closed socket has no address. */
  readonly address: string;
  /** In DER, the leaf first. */
  readonly certificates: readonly Buffer[];
  /** Whether another node took its connection: then a write takes the bytes later. */
  readonly isTunnel: boolean;
  /** Whether it is a part of a client that is counted as a whole. */
  readonly isPart?: boolean;
  /** Whether another node names its requests (`requestIdHeader`). */
  readonly namesRequests?: boolean;
  /** Of a connection for requests that this node took. */
  readonly seat?: Seat | undefined;
  /** Tells the node that took the connection of the use of an API session on it. */
  readonly reportSessionUse?: (() => void) | undefined;
}

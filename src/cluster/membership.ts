// The directory of the nodes of a cluster, and their entries in it.

import type { NodeState } from './cluster-node.ts';
import type { Generation, LogPoint, Term } from './stream.ts';

/**
 * Versions by the name of a format: `log`, and the kinds of records. A format that is not named is
 * not known, or not written.
 */
export type Formats = Readonly<Record<string, number>>;

/** The entry of a node in the directory: a hint for operators and elections, never a truth. */
export interface Member {
  /** Random, from the making of the home. */
  readonly id: string;
  /** The name that its operator gave it (`cluster.name`). */
  readonly name?: string | undefined;
  /** Set on a node that only follows (`cluster.leads`). */
  readonly leads?: 'never' | undefined;
  readonly version: string;
  /** The newest formats that it reads, by name. */
  readonly formats: Formats;
  /** Where clients reach it, `host:port`. */
  readonly advertised: string;
  /** Where routers reach it, `tls:host:port`; undefined before it has run once. */
  readonly control?: string | undefined;
  /** Where other nodes reach it (`cluster.listen`), `host:port`. */
  readonly internal: string;
  readonly role: NodeRole;
  readonly generation: Generation;
  readonly term: Term;
  readonly last: LogPoint;
  /** Fingerprints of the keys that all nodes share, by name. */
  readonly keys: Readonly<Record<string, string>>;
  /**
   * The settings that change behaviour and differ from their defaults, as `name=hash` with commas
   * between: two nodes with equal texts behave alike, and a difference has a name.
   */
  readonly settingsHash: string;
  /** How it is doing, for operators; undefined before it follows. */
  readonly condition?: MemberCondition | undefined;
  /** When it wrote this, in ms since 1970 by the clock of the servers, as far as it knows that. */
  readonly atMs: number;
  /**
   * Set when it was read without a MAC: a node of the former release wrote it, or anybody with
   * credentials for NATS. Its addresses are told to nobody.
   */
  readonly isUnsealed?: true | undefined;
}

/** The part of `NodeState` that a node tells the others. */
export type MemberCondition = Pick<
  NodeState,
  | 'lagMs'
  | 'clockSkewMs'
  | 'inFlight'
  | 'takeovers'
  | 'trouble'
  | 'localLog'
  | 'store'
  | 'sharesFailed'
>;

/** The greatest place in the log that a node has ever had; it does not expire. */
export interface HighWaterMark extends LogPoint {
  readonly id: string;
  readonly generation: Generation;
  readonly term: Term;
}

/** The role of a node in its cluster. */
export type NodeRole =
  /** Reads snapshot and log. */
  | 'recovering'
  /** Applies groups as they come. */
  | 'following'
  /** Tries to lead. */
  | 'standing'
  | 'leading'
  /** Leads, but has no contact to the stream: it answers nothing. */
  | 'isolated'
  /** May not go on: a fork, a wrong message, a halt. An operator has to look. */
  | 'halted';

/** The directory of the nodes. Each call rejects with StreamUnreachable. */
export interface Members {
  put(member: Member): Promise<void>;
  /** The entries that count (behaviour/cluster#members-and-marks). */
  list(): Promise<readonly Member[]>;
  raiseMark(mark: HighWaterMark): Promise<void>;
  marks(): Promise<readonly HighWaterMark[]>;
  /** Why no node may lead; undefined if any may. */
  halt(): Promise<string | undefined>;
  writeHalt(reason: string): Promise<void>;
  /** The formats that all nodes write; undefined before the first one has started. */
  formats(): Promise<Formats | undefined>;
  /** Makes these what all nodes write, unless that is settled. @returns what is */
  beginFormats(formats: Formats): Promise<Formats>;
  /** Makes these what all nodes write from now on. */
  finalizeFormats(formats: Formats): Promise<void>;
  /** Removes a node for good: `removed` tells of it from then on. */
  remove(id: string): Promise<void>;
  /** Ids of the nodes that were removed, and must not come back. */
  removed(): Promise<readonly string[]>;
}

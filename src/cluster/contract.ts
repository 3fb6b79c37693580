// The types that the parts of a cluster share: the stream that all nodes agree on, what stands in
// it, and what a node is at a moment.

import type { Lsn } from '../../snapshots/journal.ts';
import type { OpenWriter } from '../../snapshots/log/writer-host.ts';

/**
 * A number in the name of everything: a new one with each `init` and `reseed`. Streams of different
 * generations have nothing in common.
 */
export type Generation = number;

/** The number of a leadership, from 1 on: the last term in the stream plus one. */
export type Term = number;

/** The number of a message in the stream, from 1 on, as the server counts. */
export type StreamSequence = number;

/** A place in the log that two nodes can compare: equal LSNs have equal checksums. */
export interface LogPoint {
  readonly lsn: Lsn;
  /** Checksum of the frame with that LSN; 0 before the first. */
  readonly crc: number;
}

/** The process that leads, or led. */
export interface Leadership {
  readonly term: Term;
  /** Random for each start of a process, as 32 hex digits. */
  readonly nonce: string;
}

/**
 * - `frames`: a group commit.
 * - `term`: the first message of a leadership; its one frame, of kind `term`, changes no record.
 * - `heartbeat`: nothing was written for a while; it has no frames.
 * - `resign`: the leader has ended cleanly; the next one need not wait. It has no frames.
 */
export type GroupKind = 'frames' | 'term' | 'heartbeat' | 'resign';

/** One message of the stream: what becomes durable at once. */
export interface Group extends Leadership {
  readonly kind: GroupKind;
  readonly generation: Generation;
  /** The last frame before this group. */
  readonly after: LogPoint;
  /** The last frame of this group; equal to `after` if it has none. */
  readonly last: LogPoint;
  /** Whole frames as in a segment (snapshots/format.md), stamped, one after the other. */
  readonly frames: Buffer;
}

/** A message as it stands in the stream. Neither its content nor its sender was checked yet. */
export interface StreamMessage {
  readonly sequence: StreamSequence;
  /** When the server took it: its wall clock, in ms since 1970. */
  readonly serverTimeMs: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** What is sent. */
export interface OutgoingMessage {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** What the stream said to a message. */
export type PublishOutcome =
  | { readonly outcome: 'acknowledged'; readonly sequence: StreamSequence }
  /** The stream did not end with the expected sequence. This alone means nothing. */
  | { readonly outcome: 'refused' }
  /** A time-out, no responder, a lost connection: the message may be in the stream. */
  | { readonly outcome: 'unknown'; readonly reason: string };

/** The state of a stream. */
export interface StreamState {
  /** The first message that was not purged; `last` + 1 if all were. */
  readonly first: StreamSequence;
  /** The last message that ever was in it, purged or not. */
  readonly last: StreamSequence;
  /** The configuration as the server has it; compared with the one that it was made with. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** When the server told this: its wall clock, in ms since 1970. Older servers do not say. */
  readonly serverTimeMs?: number | undefined;
}

/**
 * The stream, as the rules see it. A call rejects with StreamUnreachable if the answer cannot be
 * had, after which nothing is known.
 */
export interface Stream {
  readonly generation: Generation;
  /** Never rejects. Messages leave in the order of the calls. */
  publish(message: OutgoingMessage, expectedLast: StreamSequence): Promise<PublishOutcome>;
  /** The message from the stream's leader; undefined if there is none with this number. */
  read(sequence: StreamSequence): Promise<StreamMessage | undefined>;
  state(): Promise<StreamState>;
  /** Hands out all messages from `from` on, in order, as they come. */
  follow(from: StreamSequence, events: FollowEvents): { stop(): void };
  /** Removes all messages before `sequence`. */
  purge(sequence: StreamSequence): Promise<void>;
}

/** What a reader of the stream is told. */
export interface FollowEvents {
  message(message: StreamMessage): void;
  /** The server has said within the last second or two that there is nothing newer. */
  idle(): void;
  /** Contact is lost; reading goes on by itself, and every message is still handed out once. */
  interrupted(reason: string): void;
  /** A message that is needed was purged: a snapshot has to be loaded. */
  missed(first: StreamSequence): void;
}

/** The stream did not answer; what was asked may have happened or not. */
export class StreamUnreachable extends Error {
  override readonly name: string = 'StreamUnreachable';
}

/** Nothing was changed, because the servers have no room. */
export class StoreFull extends StreamUnreachable {
  override readonly name = 'StoreFull';
}

/** The stream cannot be reached until somebody changes a setting of a server or of this node. */
export class StreamMisconfigured extends StreamUnreachable {
  override readonly name: string = 'StreamMisconfigured';
}

/**
 * Versions by the name of a format: `log`, and the kinds of records. A format that is not named is
 * not known, or not written.
 */
export type Formats = Readonly<Record<string, number>>;

/** What a node tells about itself. A hint for operators and elections, never a truth. */
export interface Member {
  /** Random, from the making of the home. */
  readonly id: string;
  /** The name that its operator gave it (`cluster.name`). */
  readonly name?: string | undefined;
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

/** What a node is in a cluster. */
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
  /** What all nodes write; undefined before the first one has started. */
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

/** A snapshot in the object store. */
export interface SharedSnapshot extends LogPoint {
  readonly name: string;
  readonly generation: Generation;
  /** The message whose group ends with that frame. */
  readonly sequence: StreamSequence;
  readonly bytes: number;
  /** When it was shared: the wall clock of the node that did it, in ms since 1970. */
  readonly atMs?: number | undefined;
}

/** The snapshots that all nodes share. Each call rejects with StreamUnreachable. */
export interface SharedSnapshots {
  /** Newest first; only those whose MAC is right and whose content is whole. */
  list(): Promise<readonly SharedSnapshot[]>;
  /**
   * Writes a file, throttled to `bytesPerSecond`, and reads it back. What does not read back as it
   * was written is removed, and the call rejects.
   */
  upload(
    file: string,
    snapshot: Omit<SharedSnapshot, 'name' | 'bytes'>,
    bytesPerSecond: number,
  ): Promise<SharedSnapshot>;
  /** @throws SnapshotGone if it was removed meanwhile, or is damaged */
  download(snapshot: SharedSnapshot, file: string): Promise<void>;
  remove(snapshot: SharedSnapshot): Promise<void>;
  /** Removes what uploads have left that did not end, and leaves alone what is under way. */
  removeRemains(): Promise<void>;
}

/** A bound of what NATS keeps, and how near it is. */
export interface StoreBound {
  /** Whose bound it is, as the subject of a sentence: the account, or one server. */
  readonly of: string;
  readonly usedBytes: number;
  readonly bytesMax: number;
  /** How often this bound counts each message: an account counts every copy. */
  readonly copies: number;
}

/** The newest of the shared snapshots, as a node tells of it. */
export interface NewestShared extends Pick<SharedSnapshot, 'lsn' | 'bytes' | 'atMs'> {
  /**
   * When the log first had more than it, in ms since 1970 by the clock of the servers: when this
   * node saw that, which may be later. Undefined while the log has no more, as far as it knows.
   */
  readonly outgrownAtMs?: number | undefined;
}

/** The bytes that a cluster keeps at NATS and the room left there, as a node has read them last. */
export interface StoreState {
  /** The messages of the log; each counts once. */
  readonly streamBytes: number;
  /** Undefined if there is none. */
  readonly shared: NewestShared | undefined;
  /** Those that are known: a server has to be named in `cluster.monitoring`. */
  readonly bounds: readonly StoreBound[];
  /** Why no node may lead: the stream is configured so that its log is not safe. */
  readonly unsafe?: string | undefined;
}

/** The snapshot is not there any more, or does not have the content that its entry says. */
export class SnapshotGone extends Error {
  override readonly name = 'SnapshotGone';
}

/** A node at a moment, for health, metrics, `status` and the inspector. */
export interface NodeState {
  readonly role: NodeRole;
  readonly generation: Generation;
  /** The last term that it knows of. */
  readonly term: Term;
  /** The last frame that is confirmed and, on a follower, applied. */
  readonly last: LogPoint;
  /** The last message that it has read or that was acknowledged. */
  readonly sequence: StreamSequence;
  /** Id of the leader as far as it knows. */
  readonly leaderId: string | undefined;
  /** How far it is behind the server's time of the newest message when that was applied, in ms. */
  readonly lagMs: number;
  /** Groups that were published and are not acknowledged. */
  readonly inFlight: number;
  /** How far its wall clock is from that of the server, in ms. */
  readonly clockSkewMs: number;
  /** Takeovers that it has seen since its start. */
  readonly takeovers: number;
  /** Why it cannot go on, or has no contact; undefined if all is well. */
  readonly trouble: string | undefined;
  /** Why the log of its own home lacks something that is confirmed; undefined if it does not. */
  readonly localLog: string | undefined;
  /** The room at NATS; undefined until it was read. */
  readonly store?: StoreState | undefined;
  /** Snapshots that it could not write or not share since it last shared one; absent if none. */
  readonly sharesFailed?: number | undefined;
}

/** What the main thread is told by its node. None of them is called from within a call of it. */
export interface NodeEvents {
  /**
   * Confirmed frames that follow those applied so far, whole and stamped. They belong to the
   * receiver.
   */
  apply(frames: Buffer, last: LogPoint): void;
  /**
   * The node leads from here on: everything before `after` was applied. `after` includes the frame
   * of its term. The main thread serves, and appends through the writer.
   */
  lead(term: Term, after: LogPoint): void;
  /** The leader, as far as it is known, has changed; it may be this node. */
  leader(member: Member | undefined): void;
  /** Another leads, or this node has resigned: the process ends and starts again as a follower. */
  fenced(reason: string): void;
  /** An operator has to look; nothing is served until then. */
  halted(reason: string): void;
  /** A snapshot of the others has to be loaded: the process starts again with it. */
  behind(snapshot: SharedSnapshot): void;
}

/** How the main thread waits for the log before something leaves that has no frame. */
export interface ReadConfirmations {
  /** The stamp of what was made by now; stamps grow. */
  ask(): number;
  /** Whether a message is in the stream that was published after that. */
  isConfirmed(stamp: number): boolean;
  /**
   * Calls `then` when it is confirmed, which it is not yet, after those that were handed in before.
   */
  onceConfirmed(stamp: number, then: () => void): void;
}

/** The node of this process, as the main thread sees it. */
export interface ClusterNode {
  readonly state: NodeState;
  /** Begins to follow after this point, up to which the home was recovered and applied. */
  start(after: LogPoint, events: NodeEvents): void;
  /**
   * Makes the writer of this home's journal: called once, before `start`. It appends only while the
   * node leads; frames are durable when the stream has confirmed them. While it follows, `sync`
   * waits until the home's own log has everything that was applied.
   */
  readonly openWriter: OpenWriter;
  /**
   * Whether answers may leave now: it leads, and its lease has not run out on any of its clocks.
   * Costs less than a microsecond; it is asked before each answer.
   */
  mayAnswer(): boolean;
  /** Set if the lease alone does not suffice for what leaves (`cluster.reads: confirmed`). */
  readonly reads?: ReadConfirmations | undefined;
  /** Confirms what was appended, then lets another node lead at once. */
  resign(): Promise<void>;
  /** Ends the thread and all connections. */
  stop(): Promise<void>;
}

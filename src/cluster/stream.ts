// The stream that all nodes of a cluster agree on, and what stands in it.

import type { Lsn } from '../../snapshots/journal.ts';

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

/** A message that is sent to the stream. */
export interface OutgoingMessage {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The answer of the stream to a message. */
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

/** The events that a reader of the stream is given. */
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

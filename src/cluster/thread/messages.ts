// What the main thread and the cluster thread send each other, and the memory that they share.

import type { Lsn } from '../../../snapshots/journal.ts';
import type { RingMemory } from '../../../snapshots/log/frame-ring.ts';
import type { LogWriterOptions } from '../../../snapshots/log/log-writer.ts';
import type { NodeState } from '../cluster-node.ts';
import type { Member } from '../membership.ts';
import type { MemberDescription } from '../node/member-record.ts';
import type { MemberPosition } from '../node/standing.ts';
import type { SharedSnapshot } from '../shared-snapshots.ts';
import type { Generation, LogPoint, Term } from '../stream.ts';

/** The data that the thread is started with. */
export interface ClusterWorkerData {
  /** URL of a module that exports `connect`; the one for NATS when absent. */
  readonly module: string | undefined;
  /** For `connect`. */
  readonly settings: unknown;
  readonly node: NodeSettings;
  /** The log of the home, behind the cluster. */
  readonly log: LogWriterOptions;
  /** The frames of the main thread. */
  readonly ring: RingMemory;
  readonly lease: SharedArrayBuffer;
  readonly applied: SharedArrayBuffer;
  /** Set if reads wait for the log. */
  readonly reads: SharedArrayBuffer | undefined;
  readonly bounds: ClusterThreadBounds;
  /** For tests of the local log: a module whose `nodeDisk` can be made to fail. */
  readonly diskModule: string | undefined;
}

/** What the node is told of itself. */
export interface NodeSettings {
  readonly description: MemberDescription;
  readonly generation: Generation;
  /** `groupKeyOf` the sealing key. */
  readonly groupKey: Uint8Array;
  /** Beyond this, operators are warned; beyond ten times that, the node does not lead. */
  readonly clockSkewMs: number;
  /** Whether an operator lets it lead without a majority. */
  readonly isForced: boolean;
}

/** Bounds of the memory that the thread uses. */
export interface ClusterThreadBounds {
  /** Bytes that the main thread may have appended and not confirmed. */
  readonly pendingBytesMax: number;
  readonly frameBytesMax: number;
  /** Bytes of the largest group. */
  readonly groupBytesMax: number;
  /** Bytes that may wait for the local disk. */
  readonly localBytesMax: number;
  /** Bytes that a follower may have handed to the main thread and that it has not applied. */
  readonly unappliedBytesMax: number;
}

/** Messages from the main thread. */
export type ToClusterThread =
  | { readonly asks: 'start'; readonly after: LogPoint }
  /** Everything appended so far is confirmed and in the local log; answered by `synced`. */
  | { readonly asks: 'sync'; readonly ticket: number }
  /** A snapshot of the home was kept; answered by `shared`. */
  | { readonly asks: 'share'; readonly ticket: number; readonly file: string; readonly lsn: Lsn }
  /** A snapshot of the home could not be written. */
  | { readonly asks: 'snapshotFailed' }
  /** What a member said; no position if it did not answer. */
  | {
      readonly asks: 'hear';
      readonly ticket: number;
      readonly position: MemberPosition | undefined;
    }
  /** The node is about to end: its entry is to name no address for routers; answered by `left`. */
  | { readonly asks: 'leave' }
  | { readonly asks: 'resign' | 'closeLog' | 'stop' };

/** For the writer of the journal. */
export type WriterNews =
  /** The ring has changed: everything up to this frame is confirmed. */
  | { readonly tells: 'progress'; readonly last: LogPoint }
  | { readonly tells: 'stalled'; readonly reason: string }
  | { readonly tells: 'resumed' };

/** For the receiver of `NodeEvents`. */
export type NodeNews =
  | { readonly tells: 'apply'; readonly frames: Uint8Array<ArrayBuffer>; readonly last: LogPoint }
  | { readonly tells: 'lead'; readonly term: Term; readonly after: LogPoint }
  | { readonly tells: 'leader'; readonly member: Member | undefined }
  | { readonly tells: 'behind'; readonly snapshot: SharedSnapshot }
  | { readonly tells: 'fenced'; readonly reason: string }
  | { readonly tells: 'halted'; readonly reason: string };

/** Messages from the thread. */
export type FromClusterThread =
  | WriterNews
  | NodeNews
  | { readonly tells: 'state'; readonly state: NodeState }
  /** Reads up to this number are confirmed. */
  | { readonly tells: 'readsConfirmed'; readonly asked: number }
  | { readonly tells: 'synced'; readonly ticket: number; readonly failure: SyncFailure | undefined }
  | {
      readonly tells: 'shared';
      readonly ticket: number;
      /** Undefined if there was nothing to do. */
      readonly snapshot: SharedSnapshot | undefined;
      readonly failure: string | undefined;
    }
  /** The home needs a snapshot now, which is then shared. */
  | { readonly tells: 'snapshotWanted' }
  /** Asks a member for its last frame; answered by `hear`. */
  | { readonly tells: 'ask'; readonly ticket: number; readonly member: Member }
  | { readonly tells: 'left' }
  | { readonly tells: 'resigned' }
  | { readonly tells: 'logClosed' };

/** Why a sync failed; for now, or for good. */
export interface SyncFailure {
  readonly isForGood: boolean;
  readonly reason: string;
}

/** Counts the bytes that a follower's main thread has applied. */
export class AppliedBytes {
  readonly #figure: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#figure = new Float64Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  }

  get bytes(): number {
    return this.#figure[0] ?? 0;
  }

  add(bytes: number): void {
    this.#figure[0] = this.bytes + bytes;
  }
}

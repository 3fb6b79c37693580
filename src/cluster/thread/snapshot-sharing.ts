// Puts a node's snapshots where all nodes can load them, and frees what they make superfluous.

import type { Lsn } from '../../../snapshots/journal.ts';
import type { Clock } from '../../platform/ports.ts';
import type { NodeState } from '../cluster-node.ts';
import { type GroupTrust, readGroup } from '../log/group-message.ts';
import { keepShared, sharedIn } from '../log/shared-snapshots.ts';
import { fits, shortBounds, storesOf } from '../log/store-room.ts';
import type { Member, Members } from '../membership.ts';
import { findPlace } from '../node/resume-point.ts';
import { memberAwayMs } from '../node/watch.ts';
import type { SharedSnapshot, SharedSnapshots } from '../shared-snapshots.ts';
import { type LogPoint, type Stream, StreamUnreachable } from '../stream.ts';

/**
 * Bytes per second of an upload. Without a bound, an upload raised the 99th percentile of
 * publishing from 3.1 to 5.5 ms. @bound per controller
 */
const uploadBytesPerSecondMax = 10_000_000;

/** Snapshots that are kept for all nodes: one may turn out to be damaged. @bound */
const sharedSnapshotsMax = 2;

/** A node that has failed so often since it last shared one leaves the task to the others. */
const failuresTolerated = 2;

/**
 * Own snapshots, the present one included, that a leader has taken since anybody shared one before
 * it does so itself: two whole intervals lie between three of them. @bound
 */
const unsharedMax = 3;

/** While there is too little room, a leader gives its followers so long to make some, in ms. */
const leaderWaitMs = 30_000;

/** Between two attempts of one node to make room, if the first one has not helped, in ms. */
const makeRoomAgainMs = 30_000;

/** What sharing works with. */
export interface SnapshotSharingOptions {
  readonly id: string;
  readonly stream: Stream;
  readonly members: Pick<Members, 'list'>;
  readonly snapshots: SharedSnapshots;
  readonly trust: GroupTrust;
  readonly clock: Clock;
  readonly state: () => NodeState;
  /** The checksum of a frame in the local log; undefined if it is not there. */
  readonly crcOf: (lsn: Lsn) => number | undefined;
  /** The size of a file. */
  readonly bytesOf: (file: string) => number;
  /** Lets the main thread take a snapshot now, which is then shared. */
  readonly wantSnapshot: () => void;
}

/** Shares the snapshots of one node, one at a time (behaviour/cluster#sharing-snapshots). */
export class SnapshotSharing {
  readonly #options: SnapshotSharingOptions;
  #isBusy = false;
  /** LSNs of the last snapshots of the home; the newest last. */
  #taken: Lsn[] = [];
  #failures = 0;
  /** Whether this node has asked for a snapshot to make room. */
  #isWanted = false;
  /** Since when there is too little room, in monotonic ms. */
  #shortSinceMs: number | undefined;
  #makeRoomAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SnapshotSharingOptions) {
    this.#options = options;
  }

  /** Snapshots that could not be written or not be shared since this node last shared one. */
  get failures(): number {
    return this.#failures;
  }

  /** A snapshot of the home could not be written. */
  failed(): void {
    this.#failures += 1;
  }

  /**
   * Uploads a snapshot of the home if that is this node's task and no newer one is there, and then
   * removes what is older than the two newest, first snapshots, then messages of the stream.
   * @returns the snapshot; undefined if there was nothing to do
   * @throws StreamUnreachable; LogFork when the stream has another frame with that LSN; an error if
   *   the local log does not have it, or NATS has no room for it
   */
  async share(file: string, lsn: Lsn): Promise<SharedSnapshot | undefined> {
    this.#taken = [...this.#taken, lsn].slice(-unsharedMax);
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    try {
      const shared = await this.#share(file, lsn);
      // To leave it to another node is no success.
      if (shared !== undefined) this.#failures = 0;
      return shared;
    } catch (error) {
      this.#failures += 1;
      throw error;
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * Makes room if there is too little: keeps only the newest of the shared snapshots, and has a
   * newer one taken if that is this node's task. To be called every few seconds.
   * @throws StreamUnreachable
   */
  async makeRoom(): Promise<void> {
    const nowMs = this.#options.clock.monotonic();
    const members = await this.#members();
    if (!this.#isShort(members)) {
      this.#shortSinceMs = undefined;
      this.#makeRoomAtMs = Number.NEGATIVE_INFINITY;
      return;
    }
    this.#shortSinceMs ??= nowMs;
    if (this.#isBusy || nowMs < this.#makeRoomAtMs) return;
    if (!this.#mayMakeRoom(members, nowMs - this.#shortSinceMs)) return;
    this.#makeRoomAtMs = nowMs + makeRoomAgainMs;
    this.#isBusy = true;
    try {
      await this.#makeRoom();
    } finally {
      this.#isBusy = false;
    }
  }

  async #makeRoom(): Promise<void> {
    const { snapshots, state, wantSnapshot } = this.#options;
    await snapshots.removeRemains();
    const [newest] = await keepShared(this.#options, 1);
    const { last, role } = state();
    // What is not confirmed cannot be shared.
    if (role === 'isolated' || (newest?.lsn ?? -1) >= last.lsn) return;
    this.#isWanted = true;
    wantSnapshot();
  }

  async #share(file: string, lsn: Lsn): Promise<SharedSnapshot | undefined> {
    const { bytesOf, snapshots, state, stream } = this.#options;
    const isWanted = this.#isWanted;
    this.#isWanted = false;
    const [newest] = await sharedIn(this.#options);
    const members = await this.#members();
    if (!isWanted && !this.#isMine(members, newest)) return undefined;
    if (newest !== undefined && newest.lsn >= lsn) return undefined;
    const point = this.#pointOf(lsn);
    const sequence = await this.#sequenceOf(point);
    const { generation } = stream;
    const stores = storesOf(state(), members);
    const bytes = bytesOf(file);
    // A store that an upload has filled takes nothing any more, not even a purge.
    if (!stores.every((store) => fits(store, bytes))) {
      throw new Error(`NATS has no room for ${bytes} more bytes: raise its limits`);
    }
    const content = { generation, ...point, sequence };
    const shared = await snapshots.upload(file, content, uploadBytesPerSecondMax);
    const count = this.#isShort(members) ? 1 : sharedSnapshotsMax;
    await keepShared(this.#options, count);
    return shared;
  }

  /** An entry that cannot be read says nothing of its node. */
  async #members(): Promise<readonly Member[]> {
    const { clock, members, state } = this.#options;
    const nowMs = clock.now() - state().clockSkewMs;
    const isHeard = ({ atMs }: Member) => nowMs - atMs <= memberAwayMs;
    try {
      return (await members.list()).filter(isHeard);
    } catch (error) {
      if (!(error instanceof StreamUnreachable)) throw error;
      return [];
    }
  }

  /** A leader takes the task over when nobody has done it for long. */
  #isMine(members: readonly Member[], newest: SharedSnapshot | undefined): boolean {
    const isOverdue = this.#options.state().role === 'leading' && this.#isOverdue(newest);
    return isOverdue || this.#isFirst(members);
  }

  /**
   * The task is that of the follower with the lowest id, or of a leader without followers. Those
   * count that were heard lately and can do it.
   */
  #isFirst(members: readonly Member[]): boolean {
    const { id, state } = this.#options;
    const { role } = state();
    const followers = this.#healthyFollowers(members);
    if (role === 'leading') return followers.length === 0;
    if (role !== 'following') return false;
    if (this.#failures >= failuresTolerated) return followers.length === 0;
    return followers.every((member) => id < member.id);
  }

  #healthyFollowers(members: readonly Member[]): readonly Member[] {
    const { id, stream } = this.#options;
    return members.filter(
      (member) =>
        member.id !== id &&
        member.role === 'following' &&
        member.generation === stream.generation &&
        member.condition?.localLog === undefined &&
        (member.condition?.sharesFailed ?? 0) < failuresTolerated,
    );
  }

  #isOverdue(newest: SharedSnapshot | undefined): boolean {
    const [oldest] = this.#taken;
    const isLong = this.#taken.length === unsharedMax && oldest !== undefined;
    return isLong && (newest?.lsn ?? -1) < oldest;
  }

  #mayMakeRoom(members: readonly Member[], shortMs: number): boolean {
    const { role } = this.#options.state();
    if (role === 'isolated') return true;
    if (role === 'leading' && shortMs >= leaderWaitMs) return true;
    return this.#isFirst(members);
  }

  #isShort(members: readonly Member[]): boolean {
    const stores = storesOf(this.#options.state(), members);
    return stores.some((store) => shortBounds(store).length > 0);
  }

  #pointOf(lsn: Lsn): LogPoint {
    const crc = this.#options.crcOf(lsn);
    if (crc === undefined) throw new Error(`the local log does not hold LSN ${lsn}`);
    return { lsn, crc };
  }

  /** The message that holds the frame; a snapshot of a leader may lie within a group. */
  async #sequenceOf(point: LogPoint): Promise<number> {
    const { stream, trust } = this.#options;
    const place = await findPlace(stream, trust, point);
    if (place === undefined) throw new Error(`what follows LSN ${point.lsn} was purged`);
    const { message, sequence } = place;
    if (message === undefined) return sequence;
    return readGroup(message, trust).last.lsn < point.lsn ? sequence + 1 : sequence;
  }
}

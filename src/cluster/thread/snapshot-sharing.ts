// Puts a node's snapshots where all nodes can load them, and frees what they make superfluous.

import type { Lsn } from '../../../snapshots/journal.ts';
import type {
  LogPoint,
  Members,
  NodeState,
  SharedSnapshot,
  SharedSnapshots,
  Stream,
} from '../contract.ts';
import { type GroupTrust, readGroup } from '../group-message.ts';
import { findPlace } from '../place.ts';

/**
 * Bytes per second of an upload. Without a bound, an upload raised the 99th percentile of
 * publishing from 3.1 to 5.5 ms. @bound per controller
 */
const uploadBytesPerSecondMax = 10_000_000;

/** Snapshots that are kept for all nodes: one may turn out to be damaged. @bound */
const sharedSnapshotsMax = 2;

/** What sharing works with. */
export interface SnapshotSharingOptions {
  readonly id: string;
  readonly stream: Stream;
  readonly members: Members;
  readonly snapshots: SharedSnapshots;
  readonly trust: GroupTrust;
  readonly state: () => NodeState;
  /** The checksum of a frame in the local log; undefined if it is not there. */
  readonly crcOf: (lsn: Lsn) => number | undefined;
}

/** Shares the snapshots of one node, one at a time (behaviour/cluster#sharing-snapshots). */
export class SnapshotSharing {
  readonly #options: SnapshotSharingOptions;
  #isBusy = false;

  constructor(options: SnapshotSharingOptions) {
    this.#options = options;
  }

  /**
   * Uploads a snapshot of the home if that is this node's task and no newer one is there, and then
   * removes what is older than the two newest, first snapshots, then messages of the stream.
   * @returns the snapshot; undefined if there was nothing to do
   * @throws StreamUnreachable; LogFork when the stream has another frame with that LSN; an error if
   *   the local log does not have it
   */
  async share(file: string, lsn: Lsn): Promise<SharedSnapshot | undefined> {
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    try {
      return await this.#share(file, lsn);
    } finally {
      this.#isBusy = false;
    }
  }

  async #share(file: string, lsn: Lsn): Promise<SharedSnapshot | undefined> {
    const { snapshots, stream } = this.#options;
    if (!(await this.#isMine())) return undefined;
    const { generation } = stream;
    const known = await snapshots.list();
    if (known.some((one) => one.generation === generation && one.lsn >= lsn)) return undefined;
    const point = this.#pointOf(lsn);
    const sequence = await this.#sequenceOf(point);
    const content = { generation, ...point, sequence };
    const shared = await snapshots.upload(file, content, uploadBytesPerSecondMax);
    await this.#removeOlder();
    return shared;
  }

  /** That of the follower with the lowest id, or of a leader without followers. */
  async #isMine(): Promise<boolean> {
    const { id, members, state, stream } = this.#options;
    const { role } = state();
    const list = await members.list();
    const followers = list.filter(
      (member) =>
        member.id !== id && member.role === 'following' && member.generation === stream.generation,
    );
    if (role === 'leading') return followers.length === 0;
    return role === 'following' && followers.every((member) => id < member.id);
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

  /** The message of the older snapshot stays, so that a node can begin there. */
  async #removeOlder(): Promise<void> {
    const { snapshots, stream } = this.#options;
    const ours = (await snapshots.list()).filter(
      ({ generation }) => generation === stream.generation,
    );
    for (const superfluous of ours.slice(sharedSnapshotsMax)) await snapshots.remove(superfluous);
    const oldest = ours[sharedSnapshotsMax - 1];
    if (oldest !== undefined && oldest.sequence > 0) await stream.purge(oldest.sequence);
  }
}

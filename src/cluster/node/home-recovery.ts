// Opens the home of a node. What it lost, or has slept through, comes from a snapshot that the
// nodes share.

import { LogCorrupt, OtherMembership } from '../../../snapshots/errors.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import {
  type Membership,
  readMembership,
  writeMembership,
} from '../../../snapshots/home/membership.ts';
import { openHome } from '../../../snapshots/home/open.ts';
import type { OpenHomeOptions } from '../../../snapshots/home/open-options.ts';
import { interruptedManifest, replaceHome } from '../../../snapshots/home/replaced-home.ts';
import type { RecoveredEnd } from '../../../snapshots/journal.ts';
import { SnapshotDamaged } from '../../../snapshots/snapshot/snapshot-file.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { TreeDisk } from '../../platform/ports.ts';
import { GroupInvalid, type GroupTrust } from '../log/group-message.ts';
import type { DataSet } from '../nats/names.ts';
import { type SharedSnapshot, type SharedSnapshots, SnapshotGone } from '../shared-snapshots.ts';
import type { Generation, LogPoint, Stream, Term } from '../stream.ts';
import { findPlace, LogFork } from './resume-point.ts';
import { termOfSnapshot } from './snapshot-term.ts';

/** What a recovery needs of the others. */
export interface SharedLog {
  readonly generation: Generation;
  readonly snapshots: Pick<SharedSnapshots, 'list' | 'download'>;
  /**
   * Whether the stream still has everything that follows this point. A home that differs from the
   * stream, or has more than it, counts as reached: its node finds that out and halts.
   * @throws StreamUnreachable
   */
  reaches(end: LogPoint): Promise<boolean>;
  /** As `termOfSnapshot`. */
  termOf(snapshot: SharedSnapshot): Promise<Term>;
}

/** The shared log over a stream, as a node finds its place in it. */
export function sharedLogOf(
  stream: Stream,
  snapshots: SharedLog['snapshots'],
  trust: GroupTrust,
): SharedLog {
  return {
    generation: stream.generation,
    snapshots,
    termOf: (snapshot) => termOfSnapshot(stream, trust, snapshot),
    reaches: async (end) => {
      try {
        return (await findPlace(stream, trust, end)) !== undefined;
      } catch (error) {
        if (error instanceof LogFork || error instanceof GroupInvalid) return true;
        throw error;
      }
    },
  };
}

/**
 * Where in the cluster a home belongs, also one whose replacement was interrupted.
 * @throws StartProblem if it belongs nowhere; NewerFormat; LogCorrupt
 */
export function placeOf(
  disk: TreeDisk,
  home: string,
): { readonly id: string; readonly dataSet: DataSet } {
  const membership = readMembership(disk, home);
  if (membership === undefined) {
    throw new StartProblem(
      `cluster.servers is set, but ${home} belongs to no cluster: run edge-control cluster init or join first.`,
    );
  }
  const manifest = readManifest(disk, home) ?? interruptedManifest(disk, home);
  if (manifest === undefined) throw new StartProblem(unfinishedHome(home));
  const { nodeId: id, generation } = membership;
  return { id, dataSet: { dataSetId: manifest.dataSetId, generation } };
}

/** The sentence for a home that a `cluster join` began, and of whose data nothing is there. */
export function unfinishedHome(home: string): string {
  return `${home} is not complete: remove it, and run edge-control cluster join again.`;
}

/** How to open the home. */
export interface ClusterHomeOptions extends Omit<OpenHomeOptions, 'cluster'> {
  readonly disk: TreeDisk;
  readonly shared: SharedLog;
  /** Told of each snapshot that takes the place of the home's data, and why. */
  readonly replacing: (snapshot: SharedSnapshot, reason: string) => void;
}

/** An opened home. */
export interface OpenedClusterHome extends Awaited<ReturnType<typeof openHome>> {
  readonly membership: Membership;
  /** What the node follows from: everything up to here is in the store. */
  readonly after: LogPoint;
}

/** Snapshots that a start loads one after the other, if they disappear meanwhile. @bound */
const snapshotTriesMax = 3;

/**
 * Opens the home of a node, and loads the newest shared snapshot first where the home is of an
 * older generation, is damaged, or ends before the stream begins (behaviour/cluster#homes).
 * Records are handed out once, when nothing can go wrong any more.
 * @throws what `openHome` throws, if there is no snapshot; StreamUnreachable; SnapshotGone and
 *   SnapshotDamaged if three in a row could not be loaded; OtherMembership for a home of a newer
 *   generation
 */
export async function openClusterHome(options: ClusterHomeOptions): Promise<OpenedClusterHome> {
  const { disk, home, shared } = options;
  const membership = readMembership(disk, home);
  if (membership === undefined) return opened(options, { generation: 0, nodeId: '' });
  const { generation } = shared;
  if (membership.generation > generation) {
    throw new OtherMembership(
      `${home} is of generation ${membership.generation}, and the cluster of ${generation}: ` +
        'the configuration names another cluster, or an older one',
    );
  }
  if (membership.generation < generation) {
    await replaced(options, new SnapshotNeeded('the cluster has a new generation'));
    writeMembership(disk, home, { ...membership, generation });
  }
  for (let tries = 1; ; tries++) {
    try {
      return await opened(options, { ...membership, generation });
    } catch (error) {
      const isLost = error instanceof LogCorrupt || error instanceof SnapshotNeeded;
      if (!isLost || tries > snapshotTriesMax) throw error;
      await replaced(options, error);
    }
  }
}

/** The stream does not reach back to the end of the home's log. */
class SnapshotNeeded extends Error {
  override readonly name = 'SnapshotNeeded';
}

async function opened(
  options: ClusterHomeOptions,
  membership: Membership,
): Promise<OpenedClusterHome> {
  const { shared, replacing: _, ...rest } = options;
  const accept = async (end: RecoveredEnd) => {
    if (await shared.reaches(end)) return;
    throw new SnapshotNeeded(`the stream no longer has what follows LSN ${end.lsn}`);
  };
  const { journal, report } = await openHome({ ...rest, cluster: { accept } });
  const after = { lsn: report.lastLsn, crc: report.lastCrc };
  return { journal, report, membership, after };
}

/**
 * Takes the newest shared snapshot. One that disappears, because a newer one was made, or that does
 * not read, gives way to the newest one then.
 */
async function replaced(options: ClusterHomeOptions, because: Error): Promise<void> {
  const { disk, home, segmentBytes, shared, replacing } = options;
  for (let tries = 1; ; tries++) {
    const snapshots = await shared.snapshots.list();
    const newest = snapshots.find(({ generation }) => generation === shared.generation);
    if (newest === undefined) throw because;
    replacing(newest, because.message);
    const download = (path: string) => shared.snapshots.download(newest, path);
    try {
      const { lsn, crc } = newest;
      const term = await shared.termOf(newest);
      await replaceHome(disk, { home, lsn, crc, term, segmentBytes, download });
      return;
    } catch (error) {
      const isGone = error instanceof SnapshotGone || error instanceof SnapshotDamaged;
      if (!isGone || tries >= snapshotTriesMax) throw error;
    }
  }
}

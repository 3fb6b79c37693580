// Opens a home: lock, recovery, repair, writer. This is the only way to get a journal.

import { dirname } from 'node:path';

import type { Disk } from '../../src/platform/ports.ts';
import { LogCorrupt, OtherMembership } from '../errors.ts';
import type { FollowingJournal, RecoveredEnd, RecoveryReport } from '../journal.ts';
import { AppendLog } from '../log/append-log.ts';
import { frameBytes, frameSeed } from '../log/frame.ts';
import type { LogPosition } from '../log/log-writer.ts';
import { segmentHeaderBytes } from '../log/segment.ts';
import { listSegments } from '../log/segment-list.ts';
import { holdsFrames } from '../log/segment-reader.ts';
import { dropUnlistedSnapshots, setAsideUnlistedSnapshots } from '../snapshot/new-snapshot.ts';
import { readWhole } from './file-access.ts';
import { logDirectory, manifestPath, snapshotDirectory } from './layout.ts';
import { acquireLock } from './lock.ts';
import { type Manifest, temporarySuffix, writeManifest } from './manifest.ts';
import { readMembership } from './membership.ts';
import type { OpenHomeOptions } from './open-options.ts';
import { manifestFor, type RecoveredHome, recoverHome } from './recovery.ts';
import { beginSegment, repairLog } from './repair.ts';

/**
 * Opens a home, and creates it first when there is none. Each live record is handed to
 * `options.load` before this resolves. A refused start changes nothing.
 * @param diskModule for tests of the writer's thread: URL of a module whose `nodeDisk` can be made
 *   to fail.
 * @throws HomeLocked; LogCorrupt; NewerFormat; RecoverToUnreachable; OtherMembership; RangeError
 *   for bounds that cannot work together; SyncFailed and other errors of the disk; what
 *   `options.cluster` rejects with.
 */
export async function openHome(
  options: OpenHomeOptions,
  diskModule?: string,
): Promise<{ journal: FollowingJournal; report: RecoveryReport }> {
  checkBounds(options);
  const { disk, home } = options;
  makeDirectories(disk, home);
  const release = acquireLock(disk, home);
  try {
    refuseOtherMembership(options);
    const manifest = manifestFor(disk, home, options.recoverToLsn) ?? makeHome(options);
    const recovered = withCut(options, recoverHome(disk, home, manifest, options.recoverToLsn));
    await options.cluster?.accept(endOf(recovered));
    const records = recovered.load(options.load, options.history);
    const report = makeReady(options, recovered, records);
    const { lastTimeMs, term } = recovered.log;
    const position = begunPosition(options, recovered);
    const { segmentBytes, level, cluster } = options;
    const { dataSetId } = manifest;
    const log = { home, dataSetId, segmentBytes, level, position };
    const journal = new AppendLog(options, {
      manifest: recovered.manifest,
      log: cluster === undefined ? log : { ...log, level: 'second', clusterTerm: term },
      lastTimeMs,
      release,
      diskModule,
    });
    return { journal, report };
  } catch (error) {
    release();
    throw error;
  }
}

/** Opens a home as `openHome` does. */
export type OpenHome = (
  options: OpenHomeOptions,
) => Promise<{ readonly journal: FollowingJournal; readonly report: RecoveryReport }>;

function checkBounds({
  segmentBytes,
  frameBytesMax,
  newDataSetId,
  ...rest
}: OpenHomeOptions): void {
  if (segmentBytes < segmentHeaderBytes + frameBytes(frameBytesMax)) {
    throw new RangeError(`a segment of ${segmentBytes} bytes cannot hold the largest frame`);
  }
  if (!/^[0-9a-f]{32}$/.test(newDataSetId)) {
    throw new RangeError('newDataSetId must be 32 hex digits');
  }
  if (rest.snapshotsKept < 1) throw new RangeError('snapshotsKept must be at least 1');
  if (rest.recoverToLsn !== undefined && !(rest.recoverToLsn >= 1)) {
    throw new RangeError('recoverToLsn must be at least 1');
  }
}

function makeDirectories(disk: Disk, home: string): void {
  const isNew = !disk.exists(home);
  for (const path of [home, logDirectory(home), snapshotDirectory(home)]) disk.makeDirectory(path);
  if (isNew) disk.syncDirectory(dirname(home));
  disk.syncDirectory(home);
}

function refuseOtherMembership({ disk, home, cluster }: OpenHomeOptions): void {
  const isMember = readMembership(disk, home) !== undefined;
  if (isMember === (cluster !== undefined)) return;
  throw new OtherMembership(
    isMember
      ? `${home} belongs to a cluster, and none is configured: set cluster.servers, or take it out ` +
          'of its cluster with `edge-control cluster leave`'
      : `${home} belongs to no cluster: make it a member with \`edge-control cluster init\` or ` +
          '`edge-control cluster join`, or start without cluster.servers',
  );
}

function endOf({ log }: RecoveredHome): RecoveredEnd {
  const { lsn, crc } = log.position;
  return { lsn, crc };
}

/** A home that enters or leaves a cluster goes on in a new segment, which says so. */
function begunPosition(options: OpenHomeOptions, { manifest, log }: RecoveredHome): LogPosition {
  const { disk, home, segmentBytes, cluster } = options;
  const { position, isClustered, term } = log;
  const { dataSetId } = manifest;
  if (isClustered === (cluster !== undefined)) return position;
  const next = { ...position, sequence: position.sequence + 1, offset: segmentHeaderBytes };
  const clusterTerm = cluster === undefined ? undefined : term;
  beginSegment(disk, home, { dataSetId, segmentBytes, position: next, clusterTerm });
  return next;
}

/** The manifest is written last: until it exists, nothing can have been acknowledged. */
function makeHome(options: OpenHomeOptions): Manifest {
  const { disk, home, newDataSetId, segmentBytes, cluster } = options;
  refuseOrphans(disk, home);
  if (cluster !== undefined) {
    const place = { file: manifestPath(home), offset: 0, lsn: 1 };
    throw new LogCorrupt(place, 'the manifest is missing although the home belongs to a cluster');
  }
  for (const { path } of listSegments(disk, home)) disk.remove(path);
  const position = { sequence: 1, offset: segmentHeaderBytes, lsn: 0, crc: 0 };
  beginSegment(disk, home, { dataSetId: newDataSetId, segmentBytes, position });
  const manifest: Manifest = { dataSetId: newDataSetId, snapshots: [] };
  writeManifest(disk, home, manifest);
  return manifest;
}

/** Refuses a home that lost its manifest, which must not be mistaken for a new one. */
function refuseOrphans(disk: Disk, home: string): void {
  const snapshots = disk.list(snapshotDirectory(home)).filter((name) => name.endsWith('.snap'));
  const orphaned = listSegments(disk, home).some(({ path, header }) => {
    return header !== undefined && holdsFrames(readWhole(disk, path), frameSeed(header.dataSetId));
  });
  if (snapshots.length === 0 && !orphaned) return;
  const place = { file: manifestPath(home), offset: 0, lsn: 1 };
  throw new LogCorrupt(place, 'the manifest is missing although the home holds data');
}

/** From here on the home is changed: every check that can refuse a start has passed. */
function makeReady(
  options: OpenHomeOptions,
  recovered: RecoveredHome,
  records: number,
): RecoveryReport {
  const { disk, home, segmentBytes } = options;
  const { manifest, log } = recovered;
  // A snapshot beyond `--recover-to` must be forgotten before the frames that it depends on.
  if (isCut(options, recovered)) writeManifest(disk, home, manifest);
  const { position, repair } = log;
  const order = { dataSetId: manifest.dataSetId, segmentBytes, position, repair };
  const tornTail = repairLog(disk, home, order);
  clearAway(options, recovered);
  return {
    dataSetId: manifest.dataSetId,
    lastCut: manifest.lastCut ?? 0,
    lastLsn: position.lsn,
    lastTimeMs: log.lastTimeMs,
    lastCrc: position.crc,
    term: log.term,
    records,
    framesReplayed: log.framesReplayed,
    bytesReplayed: log.bytesReplayed,
    snapshotLsn: recovered.snapshotLsn,
    sealed: log.sealed,
    ...(tornTail === undefined ? {} : { tornTail }),
    damagedSnapshots: recovered.damagedSnapshots,
  };
}

/**
 * Whether LSNs may be given out again that were given out before: the log is cut, the home has left
 * its cluster, or a crash may have lost what was acknowledged at a lower level of durability.
 */
function isCut({ recoverToLsn, cluster, level }: OpenHomeOptions, { log }: RecoveredHome): boolean {
  if (recoverToLsn !== undefined) return true;
  if (cluster !== undefined) return false;
  const isWeak = level !== 'disk' && !log.sealed && log.position.lsn > 0;
  return log.isClustered || isWeak;
}

function withCut(options: OpenHomeOptions, recovered: RecoveredHome): RecoveredHome {
  if (!isCut(options, recovered)) return recovered;
  const { lastCut = 0, ...manifest } = recovered.manifest;
  const seconds = Math.floor(options.clock.now() / 1000);
  return { ...recovered, manifest: { ...manifest, lastCut: Math.max(lastCut + 1, seconds) } };
}

/** Damaged snapshots are kept for inspection until the next one is written. */
function clearAway({ disk, home, recoverToLsn }: OpenHomeOptions, recovered: RecoveredHome): void {
  const { manifest, damagedSnapshots } = recovered;
  if (recoverToLsn !== undefined) setAsideUnlistedSnapshots(disk, home, manifest);
  else if (damagedSnapshots.length === 0) dropUnlistedSnapshots(disk, home, manifest);
  const temporary = manifestPath(home) + temporarySuffix;
  if (disk.exists(temporary)) disk.remove(temporary);
}

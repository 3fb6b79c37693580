// The log of a cluster for tests: stamped frames, as groups of a stream carry them, and homes of
// them.

import { join } from 'node:path';
import { snapshotName } from '../../snapshots/home/layout.ts';
import { writeManifest } from '../../snapshots/home/manifest.ts';
import { writeMembership } from '../../snapshots/home/membership.ts';
import { beginSegment } from '../../snapshots/home/repair.ts';
import type { FrameContent } from '../../snapshots/journal.ts';
import { packFrame, packTerm } from '../../snapshots/log/codec.ts';
import {
  frameBytes,
  frameKinds,
  frameSeed,
  putFrame,
  stampFrame,
} from '../../snapshots/log/frame.ts';
import type { LogPosition } from '../../snapshots/log/log-writer.ts';
import { LogWriter } from '../../snapshots/log/log-writer.ts';
import { SnapshotInMaking } from '../../snapshots/snapshot/new-snapshot.ts';
import { SnapshotPacker } from '../../snapshots/snapshot/snapshot-file.ts';
import type { LogPoint } from '../../src/cluster/stream.ts';
import type { Disk } from '../../src/platform/ports.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { putting } from './home.ts';

/** The data set of all homes here. */
export const clusterDataSetId = '0123456789abcdef'.repeat(2);

/** Frames that were confirmed at once, stamped. */
export interface ConfirmedFrames {
  readonly after: LogPoint;
  readonly last: LogPoint;
  readonly frames: Buffer;
}

/** Stamps frames one after the other, as the leader of a cluster does. */
export class Stamping {
  readonly #seed = frameSeed(clusterDataSetId);
  #last: LogPoint;

  constructor(after: LogPoint = { lsn: 0, crc: 0 }) {
    this.#last = after;
  }

  /** The last frame that was stamped. */
  get last(): LogPoint {
    return this.#last;
  }

  /** The frames of one group, each putting the records of the given ids. */
  puts(...ids: readonly string[]): ConfirmedFrames {
    return this.group(ids.map((id) => putting(id)));
  }

  group(contents: readonly FrameContent[]): ConfirmedFrames {
    const payloads = contents.map((content) => Buffer.from(packFrame(content)));
    return this.#stamped(payloads.map((payload) => [frameKinds.transaction, payload] as const));
  }

  /** The group with which a leadership begins. */
  term(term: number): ConfirmedFrames {
    const payload = Buffer.from(packTerm({ timeMs: 2000, term, nonce: '0a'.repeat(16) }));
    return this.#stamped([[frameKinds.term, payload]]);
  }

  #stamped(payloads: readonly (readonly [kind: number, payload: Buffer])[]): ConfirmedFrames {
    const after = this.#last;
    const frames = payloads.map(([kind, payload]) => {
      const frame = Buffer.alloc(frameBytes(payload.length));
      putFrame(frame, 0, kind, payload);
      const stamp = { lsn: this.#last.lsn + 1, batch: 0, previousCrc: this.#last.crc };
      this.#last = { lsn: stamp.lsn, crc: stampFrame(frame, 0, stamp, this.#seed) };
      return frame;
    });
    return { after, last: this.#last, frames: Buffer.concat(frames) };
  }
}

/** A writer of a clustered log that begins on `disk`. */
export function beginLog(
  disk: Disk,
  segmentBytes = 4096,
  after: LogPoint = { lsn: 0, crc: 0 },
  home = '/home',
): LogWriter {
  disk.makeDirectory(join(home, 'log'));
  disk.makeDirectory(join(home, 'snapshots'));
  const position: LogPosition = { sequence: 1, offset: 512, ...after };
  const log = { dataSetId: clusterDataSetId, segmentBytes, position, clusterTerm: 0 };
  beginSegment(disk, home, log);
  return new LogWriter(disk, { home, level: 'second', ...log });
}

/** Writes groups and syncs them. */
export function writeAll(writer: LogWriter, ...groups: readonly ConfirmedFrames[]): void {
  for (const { frames } of groups) {
    writer.stage([Buffer.from(frames)]);
    writer.flush();
  }
  writer.sync();
}

/** A home of a cluster with these groups in its log and nothing else. */
export function makeClusterHome(
  disk: Disk,
  groups: readonly ConfirmedFrames[],
  segmentBytes = 4096,
  home = '/home',
  generation = 1,
): void {
  const writer = beginLog(disk, segmentBytes, groups[0]?.after, home);
  writeAll(writer, ...groups);
  writer.close();
  disk.syncDirectory(join(home, 'log'));
  writeManifest(disk, home, { dataSetId: clusterDataSetId, snapshots: [] });
  writeMembership(disk, home, { generation, nodeId: 'node' });
}

/** The file of a snapshot with a record for each id. */
export function snapshotBytes(lsn: number, ids: readonly string[]): Buffer {
  const disk = new SimulatedDisk(1);
  disk.makeDirectory('/home/snapshots');
  disk.makeDirectory('/home/log');
  const order = { lsn, timeMs: 3000, snapshotsKept: 1 };
  const manifest = { dataSetId: clusterDataSetId, snapshots: [] };
  const making = new SnapshotInMaking(disk, '/home', { ...order, manifest });
  const packer = new SnapshotPacker();
  for (const id of ids) {
    for (const block of packer.add({ kind: 'thing', id, lsn, version: 1, values: [id, 'text'] })) {
      making.write(block);
    }
  }
  const { last, counts } = packer.end();
  for (const block of last) making.write(block);
  making.keep(counts);
  return disk.bytesOf(`/home/snapshots/${snapshotName(lsn)}`);
}

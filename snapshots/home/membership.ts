// A small file that says that a home belongs to a cluster.

import type { Disk } from '../../src/platform/ports.ts';
import { LogCorrupt } from '../errors.ts';
import { syncOrFail } from '../log/segment.ts';
import { withFile } from './file-access.ts';
import { headedText, isRecord, readHeaded } from './headed-json.ts';
import { membershipPath } from './layout.ts';
import { temporarySuffix } from './manifest.ts';

/** The format of the file that this program writes, and the newest it reads. */
const format = { name: 'cluster', version: 1 };

/** The place of a home in its cluster. */
export interface Membership {
  /** The generation of the stream that its log follows. */
  readonly generation: number;
  /** Id of this node, random from the making of the home. */
  readonly nodeId: string;
}

/**
 * The membership of a home; undefined for a home of its own.
 * @throws NewerFormat; LogCorrupt when the file is unreadable
 */
export function readMembership(disk: Disk, home: string): Membership | undefined {
  const path = membershipPath(home);
  if (!disk.exists(path)) return undefined;
  const damaged = (reason: string) => new LogCorrupt({ file: path, offset: 0, lsn: 1 }, reason);
  return readHeaded(disk, path, { format, isFit: isMembership, damaged });
}

function isMembership(value: unknown): value is Membership {
  if (!isRecord(value)) return false;
  return typeof value['generation'] === 'number' && typeof value['nodeId'] === 'string';
}

/** Writes the file durably: temporary file, fdatasync, rename, sync of the directory. */
export function writeMembership(disk: Disk, home: string, membership: Membership): void {
  const path = membershipPath(home);
  const temporary = path + temporarySuffix;
  if (disk.exists(temporary)) disk.remove(temporary);
  withFile(disk, temporary, 'create', (file) => {
    file.write([Buffer.from(headedText(format, membership))], 0);
    syncOrFail(() => file.sync());
  });
  disk.rename(temporary, path);
  syncOrFail(() => disk.syncDirectory(home));
}

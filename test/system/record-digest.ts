// A digest of all records of a home as of one LSN, computed in two ways that share next to nothing.

import { createHash } from 'node:crypto';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { readManifest } from '../../snapshots/home/manifest.ts';
import { recoverHome } from '../../snapshots/home/recovery.ts';
import { readFrames } from '../../snapshots/log/read-frames.ts';

/** What a home holds. */
export interface RecordDigest {
  readonly lsn: number;
  readonly records: number;
  /** SHA-256 over kind, id, LSN, version and values of each record, in the order of kind and id. */
  readonly digest: string;
}

/** Of a home that no process holds: what a start would recover from snapshot and log. */
export function digestOfHome(home: string): RecordDigest {
  const manifest = readManifest(nodeDisk, home);
  if (manifest === undefined) throw new Error(`${home} has no manifest`);
  const recovered = recoverHome(nodeDisk, home, manifest, undefined);
  const lines: string[] = [];
  recovered.load(({ kind, id, lsn, version, values }) => {
    lines.push(lineOf(kind, id, lsn, version, values));
  });
  return digested(recovered.log.position.lsn, lines);
}

/**
 * Of what the frames of a log up to `lsn` made, one after the other, with no snapshot looked at.
 * @throws Error when the log does not hold all of them
 */
export function digestOfLog(home: string, lsn: number): RecordDigest {
  const lines = new Map<string, string>();
  let expected = 1;
  for (const entry of readFrames(nodeDisk, home)) {
    const at = entry.entry === 'transaction' ? entry.frame.lsn : entry.lsn;
    if (at !== expected) throw new Error(`the log holds LSN ${at} where ${expected} should be`);
    if (at > lsn) break;
    expected += 1;
    if (entry.entry !== 'transaction') continue;
    for (const { kind, id, version, values } of entry.frame.changes) {
      const key = `${kind}\0${id}`;
      if (values === null) lines.delete(key);
      else lines.set(key, lineOf(kind, id, at, version, values));
    }
  }
  if (expected <= lsn) throw new Error(`the log ends at LSN ${expected - 1}`);
  return digested(lsn, [...lines.values()]);
}

function lineOf(
  kind: string,
  id: string,
  lsn: number,
  version: number,
  values: readonly unknown[],
): string {
  return JSON.stringify([kind, id, lsn, version, values]);
}

function digested(lsn: number, lines: string[]): RecordDigest {
  const digest = createHash('sha256').update(lines.sort().join('\n')).digest('hex');
  return { lsn, records: lines.length, digest };
}

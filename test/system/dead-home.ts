// The home of a killed process, before the next start.

import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import type { Manifest } from '../../snapshots/home/manifest.ts';
import { readManifest } from '../../snapshots/home/manifest.ts';
import { recoverHome } from '../../snapshots/home/recovery.ts';
import { readSnapshot } from '../../snapshots/snapshot/snapshot-file.ts';

/** What was found that a start removes: signs of a snapshot that was being written. */
export interface Leftovers {
  readonly names: readonly string[];
  /** Snapshots that count. */
  readonly snapshots: number;
}

/**
 * Each snapshot that the manifest names is there and whole; and recovered from the newest or from
 * the one before it, the home holds the same. Changes nothing. @throws for a home that is otherwise
 */
export function checkDeadHome(home: string): Leftovers {
  const manifest = readManifest(nodeDisk, home);
  if (manifest === undefined) throw new Error('the manifest is gone');
  const { snapshots } = manifest;
  for (const { file, lsn, records } of snapshots) {
    const found = readSnapshot(nodeDisk, join(home, 'snapshots', file));
    if (found.lsn !== lsn || found.records !== records) throw new Error(`${file} is another one`);
  }
  if (snapshots.length > 0) {
    const newest = recoveredFrom(home, manifest);
    const older = recoveredFrom(home, { ...manifest, snapshots: snapshots.slice(1) });
    if (newest !== older) throw new Error(`recovered ${newest}, from the one before ${older}`);
  }
  return { names: leftoversIn(home, snapshots), snapshots: snapshots.length };
}

/** Files of a home that a start removes. */
export function leftoversIn(home: string, snapshots: Manifest['snapshots']): string[] {
  const kept = new Set(snapshots.map(({ file }) => file));
  const names = readdirSync(join(home, 'snapshots')).filter((name) => !kept.has(name));
  return [...names, ...readdirSync(home).filter((name) => /\.tmp$|^lock\./.test(name))];
}

/** The last LSN and a digest of all records. */
function recoveredFrom(home: string, manifest: Manifest): string {
  const recovered = recoverHome(nodeDisk, home, manifest, undefined);
  if (recovered.damagedSnapshots.length > 0) throw new Error('a snapshot did not verify');
  const records: string[] = [];
  recovered.load((record) => records.push(JSON.stringify(record)));
  const digest = createHash('sha256').update(records.sort().join('\n')).digest('hex');
  return `${records.length} records at LSN ${recovered.log.position.lsn}, ${digest}`;
}

// The first start of a home that `edge-control migrate` made: what happens once, and never again.

import { join } from 'node:path';
import { reasonOf } from '../../snapshots/errors.ts';
import { readWhole } from '../../snapshots/home/file-access.ts';
import { isRecord } from '../../snapshots/home/headed-json.ts';
import { migrationMarkName, migrationReportName } from '../../snapshots/home/layout.ts';
import type { Log } from '../observe/logs.ts';
import type { Disk } from '../platform/ports.ts';
import type { Core } from './core.ts';

/** What the first start needs. */
export interface MigratedHome {
  readonly disk: Disk;
  readonly home: string;
  readonly log: Log;
}

/**
 * A report names each record that was left out or changed: a hundred bytes for each of a million.
 * @bound
 */
const migrationReportBytesMax = 128 * 1024 * 1024;

/**
 * Does what only the first start after a migration does, if this is one. Nothing served the network
 * since the former controller stopped, so API sessions were not idle, and their idle time begins
 * now (behaviour/api-sessions#idle). Circuits that routers carry are not ours to end
 * (behaviour/control-channel#circuits). The log tells what came along, and where the report is.
 * Called before requests are answered. A start that dies in it is followed by another first one.
 */
export async function firstStartAfterMigration(
  core: Pick<Core, 'succeedFormer'>,
  { disk, home, log }: MigratedHome,
): Promise<void> {
  const mark = join(home, migrationMarkName);
  if (!disk.exists(mark)) return;
  await core.succeedFormer();
  tellOfReport(disk, join(home, migrationReportName), log);
  try {
    disk.remove(mark);
    disk.syncDirectory(home);
  } catch (err) {
    log.warn(
      { err, mark },
      'the mark of a first start after a migration cannot be removed, so the next start counts as one, too: remove it',
    );
  }
}

function tellOfReport(disk: Disk, path: string, log: Log): void {
  try {
    const { madeAt, schema, counts } = readReport(disk, path);
    log.info(
      { report: path, madeAt, schema, counts },
      'this is the first start after a migration: the report says what was left out or changed',
    );
  } catch (error) {
    const reason = reasonOf(error);
    log.warn({ report: path, reason }, 'the report of the migration cannot be read');
  }
}

/** What became of the records of a bucket. */
interface Counts {
  readonly read: number;
  readonly taken: number;
  readonly leftOut: number;
  readonly changed: number;
}

/** The part of a report that the log tells. */
interface Told {
  readonly madeAt: string;
  readonly schema: number;
  readonly counts: Readonly<Record<string, Counts>>;
}

/** @throws an error with the reason, as the end of a sentence */
function readReport(disk: Disk, path: string): Told {
  const report = parsed(readWhole(disk, path, migrationReportBytesMax).toString('utf8'));
  if (!isRecord(report) || report['format'] !== 1)
    throw new Error('it is no report of a known format');
  const { madeAt, source, counts } = report;
  const schema = isRecord(source) ? source['schema'] : undefined;
  if (typeof madeAt !== 'string' || typeof schema !== 'number' || !isRecord(counts)) {
    throw new Error('it lacks its time, its source or its counts');
  }
  return { madeAt, schema, counts: Object.fromEntries(Object.entries(counts).map(countsOf)) };
}

/** Undefined for what is no JSON. The error of the parser would quote names out of it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function countsOf([bucket, counts]: readonly [string, unknown]): [string, Counts] {
  const count = (name: keyof Counts): number => {
    const value = isRecord(counts) ? counts[name] : undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw new Error(`its counts of ${JSON.stringify(bucket)} are incomplete`);
  };
  const [read, taken, leftOut, changed] = [
    count('read'),
    count('taken'),
    count('leftOut'),
    count('changed'),
  ];
  return [bucket, { read, taken, leftOut, changed }];
}

// The report of a migration as JSON: `<home>/migration.json`, and the file of `--report`.

import { version } from '../platform/version.ts';
import type { PeerNode } from './cluster-nodes.ts';
import type { PlacelessKey } from './configuration/placeless.ts';
import type { Proof } from './proof/proof.ts';
import type { BucketCounts, ConversionReport, Remark, StopReport } from './report.ts';

/** A remark, with what it is about. */
export interface ReportedRemark extends Remark {
  readonly what: 'leftOut' | 'changed' | 'kept' | 'damaged';
}

/** Where the network came from. */
export interface ReportedSource {
  /** Path of the database. */
  readonly database: string;
  /** Path of the configuration. */
  readonly configuration: string;
  /** Release of the peer, in words such as `2.1`. */
  readonly release: string;
  readonly schema: number;
  readonly bytes: number;
  readonly sha256: string;
  /** ISO 8601: the time of the newest change, which is the moment of the peer's stop. */
  readonly stoppedAt: string;
}

/** The whole report. It holds no secret. */
export interface MigrationReport {
  readonly format: 1;
  /** ISO 8601. */
  readonly madeAt: string;
  /** The release of this program. */
  readonly madeBy: string;
  /** Whether nothing was written but the report. */
  readonly isCheck: boolean;
  readonly home: string;
  /** HOST:PORT at which the controller of the home answers. */
  readonly address: string;
  readonly source: ReportedSource;
  /** How many records the home has. */
  readonly records: number;
  readonly sessions: 'keep' | 'drop';
  /** By the buckets of the peer. */
  readonly counts: Readonly<Record<string, BucketCounts>>;
  /** Why a bucket was left out as a whole, by its name. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly remarks: readonly ReportedRemark[];
  /** Remarks that are not shown, as there were too many of one sort. */
  readonly furtherRemarks: number;
  /** How often fields had no place, by bucket and field. */
  readonly droppedFields: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Fields that no known release has, in the same way. */
  readonly unknownFields: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly unknownBuckets: readonly string[];
  readonly stops: readonly StopReport[];
  readonly configuration: {
    /** Sentences about what is changed, or deserves attention. */
    readonly notices: readonly string[];
    /** Keys that have no place, with their values. */
    readonly leftOver: readonly PlacelessKey[];
  };
  /** Controllers of the network; the new one answers for all of them. */
  readonly nodes: readonly PeerNode[];
  readonly proof: Proof;
  /** Commands to type. */
  readonly next: readonly string[];
}

/** What a report is made of. */
export interface ReportParts
  extends Pick<
    MigrationReport,
    'isCheck' | 'home' | 'address' | 'records' | 'configuration' | 'nodes' | 'proof' | 'next'
  > {
  readonly nowMs: number;
  readonly source: Omit<ReportedSource, 'stoppedAt'>;
  readonly conversion: ConversionReport;
}

/** Puts the report together. */
export function migrationReport({
  nowMs,
  conversion,
  source,
  ...parts
}: ReportParts): MigrationReport {
  const { buckets, unknownBuckets, stops, stopped } = conversion;
  const byBucket = <T>(pick: (bucket: (typeof buckets)[number]) => T | undefined) =>
    Object.fromEntries(
      buckets.flatMap((one): [string, T][] => {
        const picked = pick(one);
        return picked === undefined ? [] : [[one.bucket, picked]];
      }),
    );
  const lists = buckets.flatMap(({ bucket, ...one }) => [
    { bucket, what: 'damaged' as const, ...one.damagedRemarks },
    { bucket, what: 'leftOut' as const, ...one.leftOutRemarks },
    { bucket, what: 'changed' as const, ...one.changedRemarks },
    { bucket, what: 'kept' as const, ...one.keptRemarks },
  ]);
  return {
    format: 1,
    madeAt: new Date(nowMs).toISOString(),
    madeBy: version,
    ...parts,
    source: { ...source, stoppedAt: new Date(stopped?.atMs ?? nowMs).toISOString() },
    sessions: stopped?.areSessionsKept === true ? 'keep' : 'drop',
    counts: byBucket(({ read, taken, leftOut, changed }) => ({ read, taken, leftOut, changed })),
    reasons: byBucket(({ reason }) => reason),
    remarks: lists.flatMap(({ bucket, what, shown }) =>
      shown.map((remark) => ({ bucket, what, ...remark })),
    ),
    furtherRemarks: lists.reduce((sum, { furtherCount }) => sum + furtherCount, 0),
    droppedFields: byBucket(({ droppedFields }) => orNothing(droppedFields)),
    unknownFields: byBucket(({ unknownFields }) => orNothing(unknownFields)),
    unknownBuckets: unknownBuckets.shown,
    stops,
  };
}

function orNothing<T extends object>(values: T): T | undefined {
  return Object.keys(values).length === 0 ? undefined : values;
}

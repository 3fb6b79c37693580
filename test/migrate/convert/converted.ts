// Converts databases of the peer for tests: through a file, the reader and all conversions. What
// comes out is loaded like a home, and held against the rules of its kinds.

import { RecordChecks } from '../../../src/integrity/record-checks.ts';
import { openBolt } from '../../../src/migrate/bolt/bolt-file.ts';
import type {
  ConversionOptions,
  ConvertedRecord,
} from '../../../src/migrate/convert/conversion.ts';
import { convertedRecords } from '../../../src/migrate/convert/network.ts';
import type { PeerNetwork } from '../../../src/migrate/peer/entity.ts';
import { readNetwork } from '../../../src/migrate/peer/network.ts';
import type { BucketReport, ConversionReport, LeaveOut } from '../../../src/migrate/report.ts';
import { ReportBook } from '../../../src/migrate/report-book.ts';
import { detachedStore } from '../../../src/resources/detached-store.ts';
import { kinds } from '../../../src/resources/index.ts';
import type { Sealer } from '../../../src/store/record.ts';
import type { Store } from '../../../src/store/store.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import { MemoryFile } from '../bolt/memory-file.ts';
import {
  type DatabaseContent,
  database,
  entity,
  flag,
  map,
  type PeerValues,
  text,
} from '../peer/database.ts';

/** The time of every migration in these tests. */
export const nowMs = Date.UTC(2026, 5, 1);

/** The times that `entity` gives. */
export const entityMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** A database that is read as the command does it. */
export function networkOf(content: DatabaseContent): PeerNetwork {
  return readNetwork(openBolt(new MemoryFile(database(content))).root);
}

/** Seals nothing: the text shows its place and what was in it. */
const openSealer: Sealer = {
  seal: (plain, { kind, id, field }) =>
    `${kind}/${id}/${field}:${Buffer.from(plain).toString('base64')}`,
};

/** What a sealed text of `openSealer` holds, if it stands in its place. */
export function opened(sealed: unknown, place: string): Buffer {
  const [at, base64 = ''] = String(sealed).split(':');
  if (at !== place) throw new Error(`${at} instead of ${place}`);
  return Buffer.from(base64, 'base64');
}

/** What came out of a conversion. */
export interface Converted {
  readonly records: readonly ConvertedRecord[];
  /** A record; undefined if there is none. */
  record(kind: string, id: string): Readonly<Record<string, unknown>> | undefined;
  readonly book: ReportBook;
  readonly report: ConversionReport;
  readonly store: Store;
}

/** Options of a test's conversion. */
export type TestOptions = Partial<ConversionOptions> & { readonly agreed?: readonly LeaveOut[] };

/**
 * Converts a database.
 * @throws Error for records that break the rules of their kinds
 */
export function converted(content: DatabaseContent, options: TestOptions = {}): Converted {
  const { agreed = [], ...others } = options;
  const book = new ReportBook(new Set(agreed));
  const records = [
    ...convertedRecords({
      network: networkOf(content),
      report: book,
      sealer: openSealer,
      nowMs,
      sessions: 'keep',
      sessionTimeoutMs: 30 * 60_000,
      authorities: [],
      ...others,
    }),
  ];
  const store = loaded(records);
  return {
    records,
    record: (kind, id) => records.find((one) => one.kind === kind && one.record.id === id)?.record,
    book,
    report: book.json,
    store,
  };
}

/** Writes and reads the records as a snapshot does, and checks each. */
function loaded(records: readonly ConvertedRecord[]): Store {
  const store = detachedStore(new SimulatedClock());
  for (const { kind: name, record } of records) {
    const codec = kinds.find(({ kind }) => kind === name)?.codec;
    if (codec === undefined) throw new Error(`no kind ${name}`);
    const values: unknown = JSON.parse(JSON.stringify(codec.encode(record)));
    if (!Array.isArray(values)) throw new Error('no values');
    store.load({ kind: name, id: record.id, lsn: 1, version: codec.version, values });
  }
  const checks = new RecordChecks(kinds, store);
  for (const { kind } of kinds) {
    for (const row of store.tableNamed(kind).all()) {
      const [finding] = checks.of(kind, row);
      if (finding === undefined) continue;
      throw new Error(`${kind} ${row.id}: ${finding.field} ${finding.description}`);
    }
  }
  return store;
}

/** The report about one bucket. */
export function reportOn({ report }: Pick<Converted, 'report'>, bucket: string): BucketReport {
  const found = report.buckets.find((one) => one.bucket === bucket);
  if (found === undefined) throw new Error(`the report does not mention ${bucket}`);
  return found;
}

/** Remarks about a bucket, as `id: sentence`. */
export function remarksOn(
  { report }: Pick<Converted, 'report'>,
  bucket: string,
  sort: 'leftOut' | 'changed' | 'kept' | 'damaged',
): string[] {
  const found = report.buckets.find((one) => one.bucket === bucket);
  return (found?.[`${sort}Remarks`].shown ?? []).map(({ id, text: said }) => `${id}: ${said}`);
}

/** An identity with the fields that every one has. */
export function identity(name: string, fields: PeerValues = {}): PeerValues {
  return entity({
    name: text(name),
    type: text('Default'),
    authPolicyId: text('default'),
    isAdmin: flag(false),
    isDefaultAdmin: flag(false),
    roleAttributes: map({}),
    ...fields,
  });
}

/** A service of schema 48. */
export function service(name: string, fields: PeerValues = {}): PeerValues {
  return entity({
    name: text(name),
    terminatorStrategy: text('smartrouting'),
    encryptionRequired: flag(true),
    isFabricOnly: flag(false),
    ...fields,
  });
}

/** An edge router that is not verified. */
export function edgeRouter(name: string, fields: PeerValues = {}): PeerValues {
  return entity({
    name: text(name),
    edge: map({ isVerified: flag(false), isTunnelerEnabled: flag(false) }),
    ...fields,
  });
}

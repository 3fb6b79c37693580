// How entities of the peer become records of a home.

import type { X509Certificate } from 'node:crypto';
import type { Fields } from '../../declare/kinds/field.ts';
import type { Kind, RecordOf } from '../../declare/kinds/kind.ts';
import type { RecordBase, Sealer } from '../../store/record.ts';
import type { PeerEntity, PeerNetwork } from '../peer/entity.ts';
import type { LeaveOut, ReportWriter } from '../report.ts';
import type { FoundRecords } from './found.ts';
import type { LeftOut } from './left-out.ts';
import type { EntityNotes } from './notes.ts';

/** A record of a home, before it is encoded. */
export interface ConvertedRecord {
  /** The kind of the record, such as `identity`. */
  readonly kind: string;
  /** All its values. */
  readonly record: RecordBase & Readonly<Record<string, unknown>>;
}

/** What a migration of the network's data is about. */
export interface ConversionOptions {
  readonly network: PeerNetwork;
  readonly report: ReportWriter;
  readonly sealer: Sealer;
  /** The time of the migration, in ms since the Unix epoch. */
  readonly nowMs: number;
  /** `by-age` keeps them unless the peer stopped more than a day ago. */
  readonly sessions: 'keep' | 'drop' | 'by-age';
  /** How long an API session of the peer may be idle, in ms. */
  readonly sessionTimeoutMs: number;
  /** The CAs of the network, with which older schemas do not say who issued a certificate. */
  readonly authorities: readonly X509Certificate[];
}

/** What a conversion may use. */
export interface ConversionContext extends ConversionOptions {
  /** What the conversions before it took over. */
  readonly found: FoundRecords;
  /** Whether a record is in the home, or will be. */
  has(kind: string, id: string): boolean;
}

/** Values of a record. Absent ones get the fallbacks of the kind, or what all entities share. */
export type Values<F extends Fields> = Partial<Omit<RecordOf<F>, 'id'>>;

/** The conversion of the entities of one bucket. */
export interface Conversion<F extends Fields = Fields> {
  /** The bucket of the peer, such as `identities`. */
  readonly bucket: string;
  readonly kind: Kind<F>;
  /** Fields that follow from others; ours computes them again. */
  readonly derived: readonly string[];
  /** What a second record with a key of the kind stops for, where that is not `duplicate-key`. */
  readonly stops?: Readonly<Record<string, LeaveOut>>;
  /** The field with the time of creation, where it is not `createdAt`. */
  readonly createdAt?: string;
  /**
   * The values of the record that an entity becomes.
   * @throws SourceDamaged for content that cannot be read
   */
  convert(entity: PeerEntity, context: ConversionContext, notes: EntityNotes): Values<F> | LeftOut;
  /** Notes what later conversions ask about a record that is in the home. */
  taken?(record: RecordOf<F>, found: FoundRecords): void;
}

/** Declares a conversion. */
export function defineConversion<F extends Fields>(conversion: Conversion<F>): Conversion<F> {
  return conversion;
}

// What a migration took over, changed and left out, for people and programs.

/** How many entities of one bucket were read, and what became of them. */
export interface BucketCounts {
  readonly read: number;
  readonly taken: number;
  readonly leftOut: number;
  readonly changed: number;
}

/** One entity, or one field of it, that was changed or left out. */
export interface Remark {
  /** The bucket of the peer, such as `identities`. */
  readonly bucket: string;
  readonly id: string;
  /** Its name, if it has one. */
  readonly name?: string | undefined;
  /** A sentence that says what was changed or left out, and why. It holds no secret. */
  readonly text: string;
}

/** What `--leave-out` may name: each of these stops a migration until the operator agrees. */
export const leaveOuts = [
  'fabric-only',
  'external-keys',
  'second-authenticator',
  'duplicate-key',
  'access-difference',
  'administrator',
  'newer-schema',
] as const;

/** One of `leaveOuts`. */
export type LeaveOut = (typeof leaveOuts)[number];

/** A reason why a migration stops. */
export interface Stop {
  readonly what: LeaveOut;
  /** A sentence. */
  readonly text: string;
}

/** Collects the report while the source is converted. */
export interface ReportWriter {
  /** One entity was read. */
  read(bucket: string): void;
  /** One entity was taken over. */
  taken(bucket: string): void;
  /** One entity was left out, with the reason. */
  leftOut(remark: Remark): void;
  /**
   * One entity was taken over with a change. Several changes of one entity count once if they come
   * one after the other.
   */
  changed(remark: Remark): void;
  /** One entity was taken over as it is, although ours would refuse it at a write. */
  kept(remark: Remark): void;
  /** One entity holds content that cannot be read, so the migration fails. */
  damaged(remark: Remark): void;
  /** A bucket is known, and its entities are not taken over for a reason that is a sentence. */
  passed(bucket: string, entities: number, reason: string): void;
  /** A field that says something has no place in a home, or is cut; it is only counted. */
  dropped(bucket: string, field: string): void;
  /**
   * The moment of the peer's stop, which is the time of the newest change in its database, in ms
   * since the Unix epoch; and whether API sessions that were alive then are kept.
   */
  stopped(stoppedAtMs: number, areSessionsKept: boolean): void;
  /**
   * Nobody knows the bucket, or the field of an entity in it.
   * @param field a path such as `edge.newField`; absent for the bucket itself
   */
  unknown(bucket: string, field?: string): void;
  /**
   * Something cannot be taken over.
   * @returns whether the operator agreed to leave it out. The conversion goes on in both cases, so
   *   that one report names everything
   */
  stop(stop: Stop): boolean;
}

/** Remarks of one bucket: the first ones in full, the others as a number. */
export interface RemarkList {
  readonly shown: readonly Omit<Remark, 'bucket'>[];
  readonly furtherCount: number;
}

/** What the report says about one bucket of the peer. */
export interface BucketReport extends BucketCounts {
  readonly bucket: string;
  /** Why none of its entities was taken over, if that is so by intention. */
  readonly reason?: string;
  readonly leftOutRemarks: RemarkList;
  readonly changedRemarks: RemarkList;
  readonly keptRemarks: RemarkList;
  readonly damagedRemarks: RemarkList;
  /** How often a field that says something was cut or dropped, by the name of the field. */
  readonly droppedFields: Readonly<Record<string, number>>;
  /** How often a field that nobody knows was found, by its path. */
  readonly unknownFields: Readonly<Record<string, number>>;
}

/** One of `leaveOuts` that came up. */
export interface StopReport {
  readonly what: LeaveOut;
  readonly isAgreed: boolean;
  readonly shown: readonly string[];
  readonly furtherCount: number;
}

/** The part of a report that the conversion writes, as JSON. */
export interface ConversionReport {
  /** As `ReportWriter.stopped`; absent for a conversion that did not come so far. */
  readonly stopped?: { readonly atMs: number; readonly areSessionsKept: boolean };
  readonly buckets: readonly BucketReport[];
  /** Buckets that nobody knows, and whether there are more of them than are shown. */
  readonly unknownBuckets: { readonly shown: readonly string[]; readonly furtherCount: number };
  readonly stops: readonly StopReport[];
}

// One entity of the peer's database, read field by field. It notes which fields were read, so that
// none is passed over in silence.

/** What a nested map or list of the peer may hold, as JSON shows it. */
export type PeerJson =
  | string
  | number
  | boolean
  | null
  | readonly PeerJson[]
  | { readonly [name: string]: PeerJson };

/**
 * The fields of one entity, or of a bucket below it. Every reading method notes its field, and
 * throws SourceDamaged, with the path of the field, if the value is of another type. A field that
 * is absent or nil is undefined, and an absent set, map or list is empty.
 */
export interface PeerFields {
  text(field: string): string | undefined;
  flag(field: string): boolean;
  /** An int32 or int64 that JavaScript holds exactly. */
  integer(field: string): number | undefined;
  /** A time in ms since the Unix epoch; what is finer is cut off. The zero time is undefined. */
  time(field: string): number | undefined;
  /** Bytes without a type byte, such as an `instanceSecret`. They are the caller's own. */
  bytes(field: string): Buffer | undefined;
  /** Bytes without a type byte by whole numbers, as `peerData` has them; empty if it is absent. */
  numbered(field: string): ReadonlyMap<number, Buffer>;
  /** The keys of a set, in the order of the file. */
  set(field: string): string[];
  /**
   * A map of typed values, nested maps and lists included; times in it are ISO 8601. A name may be
   * `__proto__`, which is a property like any other, as in what JSON.parse returns.
   */
  map(field: string): Readonly<Record<string, PeerJson>>;
  /** A list of typed values. */
  list(field: string): readonly PeerJson[];
  /**
   * The bucket under a field, whose fields count as fields of this entity, with a path. It is the
   * same at each call.
   */
  below(field: string): PeerFields | undefined;
  /** The names of the buckets and values here, without noting any of them as read. */
  names(): string[];
  /** Notes fields that are known and have no place; each with everything below it. */
  pass(...fields: readonly string[]): void;
  /** Paths of the fields that nobody has read or passed, such as `edge.newField`. */
  unread(): string[];
}

/** One entity of the peer. */
export interface PeerEntity extends PeerFields {
  /** The name of its bucket, such as `identities`. */
  readonly kind: string;
  readonly id: string;
}

/** The database of the peer, entity by entity. */
export interface PeerNetwork {
  /** The version of its schema, such as 48. */
  readonly schema: number;
  /** Names of all that stands below `ziti`, in the order of the file. */
  readonly kinds: readonly string[];
  /** Names of all that stands at the root of the file; `meta` and `ziti` belong there. */
  readonly roots: readonly string[];
  /** The id of the history that the database belongs to, if it names one. */
  readonly timelineId: string | undefined;
  /**
   * The entities of a kind, in the order of their ids; none if there is no such bucket. Each time
   * they are read from the file, and each time nothing of them is noted as read.
   * @throws SourceDamaged while they are walked through, as do all methods
   */
  entities(kind: string): Iterable<PeerEntity>;
  /** One entity; undefined if it is not there. It is read from the file at each call. */
  entity(kind: string, id: string): PeerEntity | undefined;
  /** A bucket below `ziti` that has fields and no entities, such as `metadata` or `versions`. */
  fields(bucket: string): PeerFields | undefined;
}

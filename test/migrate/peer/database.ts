// Databases of the peer for tests: entities of any kind and schema, in the peer's form of values.

import {
  type BoltBucket,
  type BoltLayout,
  type BoltValue,
  boltBucket,
  boltFile,
} from '../bolt/bolt-writer.ts';

/** Fields of an entity, or of a bucket below it. */
export type PeerValues = Readonly<Record<string, BoltValue>>;

/** What a database holds. */
export interface DatabaseContent {
  /** The version of the schema; 48 unless it is given. */
  readonly schema?: number;
  /** Entities by their ids, by the names of their buckets. */
  readonly kinds?: Readonly<Record<string, Readonly<Record<string, PeerValues>>>>;
  /** What else stands below `ziti`, such as `eventualEvents`; it takes precedence. */
  readonly ziti?: PeerValues;
  /** What else stands at the root of the file; it takes precedence. */
  readonly root?: PeerValues;
  readonly timelineId?: string;
  readonly layout?: BoltLayout;
}

/**
 * A file of the peer. Kinds are written as they are given, but for services below schema 47 and
 * config types below 45, which are brought into the form of these schemas (`asOfSchema`).
 */
export function database(content: DatabaseContent = {}): Buffer {
  const schema = content.schema ?? 48;
  const kinds = Object.entries(content.kinds ?? {}).map(
    ([kind, entities]): [string, BoltBucket] => [
      kind,
      boltBucket(
        Object.entries(entities).map(([id, fields]) => [
          id,
          boltBucket(asOfSchema(schema, kind, fields)),
        ]),
      ),
    ],
  );
  return boltFile(
    boltBucket({
      meta: boltBucket({
        resetTimeline: flag(false),
        timelineId: text(content.timelineId ?? 'Xjt_0NgdR'),
      }),
      ziti: boltBucket({
        metadata: boltBucket({ raftIndex: long(652) }),
        versions: boltBucket({ edge: long(schema) }),
        ...Object.fromEntries(kinds),
        ...content.ziti,
      }),
      ...content.root,
    }),
    content.layout,
  );
}

/** Fields of a service that stood in its sub-bucket `edge` below schema 47. */
const edgeFields = new Set(['configs', 'encryptionRequired', 'roleAttributes']);

/**
 * The fields of an entity as an older schema has them: fields of edge services in a sub-bucket,
 * unless the service is fabric-only, and no target of a config type.
 */
export function asOfSchema(schema: number, kind: string, fields: PeerValues): PeerValues {
  if (kind === 'configTypes' && schema < 45) return without(fields, ['target']);
  if (kind !== 'services' || schema >= 47 || 'edge' in fields) return fields;
  const isFabricOnly =
    fields['isFabricOnly'] instanceof Uint8Array && fields['isFabricOnly'][1] === 1;
  const own = without(fields, ['isFabricOnly', ...edgeFields]);
  if (isFabricOnly) return own;
  const edge = Object.entries(fields).filter(([name]) => edgeFields.has(name) || name === 'name');
  return { ...own, edge: boltBucket(Object.fromEntries(edge)) };
}

function without(fields: PeerValues, names: readonly string[]): PeerValues {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The fields that nearly all entities have, and the given ones. */
export function entity(fields: PeerValues): PeerValues {
  return {
    createdAt: time(Date.UTC(2026, 0, 2, 3, 4, 5, 678)),
    updatedAt: time(Date.UTC(2026, 0, 2, 3, 4, 5, 678)),
    isSystem: flag(false),
    tags: map({}),
    ...fields,
  };
}

/** A text. */
export function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(5), Buffer.from(value)]);
}

/** A truth value. */
export function flag(value: boolean): Buffer {
  return Buffer.of(1, value ? 1 : 0);
}

/** An int32. */
export function int(value: number): Buffer {
  const bytes = Buffer.of(2, 0, 0, 0, 0);
  bytes.writeInt32LE(value, 1);
  return bytes;
}

/** An int64. */
export function long(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(9, 3);
  bytes.writeBigInt64LE(BigInt(value), 1);
  return bytes;
}

/** A float64. */
export function float(value: number): Buffer {
  const bytes = Buffer.alloc(9, 4);
  bytes.writeDoubleLE(value, 1);
  return bytes;
}

/** Seconds from the first of January of year 1 to the Unix epoch. */
const epochSeconds = 62_135_596_800n;

/**
 * A time.
 * @param ms since the Unix epoch
 * @param options nanoseconds that are added, and the offset of its zone in minutes; -1 is UTC
 */
export function time(
  ms: number,
  options: { readonly nanoseconds?: number; readonly zoneMinutes?: number } = {},
): Buffer {
  const seconds = Math.floor(ms / 1000);
  const bytes = Buffer.alloc(16);
  bytes.writeUInt8(6, 0);
  bytes.writeUInt8(1, 1);
  bytes.writeBigInt64BE(BigInt(seconds) + epochSeconds, 2);
  bytes.writeInt32BE((ms - seconds * 1000) * 1_000_000 + (options.nanoseconds ?? 0), 10);
  bytes.writeInt16BE(options.zoneMinutes ?? -1, 14);
  return bytes;
}

/** The time that a field has which was never set: the first of January of year 1. */
export function zeroTime(): Buffer {
  return time(-Number(epochSeconds) * 1000);
}

/** A value that is there and says that there is none. */
export function nil(): Buffer {
  return Buffer.of(7);
}

/** Bytes without a type byte, such as an `instanceSecret`. */
export function raw(bytes: string | Uint8Array): Buffer {
  return Buffer.from(bytes);
}

/** A set of texts. */
export function set(values: readonly string[]): BoltBucket {
  return boltBucket(values.map((value) => [text(value), Buffer.alloc(0)]));
}

/** A set of texts that carry a count or an id, such as the stored links of a policy. */
export function counted(values: Readonly<Record<string, Uint8Array>>): BoltBucket {
  return boltBucket(Object.entries(values).map(([value, count]) => [text(value), count]));
}

/** A map of typed values, maps, sets and lists; also the bucket below a field. */
export function map(values: PeerValues): BoltBucket {
  return boltBucket(values);
}

/** The key under which a list keeps its length. */
export const listSizeKey = '__list__size__36484231-110c-4767-afe2-01b6e3db107a';

/** A list of typed values, maps and lists. */
export function list(values: readonly BoltValue[]): BoltBucket {
  return boltBucket([
    ...values.map((value, index): [Buffer, BoltValue] => [int(index), value]),
    [listSizeKey, int(values.length)],
  ]);
}

/** Anything that JSON can say, as the peer stores the data of a config: numbers as float64. */
export function json(value: unknown): BoltValue {
  if (value === null) return nil();
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return float(value);
  if (typeof value === 'boolean') return flag(value);
  if (Array.isArray(value)) return list(value.map(json));
  if (typeof value !== 'object') throw new TypeError(`JSON has no ${typeof value}`);
  return boltBucket(Object.entries(value).map(([name, member]) => [name, json(member)]));
}

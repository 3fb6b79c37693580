// A kind: the stored side of a resource. Its fields give the record's type, its codec and its
// indexes.

import type { DurableMachine } from '../../../machines/machine.ts';
import { ValuePool } from '../../containers/value-pool.ts';
import type { LimitName, Limits } from '../../settings/limits.ts';
import {
  NewerRecord,
  NotFinalized,
  type RecordBase,
  type SealedPlace,
  type Sealer,
} from '../../store/record.ts';
import type { OrderKey } from '../../store/sorted-rows.ts';
import type { RecordCodec, TableOptions } from '../../store/table.ts';
import type { MemberSpace, PolicyFamily } from './access-vocabulary.ts';
import { baseValues, isEmpty, recordKeeper, recordMaker } from './compiled.ts';
import type { Field, Fields, Relation } from './field.ts';
import {
  checkLayout,
  type Downgrade,
  downgradesOf,
  type Migration,
  migrationsOf,
  storedNamesOf,
} from './layout.ts';

/** The record type that fields describe. */
export type RecordOf<F extends Fields> = RecordBase & {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** The values of a new record: its machine sets some, and others may be absent. */
export type NewRecord<F extends Fields> = RecordBase & Partial<RecordOf<F>>;

/** The declaration of a kind without its fields, which have the names `Name`. */
interface KindShape<R, Name extends string> {
  /** Singular, camel case: the name in log, snapshots, links and integrity reports. */
  readonly kind: string;
  /**
   * Version of the record layout, raised by one whenever a field is added, with this version as its
   * `since`, or changes its meaning.
   */
  readonly version: number;
  /** Inverse relations: the names that kinds with a relation to this kind give the inverse. */
  readonly many: readonly string[];
  /**
   * From the values of version n (the key) to those of n + 1; forward only. One that only appends
   * the fallbacks of new fields is derived.
   */
  readonly migrations?: Readonly<Record<number, Migration>>;
  /**
   * From the values of version n (the key) to those of n - 1, while a cluster is upgraded: nodes of
   * the former release read what this one writes until then (behaviour/cluster#formats). One that
   * drops new fields, which only callers set, is derived; it refuses other values than fallbacks.
   */
  readonly downgrades?: Readonly<Record<number, Downgrade>>;
  /**
   * The bound on the number of its records; a further one is refused with 429 `TOO_MANY_RECORDS`.
   */
  readonly recordsMax?: LimitName;
  /**
   * Its records live in memory only: they are neither in the log nor in snapshots, and a restart
   * begins without any. No record of a durable kind may refer to them.
   */
  readonly volatile?: boolean;
  /** Unique keys over several fields. */
  readonly uniqueKeys?: readonly { name: string; key(record: R): string | undefined }[];
  /**
   * Fields that identify a record to people when it has no name. A reference stands for the name of
   * its target.
   */
  readonly calledBy?: readonly Name[];
  /**
   * The machine that its records are actors of, with the events that create and end a record.
   * Without `removes`, no record ever ends.
   */
  readonly machine?: {
    readonly declaration: DurableMachine;
    readonly creates: string;
    readonly removes?: string;
  };
  /**
   * The present name of a state of its machine that an older version of the record, or an event
   * beside it in the log, names otherwise. Any other state keeps its name.
   */
  formerState?(state: string, record: R): string;
  /** How role lists of policies select its records. */
  readonly member?: {
    readonly space: MemberSpace;
    /** The role attributes of a record, or undefined if the record is not a member. */
    attributes(record: R): readonly string[] | undefined;
  };
  /** The kinds that it links, if it is a policy. */
  readonly policy?: {
    readonly family: PolicyFamily;
    readonly sides: Readonly<Partial<Record<MemberSpace, Name>>>;
    type?(record: R): 'Dial' | 'Bind';
  };
}

/** The declaration of a kind. */
export interface KindOptions<F extends Fields> extends KindShape<RecordOf<F>, keyof F & string> {
  readonly fields: F;
}

/** A compiled kind. */
export interface Kind<F extends Fields = Fields> extends KindShape<RecordOf<F>, string> {
  readonly fields: F;
  /** Field names in declared order. */
  readonly fieldNames: readonly string[];
  /** Field names in the order of values on disk: by `since`, then as declared. */
  readonly storedNames: readonly string[];
  /** The fields that records hold in sealed form. */
  readonly sealedFields: readonly string[];
  readonly codec: RecordCodec<RecordOf<F>>;
  readonly table: TableOptions<RecordOf<F>>;
  /** Every relation with its field and the name of its group index. */
  readonly relations: readonly KindRelation[];
}

/** One relation of a kind. */
export interface KindRelation {
  readonly field: string;
  readonly index: string;
  readonly relation: Relation;
}

/** Declares a kind. @throws Error if a field's `since` and the version do not go together */
export function defineKind<F extends Fields>(options: KindOptions<F>): Kind<F> {
  const fieldNames = Object.keys(options.fields) as (keyof F & string)[];
  checkLayout(options);
  const storedNames = storedNamesOf(options.fields);
  const codec = codecOf(options, storedNames);
  const relations = relationsOf(options.fields);
  const table: TableOptions<RecordOf<F>> = {
    kind: options.kind,
    codec,
    unique: [
      ...fieldNames
        .filter((name) => options.fields[name]?.unique)
        .map((name) => ({
          name,
          key: (record: RecordOf<F>) => record[name] as string | undefined,
        })),
      ...(options.uniqueKeys ?? []),
    ],
    groups: [
      ...relations.map(({ field, index, relation }) => ({
        name: index,
        keys: (record: RecordOf<F>) => relation.ids(record[field]),
      })),
      ...fieldNames
        .filter((name) => options.fields[name]?.grouped)
        .map((name) => ({
          name,
          keys: (record: RecordOf<F>) => groupKeyOf(record[name]),
        })),
    ],
    orders: fieldNames
      .filter((name) => options.fields[name]?.ordered)
      .map((name) => ({
        name,
        key: (record: RecordOf<F>) => record[name] as OrderKey,
      })),
    isVolatile: options.volatile ?? false,
  };
  const sealedFields = fieldNames.filter((name) => options.fields[name]?.secret === 'sealed');
  return { ...options, fieldNames, storedNames, sealedFields, codec, table, relations };
}

/** The index key for a value of a grouped field; undefined when the record is not indexed. */
function groupKeyOf(value: unknown): string | undefined {
  if (value === true || (Array.isArray(value) && value.length > 0)) return 'true';
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The maximum number of records of each kind that has a bound, for `StoreOptions.recordsMax`. */
export function recordsMaxOf(
  kinds: readonly Pick<Kind, 'kind' | 'recordsMax'>[],
  limits: Limits,
): ReadonlyMap<string, number> {
  return new Map(
    kinds.flatMap(({ kind, recordsMax }) =>
      recordsMax === undefined ? [] : [[kind, limits[recordsMax]]],
    ),
  );
}

function relationsOf(fields: Fields): KindRelation[] {
  return Object.entries(fields).flatMap(([field, { relations }]) =>
    relations.map((relation, position) => ({
      field,
      index: position === 0 ? field : `${field}:${relation.kind}`,
      relation,
    })),
  );
}

function codecOf<F extends Fields>(
  options: KindOptions<F>,
  names: readonly string[],
): RecordCodec<RecordOf<F>> {
  const { kind, version } = options;
  const migrations = migrationsOf(options);
  const downgrades = downgradesOf(options);
  let oldestWritten = version;
  while (downgrades[oldestWritten] !== undefined) oldestWritten -= 1;
  const pools = names.map((name) => {
    const { unique, secret } = options.fields[name] as Field;
    return new ValuePool({ keeps: !unique && !secret });
  });
  const make = recordMaker(pools, names);
  const keep = recordKeeper(pools, names);
  return {
    version,
    oldestWritten,
    encode(record, at = version) {
      let values: unknown[] = new Array(baseValues + names.length);
      values[0] = record.createdAt;
      values[1] = record.updatedAt;
      values[2] = isEmpty(record.tags) ? null : record.tags;
      values[3] = record.isSystem ?? null;
      for (let i = 0; i < names.length; i++) {
        values[baseValues + i] = record[names[i] as string] ?? null;
      }
      for (let v = version; v > at; v--) {
        const older = downgrades[v]?.(values);
        if (older === undefined) throw new NotFinalized(kind, at);
        values = older;
      }
      return values;
    },
    decode(id, storedVersion, stored, sealer) {
      if (storedVersion > version) {
        throw new NewerRecord(`${kind} records of version ${storedVersion}, newer than ${version}`);
      }
      let values = stored as unknown[];
      const seal = (field: string, plain: string) => sealed(sealer, { kind, id, field }, plain);
      for (let v = storedVersion; v < version; v++) {
        values = migrations[v]?.(values, seal) ?? values;
      }
      return make(id, values) as RecordOf<F>;
    },
    compact: (record) => keep(record) as RecordOf<F>,
  };
}

/** @throws Error without a sealer: what was kept in clear must not be lost in silence. */
function sealed(sealer: Sealer | undefined, place: SealedPlace, plain: string): string {
  if (sealer !== undefined) return sealer.seal(Buffer.from(plain), place);
  throw new Error(`${place.field} of ${place.kind} ${place.id} cannot be sealed here`);
}

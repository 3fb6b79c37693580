// Field types: the declaration of one field, and everything that is derived from it.

import Type, { type Static, type TSchema } from 'typebox';
import type { TokenHash } from '../../platform/ids.ts';
import { plainTextFormat } from '../resources/plain-text.ts';

/** Types of filter symbols (behaviour/filters#symbols). */
export type SymbolType = 'string' | 'integer' | 'boolean' | 'datetime' | 'hashed' | 'set' | 'map';

/** The effect on the referring record when its target is deleted. */
export type OnDelete =
  /** It is deleted too. */
  | 'cascade'
  /** The deletion is refused while such a record exists. */
  | 'refuse'
  /** The reference is removed from it. */
  | 'strip';

/** How a field refers to records of another kind. */
export interface Relation<T = unknown> {
  readonly kind: string;
  /** The name that the other kind declares for the inverse relation. */
  readonly inverse: string;
  readonly onDelete: OnDelete;
  /** Status of the refusal, where the specification differs from 409 (behaviour/errors). */
  readonly refusedStatus?: number;
  /** Whether it may refer to records that the edge APIs do not show (`Resource.without`). */
  readonly takesHidden?: boolean;
  /** The ids that a value refers to: none for an empty value; a text is the id itself. */
  ids(value: T): string | readonly string[] | undefined;
  /** The value without `id`. Used only for `strip`. */
  strip(value: T, id: string): T;
}

/** One field of a record. `T` is what a record holds, undefined where it may be absent. */
export interface Field<T = unknown> {
  /** The version of its kind that appended it; 1 for those from the beginning. */
  readonly since: number;
  /** Its name in bodies and answers of a resource that calls it otherwise (`Resource.amended`). */
  readonly as?: string;
  /** JSON schema of the field in bodies. */
  readonly schema: TSchema;
  /** JSON schema of the field in answers, where it differs. */
  readonly answerSchema: TSchema | undefined;
  /** Whether callers may set it: always, only at creation, or never. */
  readonly write: 'always' | 'create' | 'never';
  /** Whether create and put bodies require it. */
  readonly required: boolean;
  /**
   * Whether null in a body is a value: it leaves the field unset. `whole`: only in bodies of create
   * and put. Otherwise null means "absent".
   */
  readonly nullable: boolean | 'whole';
  /** Whether an empty text in a patch means "absent". On create and put `fromJson` reads it. */
  readonly blankIsAbsent: boolean;
  /** The value on create and put when the body lacks the field (behaviour/records#put). */
  readonly fallback: T;
  /** In answers: always (null when unset), only when set, or never. */
  readonly show: 'always' | 'present' | 'never';
  /**
   * Secrets are masked in the log command, the inspector and the audit feed. For a `sealed` field,
   * records hold a text that only the sealing key of the home opens
   * (`src/auth/sealing/sealing.ts`).
   */
  readonly secret: boolean | 'sealed';
  readonly unique: boolean;
  /**
   * Records are found by it through a group index of the field's name: by its text, or by `true`
   * for a flag that is set and for a list that is not empty.
   */
  readonly grouped: boolean;
  /** Lists can be ordered by it without sorting; an order is kept once it is requested. */
  readonly ordered: boolean;
  readonly symbol: SymbolType | undefined;
  readonly relations: readonly Relation<T>[];
  /** From the body's JSON to the record's value. */
  fromJson(json: unknown): T;
  /** From the record's value to the answer's JSON. */
  toJson(value: T): unknown;
  /** Merges a patch's value into the stored one; replaces it by default. */
  merge(stored: T, patch: T): T;
}

/** Fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** Options of a field's builder; all have sensible defaults. */
export type FieldOptions<T, J = T> = Partial<Omit<Field<T>, 'schema' | 'fromJson'>> & {
  /** `J` is the type of the JSON that the schema lets through. */
  fromJson?(json: J): T;
};

/** The version that appended a field, for builders without further options. */
type Since = Partial<Pick<Field, 'since'>>;

/** A field that every record of its kind has. */
export function field<S extends TSchema, O extends FieldOptions<Static<S>>>(
  schema: S,
  options: O & ({ readonly required: true } | { readonly fallback: Static<S> }),
): Field<Static<S>> {
  return build<Static<S>>(schema, options);
}

/** A field that a record may lack. */
export function optional<S extends TSchema>(
  schema: S,
  options: FieldOptions<Static<S> | undefined, Static<S>> = {},
): Field<Static<S> | undefined> {
  return build<Static<S> | undefined, Static<S>>(schema, options);
}

/**
 * A name: 1 to 1000 characters of plain text, unique over its kind (behaviour/records#uniqueness).
 * Names that were stored before the format was required stay as they are.
 */
export function name(options: { readonly unique?: boolean } = {}): Field<string> {
  const bounds = { minLength: 1, maxLength: 1000, pattern: '\\S' };
  return build<string>(Type.String({ ...bounds, format: plainTextFormat }), {
    required: true,
    unique: options.unique ?? true,
    ordered: true,
    symbol: 'string',
  });
}

/** A moment, kept as ms since the epoch and shown as RFC 3339 in UTC (behaviour/answers#times). */
export function time(
  options: FieldOptions<number | undefined, string> = {},
): Field<number | undefined> {
  return build<number | undefined, string>(Type.String({ format: 'date-time' }), {
    symbol: 'datetime',
    fromJson: (json) => Date.parse(json),
    toJson: (ms) => (ms === undefined ? undefined : new Date(ms).toISOString()),
    ...options,
  });
}

/** A secret that is stored sealed. Views that show it open it. */
export function sealed(options: Since = {}): Field<string> {
  return build<string>(Type.String(), {
    ...options,
    required: true,
    write: 'never',
    show: 'never',
    secret: 'sealed',
  });
}

/** As `sealed`, for records that may lack the secret. */
export function sealedIfAny(options: Since = {}): Field<string | undefined> {
  return { ...sealed(options), required: false, fallback: undefined };
}

/** The hash of a token, by which its record is found, also by a filter with the whole token. */
export function tokenHashField(options: Since = {}): Field<TokenHash> {
  return build<TokenHash>(Type.String(), {
    ...options,
    required: true,
    write: 'never',
    show: 'never',
    unique: true,
    secret: true,
    symbol: 'hashed',
  });
}

/** As `tokenHashField`, for records that may lack the token. */
export function optionalTokenHash(options: Since = {}): Field<TokenHash | undefined> {
  return { ...tokenHashField(options), required: false, fallback: undefined };
}

/** How a reference behaves; see `Relation`. */
export type ReferenceOptions<T> = FieldOptions<T> &
  Pick<Relation, 'inverse' | 'onDelete' | 'refusedStatus' | 'takesHidden'>;

const idSchema = Type.String({ minLength: 1, maxLength: 200 });

/** The id of a record of another kind, always present. */
export function reference(kind: string, options: ReferenceOptions<string>): Field<string> {
  // A blank text means the fallback, if there is one (behaviour/records#blank-references).
  const schema = options.fallback === undefined ? idSchema : Type.String({ maxLength: 200 });
  return build<string>(schema, {
    symbol: 'string',
    required: options.fallback === undefined,
    ...options,
    relations: [{ kind, ...behaviour(options), ids: (value) => value, strip: (value) => value }],
  });
}

/** One of several words; an empty text counts as absent, because clients send it for "unset". */
export function choice<V extends string>(
  words: readonly V[],
  fallback: NoInfer<V>,
  options: Since = {},
): Field<V> {
  return build<V, V | ''>(Type.Enum([...words, '']), {
    ...options,
    fallback,
    blankIsAbsent: true,
    answerSchema: Type.Enum([...words]),
    fromJson: (json) => (json === '' ? fallback : json),
  });
}

/** The id of a record of another kind, or nothing. */
export function optionalReference(
  kind: string,
  options: ReferenceOptions<string | undefined>,
): Field<string | undefined> {
  return build<string | undefined>(Type.String({ maxLength: 200 }), {
    symbol: 'string',
    fromJson: (json) => (json === '' ? undefined : json),
    ...options,
    relations: [{ kind, ...behaviour(options), ids: (value) => value, strip: () => undefined }],
  });
}

/** A set of ids of another kind, or nothing if it was never set. */
export function references(kind: string, options: ReferenceOptions<List>): Field<List> {
  return build<List, readonly string[]>(Type.Array(idSchema), {
    ...shownUnset,
    fromJson: (json) => [...new Set(json)],
    ...options,
    relations: [
      {
        kind,
        ...behaviour(options),
        ids: (value) => value,
        strip: (value, id) => value?.filter((other) => other !== id),
      },
    ],
  });
}

/** A list that a record lacks until it is set, be it to an empty list. */
export type List = readonly string[] | undefined;

/**
 * Clients compare what they sent with the answer, so a list that was never set is null there and no
 * empty list (behaviour/records#lists-that-were-never-set).
 */
const shownUnset = { symbol: 'set', show: 'always', nullable: 'whole' } as const;

function behaviour<T>(options: ReferenceOptions<T>) {
  const { inverse, onDelete, refusedStatus, takesHidden = false } = options;
  return {
    inverse,
    onDelete,
    takesHidden,
    ...(refusedStatus === undefined ? {} : { refusedStatus }),
  };
}

/** One role, or one role attribute. */
const roleSchema = Type.String({ maxLength: 1000, format: plainTextFormat });

/** A role list of a policy (behaviour/policies): `#attribute`, `@id`, `#all`; stored sorted. */
export function roles(
  kind: string,
  { inverse, ...options }: Since & { readonly inverse: string },
): Field<List> {
  return build<List, readonly string[]>(Type.Array(roleSchema), {
    ...shownUnset,
    ...options,
    fromJson: sortedSet,
    relations: [
      {
        kind,
        inverse,
        onDelete: 'strip',
        ids: (value) => value?.filter((role) => role.startsWith('@')).map((role) => role.slice(1)),
        strip: (value, id) => value?.filter((role) => role !== `@${id}`),
      },
    ],
  });
}

/** Role attributes of an entity (behaviour/policies#attributes): bare words, stored sorted. */
export function attributes(options: Since = {}): Field<readonly string[]> {
  return build<readonly string[]>(Type.Array(roleSchema), {
    ...options,
    symbol: 'set',
    fallback: [],
    fromJson: sortedSet,
    answerSchema: Type.Array(Type.String()),
  });
}

/** Like `attributes`, but a record lacks them until they are set. */
export function optionalAttributes(
  options: Since & { readonly required?: boolean } = {},
): Field<List> {
  return build<List, readonly string[]>(Type.Array(roleSchema), {
    ...shownUnset,
    fromJson: sortedSet,
    answerSchema: Type.Array(Type.String()),
    ...options,
  });
}

const sortedSet = (json: readonly string[]): string[] => [...new Set(json)].sort();

function build<T, J = T>(schema: TSchema, options: FieldOptions<T, J>): Field<T> {
  return {
    since: options.since ?? 1,
    schema,
    answerSchema: options.answerSchema,
    write: options.write ?? 'always',
    required: options.required ?? false,
    nullable: options.nullable ?? false,
    blankIsAbsent: options.blankIsAbsent ?? false,
    fallback: options.fallback as T,
    show:
      options.show ?? (options.required || options.fallback !== undefined ? 'always' : 'present'),
    secret: options.secret ?? false,
    unique: options.unique ?? false,
    grouped: options.grouped ?? false,
    ordered: options.ordered ?? false,
    symbol: options.symbol,
    relations: options.relations ?? [],
    fromJson: options.fromJson ?? ((json) => json as T),
    toJson: options.toJson ?? ((value) => value),
    merge: options.merge ?? ((_stored, patch) => patch),
  };
}

// A resource: one kind's face in the APIs. Everything mechanical derives from this declaration at
// boot.

import type { TSchema } from 'typebox';
import type { Budget, IndexPath, Scalar, ValueType } from '../filter/contract.ts';
import type { Row } from '../store/record.ts';
import type { Inputs, Variants } from './bodies.ts';
import type { Environment } from './environment.ts';
import type { Fields } from './field.ts';
import type { Kind, RecordOf } from './kind.ts';
import type { Access, ApiName, Context, Operation } from './operation.ts';
import type { Joined, ViewOptions } from './view.ts';

/** The operations every resource may have without saying more than that it has them. */
export type Verb = 'list' | 'get' | 'create' | 'update' | 'patch' | 'delete';

/** Field values while a record is being made or changed; hooks may set any of them. */
export type Draft<F extends Fields> = {
  -readonly [K in keyof RecordOf<F>]: RecordOf<F>[K];
};

/** A body after it was checked: the properties it holds, nulls taken out. */
export type Body = Readonly<Record<string, unknown>>;

/** Query parameters by which the same records look different. */
export interface Lens {
  readonly query: Readonly<Record<string, TSchema>>;
  /** Reads them before anything is shown. @throws ApiError for what is not valid. */
  apply(context: Context): void;
}

/** How a symbol is read: from the field that this names, or by a function of the record. */
export type Reading<R> =
  | string
  | {
      readonly type: ValueType;
      /** Undefined: missing. */
      read(record: R, env: Environment): Scalar | undefined;
      /** Steps of the budget for filters that a read takes, where it is more than a look. */
      readonly steps?: number;
      /** Finds records by equality. */
      readonly index?: IndexPath<Row, Environment>;
      /** It rests on the record and on nothing else. */
      readonly isOwn?: boolean;
    }
  | {
      readonly type: ValueType;
      readAll(record: R, env: Environment): readonly Scalar[];
    };

/** How many rows belong to a row, as `LinkedSet.count` of the filter language. */
export type RowCounter = (
  row: Row,
  env: Environment,
  budget: Budget,
  enough: number,
) => number | undefined;

/** A set of rows that no relation gives, such as the services that an identity may dial. */
export interface LinkedSlots {
  /** Kind of the rows. */
  readonly kind: string;
  /** Further kinds whose records decide which they are. */
  readonly restsOn: readonly string[];
  /** Worked out while they are read, each spent before. */
  slots(row: Row, env: Environment, budget: Budget): Iterable<number>;
  readonly count: RowCounter;
}

/** What a resource declares. */
export interface ResourceOptions<F extends Fields, Prepared = unknown> {
  readonly kind: Kind<F>;
  /** Plural path segment. */
  readonly path: string;
  /** In words, for messages: `edge router`. */
  readonly title: string;
  /** For operation ids: `EdgeRouter`, `EdgeRouters`. */
  readonly names: { readonly one: string; readonly many: string };
  /** Which records of the kind belong to this resource, where several share one kind. */
  readonly where?: (record: RecordOf<F>) => boolean;
  readonly verbs: Partial<Readonly<Record<ApiName, readonly Verb[]>>>;
  /** Who may, where it is not the administrator alone. */
  readonly access?: Partial<Readonly<Record<Verb, Access>>>;
  /** Body properties that are no fields of the record. */
  readonly inputs?: {
    readonly create?: Inputs;
    readonly update?: Inputs;
    readonly patch?: Inputs;
  };
  /** Fields that callers may set here, where it is not all that the kind lets them set. */
  readonly takes?: readonly (keyof F & string)[];
  /** How bodies differ by type, where they do. */
  readonly variants?: Variants;
  readonly links?: Readonly<Record<string, string>>;
  readonly linksOf?: ViewOptions<RecordOf<F>>['linksOf'];
  readonly joined?: Readonly<Record<string, Joined<RecordOf<F>>>>;
  readonly hidden?: readonly string[];
  /** What a request for a list or for one record may say of how records are shown. */
  readonly lens?: Lens;
  /**
   * Public filter symbols (behaviour/filters#symbols), answered as `filterableFields`: fields by
   * their names (a reference also without its `Id`), properties within them
   * (`primary.cert.allowed`), sets of ways back, and whatever `readings` say.
   */
  readonly symbols?: readonly string[];
  /** How symbols are read that are no fields of the same name. */
  readonly readings?: Readonly<Record<string, Reading<RecordOf<F>>>>;
  /** What `from` may follow beside the relations of the kinds, by its name in filters. */
  readonly linkedSets?: Readonly<Record<string, LinkedSlots>>;
  /** Callers may change the records that the controller itself made. */
  readonly systemIsEditable?: boolean;
  /** Deletion may be refused with 409 (behaviour/records#conflicts). */
  readonly deleteConflicts?: boolean;
  /** Checks and completes a draft before it is written. @throws ApiError to refuse. */
  readonly check?: (
    context: Context,
    draft: Draft<F>,
    body: Body,
    stored: RecordOf<F> | undefined,
  ) => void;
  /**
   * What a record with this id has to wait for before it is created; undefined for nothing. Never
   * writes.
   */
  readonly prepare?: (context: Context, id: string, body: Body) => Promise<Prepared> | undefined;
  /**
   * Writes what belongs to a record that was just written; `prepared` is what `prepare` came to.
   */
  readonly written?: (
    context: Context,
    record: RecordOf<F>,
    body: Body,
    stored: RecordOf<F> | undefined,
    prepared: Prepared | undefined,
  ) => void;
  /** Refuses a deletion, or writes what goes with it beyond the cascades. */
  readonly removing?: (context: Context, record: RecordOf<F>) => void;
  readonly operations?: readonly Operation[];
  /** A body for create, for documentation and tests. */
  readonly example?: Body;
}

/** A declared resource. */
export interface Resource<F extends Fields = Fields> extends ResourceOptions<F> {
  readonly answerSchema: TSchema;
  /** The fields of the kind as callers may set them here. */
  readonly fields: Fields;
}

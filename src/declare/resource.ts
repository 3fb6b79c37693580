// A resource: one kind's face in the APIs. Everything mechanical derives from this declaration at
// boot.

import type { TSchema } from 'typebox';
import type { Inputs } from './bodies.ts';
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

/** What a resource declares. */
export interface ResourceOptions<F extends Fields> {
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
  readonly links?: Readonly<Record<string, string>>;
  readonly linksOf?: ViewOptions<RecordOf<F>>['linksOf'];
  readonly joined?: Readonly<Record<string, Joined<RecordOf<F>>>>;
  readonly hidden?: readonly string[];
  /** Public filter symbols (behaviour Appendix B), answered as `filterableFields`. */
  readonly symbols?: readonly string[];
  /** Callers may change the records that the controller itself made. */
  readonly systemIsEditable?: boolean;
  /** Deletion may be refused with 409 (spec/2). */
  readonly deleteConflicts?: boolean;
  /** Checks and completes a draft before it is written. @throws ApiError to refuse. */
  readonly check?: (
    context: Context,
    draft: Draft<F>,
    body: Body,
    stored: RecordOf<F> | undefined,
  ) => void;
  /** Writes what belongs to a record that was just written. */
  readonly written?: (
    context: Context,
    record: RecordOf<F>,
    body: Body,
    stored: RecordOf<F> | undefined,
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
}

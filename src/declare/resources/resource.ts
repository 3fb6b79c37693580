// A resource: how one kind appears in the APIs. Everything mechanical is derived from this
// declaration at boot.

import type { TSchema } from 'typebox';
import type { RecordBase } from '../../store/record.ts';
import type { Field, Fields } from '../kinds/field.ts';
import type { Kind, RecordOf } from '../kinds/kind.ts';
import type { ApiName } from '../operations/apis.ts';
import type { Environment } from '../operations/environment.ts';
import type { Access, Answered, Context, Operation } from '../operations/operation.ts';
import type { LinkedSlots, SymbolSource } from '../symbols/symbol-sources.ts';
import type { Inputs, Variants } from './bodies.ts';
import type { NeededPermission } from './permission-names.ts';

/** The standard operations, which a resource only has to list. */
export type Verb = 'list' | 'get' | 'create' | 'update' | 'patch' | 'delete';

/** Field values while a record is being created or changed; hooks may set any of them. */
export type Draft<R extends RecordBase> = { -readonly [K in keyof R]: R[K] };

/** A checked body: its properties, with null only where its schema allows it. */
export type Body = Readonly<Record<string, unknown>>;

/** How a field of a kind differs in one resource. */
export type Amendment = Partial<
  Pick<
    Field,
    'as' | 'write' | 'show' | 'required' | 'schema' | 'answerSchema' | 'fromJson' | 'toJson'
  >
>;

/** Query parameters that change how records are shown. */
export interface ViewOptions<Env extends Environment = Environment> {
  readonly query: Readonly<Record<string, TSchema>>;
  /** Reads them before any record is shown. @throws ApiError for an invalid value. */
  apply(context: Context<unknown, Env>): void;
}

/** A field of an answer that depends on more than the record itself. */
export interface Joined<R, Env extends Environment = Environment> {
  readonly schema: TSchema;
  /** Of a field that may show a secret: the only text that views keep. An empty one is none. */
  readonly keptText?: string;
  /** JSON text, or undefined to leave the field out. */
  text(record: R, context: Context<unknown, Env>): string | undefined;
}

/**
 * The declaration of a resource, whose records are `R` with fields of the names `Name`, and whose
 * functions may use `Env` of the controller.
 */
interface ResourceShape<
  R extends RecordBase,
  Name extends string,
  Prepared,
  Env extends Environment,
> {
  /** Plural path segment. */
  readonly path: string;
  /** In words, for messages: `edge router`. */
  readonly title: string;
  /** For operation ids: `EdgeRouter`, `EdgeRouters`. */
  readonly names: { readonly one: string; readonly many: string };
  /** Selects the records of this resource if several resources share one kind. */
  where?(record: R): boolean;
  /**
   * A grouped flag of the kind, in place of `where`: records with it are not of this resource.
   * Lists take no longer for it while no record has it.
   */
  readonly without?: string;
  /** Where a cluster answers its lists, and requests for one of its records. */
  readonly answered: Answered;
  readonly verbs: Partial<Readonly<Record<ApiName, readonly Verb[]>>>;
  /** The callers that are allowed, if not only administrators are. */
  readonly access?: Partial<Readonly<Record<Verb, Access>>>;
  /** The permission that opens its operations and lists of its records to other callers. */
  readonly permission?: NeededPermission;
  /** Verbs that no permission opens, each with the cause of the refusal. */
  readonly adminOnly?: Partial<Readonly<Record<Verb, string>>>;
  /** Body properties that are not fields of the record. */
  readonly inputs?: {
    readonly create?: Inputs;
    readonly update?: Inputs;
    readonly patch?: Inputs;
  };
  /** Fields that callers may set here, if fewer than the kind allows. */
  readonly takes?: readonly Name[];
  /** The fields that have another name or form here than in the kind. */
  readonly amended?: Readonly<Partial<Record<Name, Amendment>>>;
  /**
   * The id of a new record, if callers choose it. @throws ApiError for one that is taken.
   */
  idOf?(context: Context<unknown, Env>, body: Body): string;
  /** Whether answers show the id alone of the fields of every entity. */
  readonly isBare?: boolean;
  /** The tags of a record in answers, in place of those that it has. */
  tagsOf?(record: R): Readonly<Record<string, unknown>>;
  /** The bodies by type, if they differ. */
  readonly variants?: Variants;
  /** Further links by name, each with the suffix after the self link, `./<path>/<id>`. */
  readonly links?: Readonly<Record<string, string>>;
  /**
   * Whether a caller who is no administrator may see a record; all of them when absent. Lists leave
   * out what a caller may not see.
   */
  mayShow?(context: Context<unknown, Env>, record: R): boolean;
  /** The complete `_links` of a record, if they depend on it. */
  linksOf?(record: R): Readonly<Record<string, string>>;
  readonly joined?: Readonly<Record<string, Joined<R, Env>>>;
  /** Fields of the kind that answers leave out. */
  readonly hidden?: readonly string[];
  /** Query parameters of lists and of single records that change how records are shown. */
  readonly viewOptions?: ViewOptions<Env>;
  /**
   * Public filter symbols (behaviour/filters#symbols) besides those of every resource, answered as
   * `filterableFields`: fields by their names (a reference also without its `Id`), properties
   * within them (`primary.cert.allowed`), sets of inverse relations, and the names in
   * `symbolSources`. Without this list they are the fields with a symbol that answers show, the
   * names in `symbolSources` and `alsoFiltered`. A view for other callers has a list of its own.
   */
  readonly symbols?: readonly string[];
  /** Those that every resource has, if this one has fewer. */
  readonly baseSymbols?: readonly string[];
  /** Fields with a symbol by which lists cannot be filtered. */
  readonly unfiltered?: readonly Name[];
  /** Further public symbols: properties, sets, and fields that answers do not show as they are. */
  readonly alsoFiltered?: readonly string[];
  /** The sources of symbols that are not fields of the same name. They name the field instead. */
  readonly symbolSources?: Readonly<Record<string, SymbolSource<R, Env>>>;
  /** Sets that `from` may follow besides the relations of the kinds, by name in filters. */
  readonly linkedSets?: Readonly<Record<string, LinkedSlots<Env>>>;
  /** Whether callers may change records that the controller itself created. */
  readonly systemIsEditable?: boolean;
  /** Whether put and patch may be refused with 409. */
  readonly changeConflicts?: boolean;
  /** Whether deletion may be refused with 409 (behaviour/records#conflicts). */
  readonly deleteConflicts?: boolean;
  /** Checks and completes a draft before it is written. @throws ApiError to refuse. */
  check?(context: Context<unknown, Env>, draft: Draft<R>, body: Body, stored: R | undefined): void;
  /**
   * Does the waiting work before a record with this id is created; undefined for none. Never
   * writes.
   */
  prepare?(context: Context<unknown, Env>, id: string, body: Body): Promise<Prepared> | undefined;
  /**
   * Writes the parts that belong to a record that was just written; `prepared` is the result of
   * `prepare`.
   */
  written?(
    context: Context<unknown, Env>,
    record: R,
    body: Body,
    stored: R | undefined,
    prepared: Prepared | undefined,
  ): void;
  /** Refuses a deletion, or makes further writes besides the cascades. */
  removing?(context: Context<unknown, Env>, record: R): void;
  /** An example body for create, for documentation and tests. */
  readonly example?: Body;
}

/** The declaration of a resource. */
export interface ResourceOptions<
  F extends Fields,
  Prepared = unknown,
  Env extends Environment = Environment,
> extends ResourceShape<RecordOf<F>, keyof F & string, Prepared, Env> {
  readonly kind: Kind<F>;
  /** Operations besides those of its verbs. */
  readonly operations?: readonly Operation<Env>[];
}

/**
 * A declared resource as views, lists and filters know it, whatever its functions need of the
 * controller: the operations that lead to their calls say it.
 */
export interface Resource<F extends Fields = Fields>
  extends ResourceShape<RecordOf<F>, string, unknown, Environment> {
  readonly kind: Kind<F>;
  readonly answerSchema: TSchema;
  /** The fields of the kind as callers set and see them here, by the names of the kind. */
  readonly fields: Fields;
  /** All public filter symbols. */
  readonly symbols: readonly string[];
}

/** A declared resource with its own operations; `operationsOf` derives the others. */
export interface DefinedResource<F extends Fields = Fields, Env extends Environment = Environment>
  extends Resource<F> {
  readonly operations: readonly Operation<Env>[];
}

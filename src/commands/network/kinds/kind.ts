// What the command line knows of a kind of entity: its names, its fields and what they refer to.
// The rows of all kinds are generated from the declarations of the resources (`kind-rows.ts`).

/** How a value names other entities, as in the files of `apply` (`declarative/sections.ts`). */
export type ReferenceForm = 'one' | 'many' | 'roles' | 'keys';

/** What a value of a field is. `attributes` are role attributes, `roles` those of policies. */
export type ValueType =
  | 'text'
  | 'number'
  | 'boolean'
  | 'list'
  | 'object'
  | 'attributes'
  | 'roles'
  | 'any';

/** A place in a field that names entities of another kind. */
export interface FieldReference {
  /** Members of the field, from the outer one on; empty for the field itself. */
  readonly path: readonly string[];
  /** The kind that it names. */
  readonly to: string;
  readonly form: ReferenceForm;
}

/** A field that a creation or an update sets. */
export interface FieldRow {
  /** Its name for a person: `authPolicy`. */
  readonly name: string;
  /** Its name in bodies of the API: `authPolicyId`. */
  readonly body: string;
  /** Its name in answers of the API. */
  readonly detail: string;
  readonly type: ValueType;
  /** The words that it takes, if they are known. */
  readonly choices?: readonly string[];
  /** Whether only a creation sets it. */
  readonly isFixed?: true;
  readonly isRequired?: true;
  readonly references?: readonly FieldReference[];
}

/** What can be done with the entities of a kind. */
export type KindVerb = 'list' | 'get' | 'create' | 'update' | 'delete';

/** One kind. */
export interface KindRow {
  /** Its name in commands: `edge-router`. */
  readonly name: string;
  /** `edge-routers`. */
  readonly plural: string;
  /** `er`; absent for kinds without a short form. */
  readonly short?: string;
  /** In words, for messages: `edge router`. */
  readonly title: string;
  readonly api: 'management' | 'fabric';
  /** The collection below the root of its API. */
  readonly path: string;
  readonly verbs: readonly KindVerb[];
  /** Whether its entities have names. */
  readonly isNamed: boolean;
  readonly fields: readonly FieldRow[];
}

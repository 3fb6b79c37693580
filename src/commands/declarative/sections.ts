// The sections of a network's file: which entities it can hold, which of their fields, and which of
// these refer to other entities.

import type { ListPath } from '../../client/index.ts';
import { sectionRows } from './section-rows.ts';

/** The sections in the order in which their entities can be created. */
export const sectionNames = [
  'configTypes',
  'configs',
  'services',
  'postureChecks',
  'certificateAuthorities',
  'externalJwtSigners',
  'authPolicies',
  'edgeRouters',
  'transitRouters',
  'identities',
  'serviceEdgeRouterPolicies',
  'servicePolicies',
  'edgeRouterPolicies',
] as const;

/** The name of a section; `ziti ops export` uses the same. */
export type SectionName = (typeof sectionNames)[number];

/**
 * How a value names entities: `one` by its name, `many` as a list of names, `roles` as a list of
 * `@name` and `#attribute`, `keys` as the keys of an object.
 */
export type ReferenceForm = 'one' | 'many' | 'roles' | 'keys';

/** A place in an entry that names other entities. */
export interface Reference {
  readonly path: readonly string[];
  readonly to: SectionName;
  readonly form: ReferenceForm;
}

/** One section. */
export interface Section {
  readonly name: SectionName;
  /** The collection of the management API. */
  readonly path: ListPath;
  /** Fields of an entry besides `name`. */
  readonly fields: readonly string[];
  /** Fields with another name in bodies of the API; `detail` where answers differ again. */
  readonly renamed: Readonly<Record<string, { readonly body: string; readonly detail: string }>>;
  readonly references: readonly Reference[];
  /** Fields that only a creation can set. */
  readonly fixed: ReadonlySet<string>;
  /** Fields that are set after everything was created, because references form a circle. */
  readonly late: ReadonlySet<string>;
  /** Objects of which an entry may name some members only. */
  readonly partial: ReadonlySet<string>;
  /** Fixed fields that every update has to repeat. */
  readonly repeated: readonly string[];
  /** Members that the body of a creation requires. */
  readonly required: ReadonlySet<string>;
  /** Lists that a creation may leave unset, by null. */
  readonly unsettable: ReadonlySet<string>;
  /** Fields that an update unsets by null. */
  readonly nullable: ReadonlySet<string>;
}

/** A section as data, of which a `Section` is made. Its members mean the same. */
export interface SectionRow
  extends Pick<Section, 'name' | 'path' | 'fields' | 'renamed' | 'references' | 'repeated'> {
  readonly fixed: readonly string[];
  readonly late: readonly string[];
  readonly partial: readonly string[];
  readonly required: readonly string[];
  readonly unsettable: readonly string[];
  readonly nullable: readonly string[];
}

/** Every section by name. */
export const sections: Readonly<Record<SectionName, Section>> = Object.fromEntries(
  sectionRows.map((row) => [row.name, sectionOf(row)]),
) as Record<SectionName, Section>;

/** The section that a row describes. */
export function sectionOf(row: SectionRow): Section {
  return {
    ...row,
    fixed: new Set(row.fixed),
    late: new Set(row.late),
    partial: new Set(row.partial),
    required: new Set(row.required),
    unsettable: new Set(row.unsettable),
    nullable: new Set(row.nullable),
  };
}

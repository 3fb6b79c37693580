// The sections of a network's file: which entities it can hold, which of their fields, and which of
// these refer to other entities.

import type { TSchema } from 'typebox';
import type { ListPath } from '../../client/index.ts';
import type { Field } from '../../declare/kinds/field.ts';
import { bodySchema } from '../../declare/resources/bodies.ts';
import type { Resource } from '../../declare/resources/resource.ts';
import { authPolicies } from '../../resources/authentication/auth-policy.ts';
import { cas } from '../../resources/cas/ca.ts';
import { configs } from '../../resources/configs/config.ts';
import { configTypes } from '../../resources/configs/config-type.ts';
import { externalJwtSigners } from '../../resources/external-jwt-signers/external-jwt-signer.ts';
import { identities } from '../../resources/identities/identity.ts';
import { edgeRouterPolicies } from '../../resources/policies/edge-router-policy.ts';
import { serviceEdgeRouterPolicies } from '../../resources/policies/service-edge-router-policy.ts';
import { servicePolicies } from '../../resources/policies/service-policy.ts';
import { postureChecks } from '../../resources/posture/posture-check.ts';
import { edgeRouters } from '../../resources/routers/edge-router.ts';
import { transitRouters } from '../../resources/routers/transit-router.ts';
import { services } from '../../resources/services/service.ts';

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
  readonly schemas: { readonly create: TSchema; readonly patch: TSchema };
}

interface SectionRow {
  readonly resource: Resource;
  /** What a creation takes and no file holds. */
  readonly leftOut?: string;
  readonly references?: readonly Reference[];
  readonly renamed?: Section['renamed'];
  /** Besides the fields of the kind that only a creation sets. */
  readonly fixed?: string;
  readonly late?: string;
  readonly partial?: string;
  readonly repeated?: string;
}

const roles = (field: string, to: SectionName): Reference => ({ path: [field], to, form: 'roles' });
const many = (field: string, to: SectionName): Reference => ({ path: [field], to, form: 'many' });
const one = (field: string, to: SectionName): Reference => ({ path: [field], to, form: 'one' });
const keys = (field: string, to: SectionName): Reference => ({ path: [field], to, form: 'keys' });

const rows: Readonly<Record<SectionName, SectionRow>> = {
  configTypes: { resource: configTypes },
  configs: {
    resource: configs,
    references: [one('configType', 'configTypes')],
    renamed: { configType: { body: 'configTypeId', detail: 'configTypeId' } },
  },
  services: { resource: services, references: [many('configs', 'configs')] },
  postureChecks: { resource: postureChecks, repeated: 'typeId' },
  certificateAuthorities: { resource: cas, partial: 'externalIdClaim' },
  externalJwtSigners: {
    resource: externalJwtSigners,
    references: [one('enrollAuthPolicy', 'authPolicies')],
    renamed: { enrollAuthPolicy: { body: 'enrollAuthPolicyId', detail: 'enrollAuthPolicyId' } },
    late: 'enrollAuthPolicy',
  },
  authPolicies: {
    resource: authPolicies,
    references: [
      {
        path: ['primary', 'extJwt', 'allowedSigners'],
        to: 'externalJwtSigners',
        form: 'many',
      },
      { path: ['secondary', 'requireExtJwtSigner'], to: 'externalJwtSigners', form: 'one' },
    ],
    partial: 'primary secondary',
  },
  edgeRouters: { resource: edgeRouters, references: [many('configs', 'configs')] },
  transitRouters: { resource: transitRouters, references: [many('configs', 'configs')] },
  identities: {
    resource: identities,
    leftOut: 'enrollment',
    references: [
      one('authPolicy', 'authPolicies'),
      keys('serviceHostingCosts', 'services'),
      keys('serviceHostingPrecedences', 'services'),
    ],
    renamed: {
      type: { body: 'type', detail: 'typeId' },
      authPolicy: { body: 'authPolicyId', detail: 'authPolicyId' },
    },
    fixed: 'type',
  },
  serviceEdgeRouterPolicies: {
    resource: serviceEdgeRouterPolicies,
    references: [roles('edgeRouterRoles', 'edgeRouters'), roles('serviceRoles', 'services')],
  },
  servicePolicies: {
    resource: servicePolicies,
    references: [
      roles('identityRoles', 'identities'),
      roles('serviceRoles', 'services'),
      roles('postureCheckRoles', 'postureChecks'),
    ],
  },
  edgeRouterPolicies: {
    resource: edgeRouterPolicies,
    references: [roles('identityRoles', 'identities'), roles('edgeRouterRoles', 'edgeRouters')],
  },
};

const words = (text = ''): string[] => text.split(' ').filter((word) => word !== '');

/** Every section by name. */
export const sections: Readonly<Record<SectionName, Section>> = Object.fromEntries(
  sectionNames.map((name) => [name, sectionOf(name, rows[name])]),
) as Record<SectionName, Section>;

function sectionOf(name: SectionName, row: SectionRow): Section {
  const { resource, references = [], renamed = {} } = row;
  const { fields, inputs, variants } = resource;
  return {
    name,
    path: `/${resource.path}` as ListPath,
    fields: [...fieldsOf(row), 'tags'],
    renamed,
    references,
    fixed: new Set([...namesOf(row, ({ write }) => write === 'create'), ...words(row.fixed)]),
    late: new Set(words(row.late)),
    partial: new Set(words(row.partial)),
    repeated: words(row.repeated),
    schemas: {
      create: bodySchema('create', fields, inputs?.create ?? {}, variants),
      patch: bodySchema('patch', fields, inputs?.patch ?? {}, variants),
    },
  };
}

/** What a creation takes besides fields of the kind, then those in declared order. */
function fieldsOf(row: SectionRow): readonly string[] {
  const left = new Set(['name', ...words(row.leftOut)]);
  const settable = namesOf(row, ({ write }) => write !== 'never');
  const inputs = Object.keys(row.resource.inputs?.create ?? {});
  const further = inputs.filter((input) => !Object.hasOwn(row.resource.fields, input));
  return [...further, ...settable].filter((field) => !left.has(field));
}

/** The names that a file has for fields of the kind. */
function namesOf({ resource, renamed = {} }: SectionRow, isIn: (field: Field) => boolean) {
  const names = new Map(Object.entries(renamed).map(([name, { body }]) => [body, name]));
  return Object.entries(resource.fields)
    .filter(([, field]) => isIn(field))
    .map(([field]) => names.get(field) ?? field);
}

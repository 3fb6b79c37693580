// What the sections of a network's file are made of: resources, whose declarations say the fields,
// and what their entities refer to. `npm run generate` makes section-rows.ts of it, so that only
// the commands that check files load resources.

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
import {
  type Reference,
  type Section,
  type SectionName,
  type SectionRow,
  sectionNames,
} from './sections.ts';

/** What is declared of a section; the rest follows from its resource. */
interface Declaration {
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

const declarations: Readonly<Record<SectionName, Declaration>> = {
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

/** The schemas of the bodies with which the entities of a section are created and changed. */
export interface SectionSchemas {
  readonly create: TSchema;
  readonly patch: TSchema;
}

/** Every section's schemas by its name. */
export const sectionSchemas: Readonly<Record<SectionName, SectionSchemas>> = Object.fromEntries(
  sectionNames.map((name) => [name, schemasOf(declarations[name].resource)]),
) as Record<SectionName, SectionSchemas>;

function schemasOf({ fields, inputs, variants }: Resource): SectionSchemas {
  return {
    create: bodySchema('create', fields, inputs?.create ?? {}, variants),
    patch: bodySchema('patch', fields, inputs?.patch ?? {}, variants),
  };
}

/** A section as data. */
export function sectionRowOf(name: SectionName): SectionRow {
  const declared = declarations[name];
  const { resource, references = [], renamed = {} } = declared;
  const { create, patch } = sectionSchemas[name];
  const { required = [] } = create as { readonly required?: readonly string[] };
  const fields = [...fieldsOf(declared), 'tags'];
  const typesIn = (body: TSchema) => (field: string) =>
    typesOf(body, renamed[field]?.body ?? field);
  const [createTypes, patchTypes] = [typesIn(create), typesIn(patch)];
  return {
    name,
    path: `/${resource.path}` as ListPath,
    fields,
    renamed,
    references,
    fixed: [
      ...new Set([
        ...namesOf(declared, ({ write }) => write === 'create'),
        ...words(declared.fixed),
      ]),
    ],
    late: words(declared.late),
    partial: words(declared.partial),
    repeated: words(declared.repeated),
    required,
    unsettable: fields.filter((field) =>
      ['array', 'null'].every((type) => createTypes(field).includes(type)),
    ),
    nullable: fields.filter((field) => patchTypes(field).includes('null')),
  };
}

/** The types of a member of a body that may have several. */
function typesOf(body: TSchema, field: string): readonly unknown[] {
  const { properties } = body as {
    readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
  };
  const type = properties?.[field]?.type;
  return Array.isArray(type) ? type : [];
}

/** What a creation takes besides fields of the kind, then those in declared order. */
function fieldsOf(row: Declaration): readonly string[] {
  const left = new Set(['name', ...words(row.leftOut)]);
  const settable = namesOf(row, ({ write }) => write !== 'never');
  const inputs = Object.keys(row.resource.inputs?.create ?? {});
  const further = inputs.filter((input) => !Object.hasOwn(row.resource.fields, input));
  return [...further, ...settable].filter((field) => !left.has(field));
}

/** The names that a file has for fields of the kind. */
function namesOf({ resource, renamed = {} }: Declaration, isIn: (field: Field) => boolean) {
  const names = new Map(Object.entries(renamed).map(([name, { body }]) => [body, name]));
  return Object.entries(resource.fields)
    .filter(([, field]) => isIn(field))
    .map(([field]) => names.get(field) ?? field);
}

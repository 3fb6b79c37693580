// The sections of a network's file: which entities it can hold, which of their fields, and which of
// these refer to other entities.

import type { TSchema } from 'typebox';
import type { ListPath } from '../../client/index.ts';
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
  readonly fields: string;
  readonly references?: readonly Reference[];
  readonly renamed?: Section['renamed'];
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
  configTypes: { resource: configTypes, fields: 'schema target' },
  configs: {
    resource: configs,
    fields: 'configType data',
    references: [one('configType', 'configTypes')],
    renamed: { configType: { body: 'configTypeId', detail: 'configTypeId' } },
    fixed: 'configType',
  },
  services: {
    resource: services,
    fields: 'configs encryptionRequired maxIdleTimeMillis roleAttributes terminatorStrategy',
    references: [many('configs', 'configs')],
    fixed: 'encryptionRequired',
  },
  postureChecks: {
    resource: postureChecks,
    fields:
      'typeId roleAttributes operatingSystems domains macAddresses timeoutSeconds promptOnWake promptOnUnlock ignoreLegacyEndpoints process semantic processes',
    fixed: 'typeId',
    repeated: 'typeId',
  },
  certificateAuthorities: {
    resource: cas,
    fields:
      'certPem identityNameFormat identityRoles isAuthEnabled isAutoCaEnrollmentEnabled isOttCaEnrollmentEnabled externalIdClaim',
    fixed: 'certPem',
    partial: 'externalIdClaim',
  },
  externalJwtSigners: {
    resource: externalJwtSigners,
    fields:
      'issuer audience enabled certPem jwksEndpoint kid claimsProperty useExternalId externalAuthUrl clientId scopes targetToken enrollToCertEnabled enrollToTokenEnabled enrollNameClaimsSelector enrollAttributeClaimsSelector enrollAuthPolicy',
    references: [one('enrollAuthPolicy', 'authPolicies')],
    renamed: { enrollAuthPolicy: { body: 'enrollAuthPolicyId', detail: 'enrollAuthPolicyId' } },
    late: 'enrollAuthPolicy',
  },
  authPolicies: {
    resource: authPolicies,
    fields: 'primary secondary',
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
  edgeRouters: {
    resource: edgeRouters,
    fields:
      'cost noTraversal disabled roleAttributes isTunnelerEnabled appData configs ctrlChanListeners',
    references: [many('configs', 'configs')],
  },
  transitRouters: {
    resource: transitRouters,
    fields: 'cost noTraversal disabled configs ctrlChanListeners',
    references: [many('configs', 'configs')],
  },
  identities: {
    resource: identities,
    fields:
      'type isAdmin authPolicy externalId roleAttributes appData defaultHostingCost defaultHostingPrecedence serviceHostingCosts serviceHostingPrecedences permissions',
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
    fields: 'semantic edgeRouterRoles serviceRoles',
    references: [roles('edgeRouterRoles', 'edgeRouters'), roles('serviceRoles', 'services')],
  },
  servicePolicies: {
    resource: servicePolicies,
    fields: 'type semantic identityRoles serviceRoles postureCheckRoles',
    references: [
      roles('identityRoles', 'identities'),
      roles('serviceRoles', 'services'),
      roles('postureCheckRoles', 'postureChecks'),
    ],
  },
  edgeRouterPolicies: {
    resource: edgeRouterPolicies,
    fields: 'semantic identityRoles edgeRouterRoles',
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
    fields: [...words(row.fields), 'tags'],
    renamed,
    references,
    fixed: new Set(words(row.fixed)),
    late: new Set(words(row.late)),
    partial: new Set(words(row.partial)),
    repeated: words(row.repeated),
    schemas: {
      create: bodySchema('create', fields, inputs?.create ?? {}, variants),
      patch: bodySchema('patch', fields, inputs?.patch ?? {}, variants),
    },
  };
}

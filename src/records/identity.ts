// Identities: the principals (behaviour/identities, behaviour/policies, behaviour/records).

import Type from 'typebox';
import { identity as identityMachine } from '../../machines/identity.ts';
import {
  attributes,
  choice,
  field,
  name,
  optional,
  type Relation,
  reference,
  time,
} from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { permissionNames } from '../declare/resources/permission-names.ts';
import { defaultAuthPolicyId } from './auth-policy.ts';
import { envInfoSchema, sdkInfoSchema } from './info-schemas.ts';

/** A terminator's cost, as identities and terminators give it (behaviour/identities#hosting). */
export const terminatorCost = Type.Integer({ minimum: 0, maximum: 65535 });

/** A terminator's precedences (behaviour/identities#hosting). */
const precedences = ['default', 'required', 'failed'] as const;

/** The field of a precedence. */
export const precedenceField = () => choice(precedences, 'default');

/** Costs of hosting by service id. */
export type Costs = Record<string, number>;

/** Precedences of hosting by service id. */
export type Precedences = Record<string, 'default' | 'required' | 'failed'>;

/** Maps whose keys are service ids: an entry is deleted with its service. */
function serviceKeys<T extends object>(inverse: string): Relation<T> {
  return {
    kind: 'service',
    inverse,
    onDelete: 'strip',
    ids: (map) => Object.keys(map),
    strip: (map, id) => Object.fromEntries(Object.entries(map).filter(([key]) => key !== id)) as T,
  };
}

const overrides = (kind: string, pick: (pair: ServiceConfig) => string) =>
  ({
    kind,
    inverse: 'overridingIdentities',
    // A config that overrides is in use; deleting a service removes its overrides
    // (behaviour/records).
    onDelete: kind === 'config' ? 'refuse' : 'strip',
    ids: (pairs) => pairs.map(pick),
    strip: (pairs, id) => pairs.filter((pair) => pick(pair) !== id),
  }) satisfies Relation<readonly ServiceConfig[]>;

/** The stored side of identities. */
export const identityKind = defineKind({
  kind: 'identity',
  version: 3,
  fields: {
    state: field(Type.String(), { fallback: 'enabled', write: 'never', show: 'never' }),
    name: name(),
    typeId: reference('identityType', {
      inverse: 'identities',
      onDelete: 'refuse',
      fallback: 'Default',
      write: 'never',
    }),
    isAdmin: field(Type.Boolean(), { required: true, symbol: 'boolean', grouped: true }),
    isDefaultAdmin: field(Type.Boolean(), { fallback: false, write: 'never', symbol: 'boolean' }),
    authPolicyId: reference('authPolicy', {
      inverse: 'identities',
      onDelete: 'refuse',
      refusedStatus: 400,
      fallback: defaultAuthPolicyId,
      fromJson: (json) => (json === '' ? defaultAuthPolicyId : String(json)),
    }),
    externalId: optional(Type.String({ maxLength: 1000 }), {
      unique: true,
      show: 'always',
      symbol: 'string',
      fromJson: (json) => (String(json).trim() === '' ? undefined : String(json)),
    }),
    roleAttributes: attributes(),
    appData: field(Type.Object({}, { additionalProperties: true }), { fallback: {} }),
    defaultHostingCost: field(terminatorCost, { fallback: 0 }),
    defaultHostingPrecedence: precedenceField(),
    serviceHostingCosts: field(Type.Record(Type.String(), terminatorCost), {
      fallback: {},
      relations: [serviceKeys<Costs>('hostingCosts')],
    }),
    serviceHostingPrecedences: field(Type.Record(Type.String(), Type.Enum([...precedences])), {
      fallback: {},
      relations: [serviceKeys<Precedences>('hostingPrecedences')],
    }),
    serviceConfigs: field(
      Type.Array(Type.Object({ serviceId: Type.String(), configId: Type.String() })),
      {
        fallback: [],
        write: 'never',
        show: 'never',
        relations: [
          overrides('service', ({ serviceId }) => serviceId),
          overrides('config', ({ configId }) => configId),
        ],
      },
    ),
    envInfo: field(envInfoSchema, { fallback: {}, write: 'never' }),
    sdkInfo: field(sdkInfoSchema, { fallback: {}, write: 'never' }),
    disabledAt: time({ write: 'never' }),
    disabledUntil: time({ write: 'never' }),
    /** Set only by the machine, which explains it. */
    lockedOutUntil: time({ write: 'never', show: 'never', since: 2 }),
    /** Recent login addresses of an administrator; absent for all other identities. */
    knownAddresses: optional(
      Type.Array(Type.Object({ address: Type.String(), day: Type.Integer() })),
      { write: 'never', show: 'never', since: 2 },
    ),
    /** Sorted; none are shown as null (behaviour/permissions#names). */
    permissions: field(Type.Array(Type.Enum([...permissionNames]), { maxItems: 1000 }), {
      fallback: [],
      since: 3,
      grouped: true,
      answerSchema: Type.Union([Type.Array(Type.String()), Type.Null()]),
      fromJson: (json) => [...new Set(json)].sort(),
      toJson: (names) => (names.length === 0 ? undefined : names),
    }),
  },
  many: [
    'servicePolicies',
    'edgeRouterPolicies',
    'authenticators',
    'enrollments',
    'mfa',
    'apiSessions',
    'sessions',
    'postureData',
    'terminators',
  ],
  machine: { declaration: identityMachine, creates: 'create', removes: 'remove' },
  member: { space: 'identity', attributes: (record) => record.roleAttributes },
});

/** A stored identity. */
export type IdentityRecord = RecordOf<typeof identityKind.fields>;

/** One override of a config by an identity (behaviour/configs#overrides). */
export interface ServiceConfig {
  readonly serviceId: string;
  readonly configId: string;
}

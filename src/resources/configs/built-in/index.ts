// The one list of records that a new home starts with, each with the kind whose table it belongs
// in.

import type { AuthPolicyRecord } from '../../../records/auth-policy.ts';
import type { ConfigTypeRecord } from '../../../records/config-type.ts';
import { builtInAuthPolicy } from './auth-policy.ts';
import { builtInConfigTypes } from './config-types.ts';
import { deepFrozen } from './frozen.ts';
import { builtInIdentityTypes } from './identity-types.ts';
import { type BuiltInPostureCheckType, builtInPostureCheckTypes } from './posture-check-types.ts';
import type { Seed } from './seed.ts';

/** A record to be written at initialisation, once its times and tags are added. */
export type BuiltIn =
  | { readonly kind: 'configType'; readonly record: Seed<ConfigTypeRecord> }
  | { readonly kind: 'postureCheckType'; readonly record: BuiltInPostureCheckType }
  | {
      readonly kind: 'identityType';
      readonly record: { readonly id: string; readonly name: string };
    }
  | { readonly kind: 'authPolicy'; readonly record: Seed<AuthPolicyRecord> };

/** All records of behaviour/identities#first-start but the administrator. */
export const builtInRecords: readonly BuiltIn[] = deepFrozen([
  ...builtInIdentityTypes.map((record) => ({ kind: 'identityType', record }) as const),
  ...builtInPostureCheckTypes.map((record) => ({ kind: 'postureCheckType', record }) as const),
  ...builtInConfigTypes.map((record) => ({ kind: 'configType', record }) as const),
  { kind: 'authPolicy', record: builtInAuthPolicy },
]);

// The records that a new home starts with, each with the kind whose table it belongs in
// (behaviour/identities#first-start).

import type { AuthPolicyRecord } from '../../../records/auth-policy.ts';
import type { ConfigTypeRecord } from '../../../records/config-type.ts';
import type { PostureCheckTypeRecord } from '../../../records/posture-check-type.ts';
import type { RecordBase } from '../../../store/record.ts';
import { hostV1, hostV2 } from './schemas/host.ts';
import { routerLinkV1 } from './schemas/router-link-v1.ts';
import {
  interceptV1,
  interfacesV1,
  proxyV1,
  zitiTunnelerClientV1,
  zitiTunnelerServerV1,
} from './schemas/tunneler.ts';

type Own<R extends RecordBase> = Omit<R, 'createdAt' | 'updatedAt' | 'tags'>;

type MayBeAbsent<R> = { [K in keyof R]-?: undefined extends R[K] ? K : never }[keyof R];

/** A record without its times and tags; fields that may be undefined may also be left out. */
type Seed<R extends RecordBase> = Omit<Own<R>, MayBeAbsent<Own<R>>> &
  Partial<Pick<Own<R>, MayBeAbsent<Own<R>>>>;

/**
 * The auth policy of identities that name none: every way to log in is open, no second factor. 0
 * attempts and an empty list of signers mean no limit (behaviour/identities#default-policy).
 */
const authPolicy: Seed<AuthPolicyRecord> = {
  id: 'default',
  name: 'Default',
  isSystem: true,
  primary: {
    cert: { allowed: true, allowExpiredCerts: true },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      lockoutDurationMinutes: 0,
      maxAttempts: 0,
      minPasswordLength: 5,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
    },
  },
  secondary: { requireTotp: false },
};

/**
 * The config types, under the ids and names that tunnelers and tools ask for: the table of
 * behaviour/configs#built-in, in its order.
 */
const configTypes: readonly Seed<ConfigTypeRecord>[] = [
  {
    id: 'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
    name: 'ziti-tunneler-client.v1',
    schema: zitiTunnelerClientV1,
    target: 'service',
  },
  {
    id: 'cea49285-6c07-42cf-9f52-09a9b115c783',
    name: 'ziti-tunneler-server.v1',
    schema: zitiTunnelerServerV1,
    target: 'service',
  },
  { id: 'g7cIWbcGg', name: 'intercept.v1', schema: interceptV1, target: 'service' },
  { id: 'NH5p4FpGR', name: 'host.v1', schema: hostV1, target: 'service' },
  { id: 'host.v2', name: 'host.v2', schema: hostV2, target: 'service' },
  { id: 'interfaces.v1', name: 'interfaces.v1', schema: interfacesV1, target: 'service' },
  { id: 'proxy.v1', name: 'proxy.v1', schema: proxyV1, target: 'service' },
  { id: 'router.link.v1', name: 'router.link.v1', schema: routerLinkV1, target: 'router' },
];

/** All identity types; the id is the name (behaviour/identities#types). */
const identityTypes = [
  { id: 'Default', name: 'Default' },
  { id: 'Router', name: 'Router' },
];

type OperatingSystem = PostureCheckTypeRecord['operatingSystems'][number];

// Tools offer these versions; an empty list means any.
const windows = { type: 'Windows', versions: ['Vista', '7', '8', '10', '2000'] };
const linux = { type: 'Linux', versions: ['4.14', '4.19', '5.4', '5.9'] };
const android = { type: 'Android', versions: ['9', '10', '11'] };
const macos = { type: 'macOS', versions: ['10.15', '11.0'] };
const ios = { type: 'iOS', versions: ['11', '12'] };

/** All posture check types, with the operating systems of each (behaviour/posture#types). */
const postureCheckTypes = [
  checkType('OS', 'Operating System Check', [windows, linux, android, macos, ios]),
  checkType('PROCESS', 'Process Check', [windows, macos, linux]),
  checkType('DOMAIN', 'Windows Domain Check', [windows]),
  checkType('MAC', 'MAC Address Check', [windows, linux, macos, android]),
  checkType('PROCESS_MULTI', 'Process Multi Check', [windows, macos, linux].map(anyVersion)),
  checkType('MFA', 'MFA Check', []),
];

/** Every record but the administrator; frozen, because all homes of a process share them. */
export const builtInRecords = deepFrozen([
  ...identityTypes.map((record) => ({ kind: 'identityType', record })),
  ...postureCheckTypes.map((record) => ({ kind: 'postureCheckType', record })),
  ...configTypes.map((record) => ({ kind: 'configType', record })),
  { kind: 'authPolicy', record: authPolicy },
]);

function checkType(
  id: string,
  name: string,
  operatingSystems: OperatingSystem[],
): Seed<PostureCheckTypeRecord> {
  return { id, name, version: '1', operatingSystems };
}

function anyVersion({ type }: OperatingSystem): OperatingSystem {
  return { type, versions: [] };
}

/** `value` itself, frozen with everything in it. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}

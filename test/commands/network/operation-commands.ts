// The command of each operation of the management and fabric APIs that has one.

import type { KindVerb } from '../../../src/commands/network/kinds/kind.ts';
import { kindRows } from '../../../src/commands/network/kinds/kind-rows.ts';
import type { OperationKey } from '../../../src/commands/network/kinds/operations.ts';
import type { NetworkVerb } from '../../../src/commands/network/verbs.ts';

/** What the verbs of kinds ask; an update changes single fields. */
const verbRequests: Readonly<Record<KindVerb, readonly [method: string, below: string]>> = {
  list: ['GET', ''],
  get: ['GET', '/{id}'],
  create: ['POST', ''],
  update: ['PATCH', '/{id}'],
  delete: ['DELETE', '/{id}'],
};

/** Operations of the verbs that are not about a kind as a whole, by their verb. */
const actionOperations: Readonly<Partial<Record<NetworkVerb, readonly OperationKey[]>>> = {
  login: ['POST management /authenticate', 'POST management /authenticate/mfa'],
  logout: ['DELETE management /current-api-session'],
  whoami: [
    'GET management /version',
    'GET management /current-identity',
    'GET management /current-api-session',
  ],
  explain: ['GET management /identities/{id}/services/{serviceId}/explain'],
  get: ['GET management /identities/{id}/services'],
  enroll: ['POST management /enrollments', 'POST management /enrollments/{id}/refresh'],
  're-enroll': [
    'POST management /edge-routers/{id}/re-enroll',
    'POST management /authenticators/{id}/re-enroll',
  ],
  password: ['POST management /authenticators', 'PATCH management /authenticators/{id}'],
  'remove-mfa': ['DELETE management /identities/{id}/mfa'],
  disable: ['POST management /identities/{id}/disable'],
  enable: ['POST management /identities/{id}/enable'],
  verify: ['POST management /cas/{id}/verify'],
  audit: ['GET management /audit', 'GET management /inspect/log/{lsn}'],
  top: [
    'GET management /inspect/figures',
    'GET management /inspect/processes',
    'GET management /inspect/machines',
    'GET management /inspect/machines/{kind}/instances',
    'POST fabric /inspections',
  ],
  'log-level': ['GET management /inspect/log-level', 'PUT management /inspect/log-level'],
};

/** The command that asks an operation, by operation. */
export const operationCommands: ReadonlyMap<OperationKey, string> = new Map([
  ...kindRows.flatMap(({ name, api, path, verbs }) =>
    verbs.map((verb): readonly [OperationKey, string] => {
      const [method, below] = verbRequests[verb];
      return [`${method} ${api} ${path}${below}`, `${verb} ${name}`];
    }),
  ),
  ...Object.entries(actionOperations).flatMap(([verb, keys]) =>
    keys.map((key) => [key, verb] as const),
  ),
]);

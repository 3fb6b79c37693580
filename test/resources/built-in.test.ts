// The records a new home starts with: complete, frozen, and their config schemas hold what they
// promise.

import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { t } from 'tap';
import { userSchemaFault, userSchemaProblem } from '../../src/declare/resources/user-schema.ts';
import { type AuthPolicyRecord, defaultAuthPolicyId } from '../../src/records/auth-policy.ts';
import type { ConfigTypeRecord } from '../../src/records/config-type.ts';
import type { PostureCheckTypeRecord } from '../../src/records/posture-check-type.ts';
import { builtInRecords } from '../../src/resources/configs/built-in/index.ts';
import { interceptExamples, localExamples, tunnelerExamples } from './built-in/examples.ts';
import { hostExamples } from './built-in/host-examples.ts';
import { routerExamples } from './built-in/router-examples.ts';

const recordsOf = <R>(kind: string) =>
  builtInRecords.filter((one) => one.kind === kind).map(({ record }) => record as unknown as R);

const builtInConfigTypes = recordsOf<ConfigTypeRecord>('configType');
const builtInPostureCheckTypes = recordsOf<PostureCheckTypeRecord>('postureCheckType');
const [builtInAuthPolicy] = recordsOf<AuthPolicyRecord>('authPolicy');

const examples = {
  ...tunnelerExamples,
  ...interceptExamples,
  ...hostExamples(),
  ...localExamples,
  ...routerExamples,
};

t.test('config types have their fixed ids, names and targets', async (t) => {
  t.strictSame(
    builtInConfigTypes.map(({ id, name, target }) => [name, id, target]),
    [
      ['ziti-tunneler-client.v1', 'f2dd2df0-9c04-4b84-a91e-71437ac229f1', 'service'],
      ['ziti-tunneler-server.v1', 'cea49285-6c07-42cf-9f52-09a9b115c783', 'service'],
      ['intercept.v1', 'g7cIWbcGg', 'service'],
      ['host.v1', 'NH5p4FpGR', 'service'],
      ['host.v2', 'host.v2', 'service'],
      ['interfaces.v1', 'interfaces.v1', 'service'],
      ['proxy.v1', 'proxy.v1', 'service'],
      ['router.link.v1', 'router.link.v1', 'router'],
    ],
  );
});

for (const { name, schema } of builtInConfigTypes) {
  t.test(name, async (t) => {
    if (schema === undefined) return t.fail('has no schema');
    t.match(schema, { type: 'object', additionalProperties: false });
    t.equal(userSchemaFault(schema), undefined, 'compiles as any config type does');
    t.equal(validateAsDraft7(schema), true, 'is a valid draft-07 schema by itself');

    const { accepted, refused } = examples[name] ?? { accepted: [], refused: [] };
    t.ok(accepted.length >= 6 && refused.length >= 6, 'has examples');
    // Through JSON: properties that an example sets to undefined are absent then.
    for (const [shows, data] of accepted) {
      t.equal(userSchemaProblem(schema, throughJson(data)), undefined, `accepts ${shows}`);
    }
    for (const [shows, data, field] of refused) {
      const problem = userSchemaProblem(schema, throughJson(data));
      t.equal(problem?.field, field, `refuses ${shows} (${problem?.reason})`);
    }
  });
}

t.test('posture check types ask of these systems', async (t) => {
  const rows = builtInPostureCheckTypes.map(({ id, name, version, operatingSystems }) => [
    id,
    name,
    version,
    operatingSystems.map(({ type, versions }) => `${type}:${versions.join(',')}`),
  ]);
  const windows = 'Windows:Vista,7,8,10,2000';
  const linux = 'Linux:4.14,4.19,5.4,5.9';
  const android = 'Android:9,10,11';
  const macos = 'macOS:10.15,11.0';
  t.strictSame(rows, [
    ['OS', 'Operating System Check', '1', [windows, linux, android, macos, 'iOS:11,12']],
    ['PROCESS', 'Process Check', '1', [windows, macos, linux]],
    ['DOMAIN', 'Windows Domain Check', '1', [windows]],
    ['MAC', 'MAC Address Check', '1', [windows, linux, macos, android]],
    ['PROCESS_MULTI', 'Process Multi Check', '1', ['Windows:', 'macOS:', 'Linux:']],
    ['MFA', 'MFA Check', '1', []],
  ]);
});

t.test('the auth policy leaves every way to log in open', async (t) => {
  t.equal(builtInAuthPolicy?.id, defaultAuthPolicyId);
  t.strictSame(builtInAuthPolicy, {
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
  });
});

t.test('one list holds them all, frozen throughout, no id or name twice in a kind', async (t) => {
  const counts: Record<string, number> = {};
  const seen = new Set<string>();
  for (const { kind, record } of builtInRecords) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    seen.add(`${kind} id ${record.id}`).add(`${kind} name ${record.name}`);
    t.notOk('createdAt' in record || 'updatedAt' in record || 'tags' in record, record.id);
  }
  t.strictSame(counts, { identityType: 2, postureCheckType: 6, configType: 8, authPolicy: 1 });
  t.equal(seen.size, builtInRecords.length * 2);
  t.ok(frozenThroughout(builtInRecords));
  const types = builtInRecords.filter(({ kind }) => kind === 'identityType');
  t.strictSame(
    types.map(({ record }) => record),
    [
      { id: 'Default', name: 'Default' },
      { id: 'Router', name: 'Router' },
    ],
  );
});

/** A validator that shares nothing with the controller's own, as a client would have it. */
function validateAsDraft7(schema: object): boolean | string {
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  ajv.addFormat('idn-hostname', true);
  ajv.compile(schema);
  return ajv.validateSchema(schema) === true || ajv.errorsText();
}

function throughJson(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data));
}

function frozenThroughout(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(frozenThroughout);
}

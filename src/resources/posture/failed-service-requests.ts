// Requests of an identity for services that posture refused (behaviour/posture#failures).

import Type, { type TSchema } from 'typebox';
import { rowOf } from '../../declare/crud.ts';
import { detail, type Operation, operation } from '../../declare/operation.ts';
import { operatingSystemSchema, systemTypeSchema } from '../../records/operating-system.ts';
import { processOfManySchema, processSchema } from '../../records/posture-process.ts';
import { identities } from '../identities/identity.ts';

const text = Type.String();
const flag = Type.Boolean();
const moment = Type.String({ format: 'date-time' });

const processFound = Type.Object({
  osType: Type.Optional(systemTypeSchema),
  path: Type.Optional(text),
  isRunning: flag,
  hash: text,
  signerFingerprints: Type.Array(text),
});
const mfaValues = Type.Object({
  passedMfa: flag,
  passedOnWake: flag,
  passedOnUnlock: flag,
  timedOut: flag,
});
const mfaCriteria = Type.Object({
  passedMfaAt: moment,
  wokenAt: moment,
  unlockedAt: moment,
  timeoutSeconds: Type.Integer(),
  timeoutRemainingSeconds: Type.Integer(),
});

const failureSchemas = [
  failure('OS', Type.Object({ type: text, version: text }), Type.Array(operatingSystemSchema)),
  failure('DOMAIN', text, Type.Array(text)),
  failure('MAC', Type.Array(text), Type.Array(text)),
  failure('PROCESS', processFound, processSchema),
  failure('PROCESS_MULTI', Type.Array(processFound), Type.Array(processOfManySchema), {
    semantic: Type.Enum(['AllOf', 'AnyOf']),
  }),
  failure('MFA', mfaValues, mfaValues, { criteria: mfaCriteria }),
];

function failure(
  type: string,
  actualValue: TSchema,
  expectedValue: TSchema,
  more: Readonly<Record<string, TSchema>> = {},
): TSchema {
  return Type.Object({
    postureCheckId: text,
    postureCheckName: text,
    postureCheckType: Type.Literal(type),
    actualValue,
    expectedValue,
    ...more,
  });
}

const policyFailureSchema = Type.Object(
  { policyId: text, policyName: text, checks: Type.Array(Type.Union(failureSchemas)) },
  { title: 'policyFailure' },
);

const failedRequestSchema = Type.Object(
  {
    when: moment,
    serviceId: text,
    serviceName: text,
    sessionType: Type.Enum(['Dial', 'Bind']),
    apiSessionId: text,
    policyFailures: Type.Array(policyFailureSchema),
  },
  { title: 'failedServiceRequest' },
);

/** `/identities/{id}/failed-service-requests` */
export const failedServiceRequests: Operation = operation({
  id: 'getIdentityFailedServiceRequests',
  method: 'GET',
  path: '/identities/{id}/failed-service-requests',
  summary: 'List the requests of an identity that posture refused lately, the oldest first',
  answer: Type.Array(failedRequestSchema),
  errors: [401, 404, 429],
  decide(context) {
    const { id } = rowOf(context, identities).record;
    return detail([`[${context.env.failedRequests.of(id).join(',')}]`]);
  },
});

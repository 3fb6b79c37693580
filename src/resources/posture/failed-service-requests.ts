// Requests of an identity for services that posture refused (behaviour/posture#failures).

import Type from 'typebox';
import { detail } from '../../declare/operations/operation.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { failureSchema } from '../../posture/failure.ts';
import { type Operation, operation } from '../context.ts';
import { identities } from '../identities/identity.ts';

const text = Type.String();
const moment = Type.String({ format: 'date-time' });

const policyFailureSchema = Type.Object(
  { policyId: text, policyName: text, checks: Type.Array(failureSchema) },
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
  path: '/identities/{id}/failed-service-requests',
  answered: 'leader',
  permission: 'identity',
  summary: 'List the requests of an identity that posture refused lately, the oldest first',
  answer: Type.Array(failedRequestSchema),
  errors: [401, 404, 429],
  decide(context) {
    const { id } = rowOf(context, identities).record;
    return detail([`[${context.env.failedRequests.of(id).join(',')}]`]);
  },
});

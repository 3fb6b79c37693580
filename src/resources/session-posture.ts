// Which policies let an identity have a session, by what its endpoint is like: those whose posture
// checks pass; where none does, the refusal is remembered (behaviour §8.2, §9.6.1).

import type { AccessType } from '../access/vocabulary.ts';
import type { Context } from '../declare/operation.ts';
import { isoTime } from '../declare/view.ts';
import { ApiError } from '../errors.ts';
import type { PolicyFailure, Subject } from '../posture/contract.ts';
import { failureOf } from '../posture/failure.ts';

/** A session that is asked for. */
export interface Wanted {
  readonly service: { readonly id: string; readonly name: string };
  readonly type: AccessType;
}

/**
 * Of the policies (slots) that link the caller and the service those whose posture checks pass.
 * @throws ApiError INVALID_POSTURE when there are policies and none passes.
 */
export function passingPolicies(
  context: Context,
  policies: readonly number[],
  wanted: Wanted,
): readonly number[] {
  const { env, now, caller } = context;
  const { posture } = env;
  if (!posture.isUsed || policies.length === 0) return policies;
  const apiSessionId = caller.session.record.id;
  const subject = posture.subjectOf({ identityId: caller.identity.id, apiSessionId });
  const passing = posture.passing(policies, subject, now);
  if (passing.length > 0) return passing;
  const failures = posture.failures(policies, subject, now);
  remember(context, wanted, subject, failures);
  throw refusal(failures);
}

function refusal(failures: readonly PolicyFailure[]): ApiError {
  const data = Object.fromEntries(
    failures.map(({ policyId, checks }) => [
      policyId,
      checks.map(({ id, typeId }) => ({ id, typeId, isPassing: false })),
    ]),
  );
  const message = 'no policy that allows the session has all its posture checks passed';
  return new ApiError('INVALID_POSTURE', { cause: { message, data } });
}

/** With what was there at the time: it is looked at when much has changed. */
function remember(
  { env, now, caller }: Context,
  { service, type }: Wanted,
  subject: Subject,
  failures: readonly PolicyFailure[],
): void {
  const text = JSON.stringify({
    when: isoTime(now),
    serviceId: service.id,
    serviceName: service.name,
    sessionType: type,
    apiSessionId: caller.session.record.id,
    policyFailures: failures.map(({ policyId, policyName, checks }) => ({
      policyId,
      policyName,
      checks: checks.map((check) => failureOf(check, subject, now)),
    })),
  });
  env.failedRequests.add(caller.identity.id, text);
}

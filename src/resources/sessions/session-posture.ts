// Finds the policies that permit a session: those whose posture checks the endpoint passes. If none
// does, the refusal is recorded (behaviour/sessions#posture, behaviour/posture#failures).

import type { AccessType } from '../../declare/kinds/access-vocabulary.ts';
import { isoTime } from '../../declare/resources/view.ts';
import { ApiError } from '../../errors/errors.ts';
import { failedRequestBounds } from '../../posture/failed-requests.ts';
import { failureOf } from '../../posture/failure.ts';
import type { PolicyFailure, Subject } from '../../posture/subject.ts';
import type { PostureCheckRecord } from '../../records/posture-check.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Context } from '../context.ts';

/** A requested session. */
export interface Wanted {
  readonly service: { readonly id: string; readonly name: string };
  readonly type: AccessType;
}

/**
 * The policies whose posture checks pass, among those (slots) that link the caller and the service.
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
  const asker = { identityId: caller.identity.id, apiSessionId };
  const subject = posture.subjectOf(asker);
  const passing = posture.passing(policies, subject, now);
  if (passing.length > 0) return passing;
  if (posture.isLeftToRouters(asker)) return policies;
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

/**
 * Records the posture at the time of the refusal, because it may be read after many changes. A
 * refused client retries at once, so the cost per request is bounded: failures beyond the bound are
 * left out, except the first.
 */
function remember(
  context: Context,
  { service, type }: Wanted,
  subject: Subject,
  failures: readonly PolicyFailure[],
): void {
  const { env, now, caller } = context;
  const head = JSON.stringify({
    when: isoTime(now),
    serviceId: service.id,
    serviceName: service.name,
    sessionType: type,
    apiSessionId: caller.session.record.id,
  });
  const policies = failureTexts(context, subject, failures);
  const text = `${head.slice(0, -1)},"policyFailures":[${policies.join(',')}]}`;
  env.failedRequests.add(caller.identity.id, text);
}

/**
 * The first policies and checks as JSON, as many as fit into the record of an identity's failures.
 */
function failureTexts(
  { env, now }: Context,
  subject: Subject,
  failures: readonly PolicyFailure[],
): string[] {
  const byCheck = new Map<PostureCheckRecord, string>();
  const textOf = (check: PostureCheckRecord) => {
    let text = byCheck.get(check);
    if (text === undefined) {
      byCheck.set(check, (text = JSON.stringify(failureOf(check, subject, now))));
    }
    return text;
  };
  const { failedRequestCharactersMax } = boundsOf(failedRequestBounds, env.bounds);
  let room = failedRequestCharactersMax - headCharacters;
  const policies: string[] = [];
  for (const { policyId, policyName, checks } of failures) {
    const head = JSON.stringify({ policyId, policyName }).slice(0, -1);
    room -= head.length + headCharacters;
    if (room < 0) break;
    const shown: string[] = [];
    for (const check of checks) {
      const text = textOf(check);
      const isFirst = policies.length === 0 && shown.length === 0;
      if (text.length >= room && !isFirst) continue;
      room -= text.length + 1;
      shown.push(text);
    }
    policies.push(`${head},"checks":[${shown.join(',')}]}`);
  }
  return policies;
}

/** Bytes for the text around failures. */
const headCharacters = 20;

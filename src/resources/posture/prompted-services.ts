// The services that will require a code from an endpoint that woke or was unlocked, as the answer
// to its report lists them (behaviour/posture#reports).

import Type from 'typebox';
import { mfaPassedAt, neverEnds, promptGraceSeconds, timeoutSecondsOf } from '../../posture/mfa.ts';
import { identityKind } from '../../records/identity.ts';
import type { PostureCheckRecord } from '../../records/posture-check.ts';
import { type ServiceRecord, serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { Context } from '../context.ts';
import type { EndpointEvent } from './posture-submission.ts';

/** One of these services. */
export const promptedServiceSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    postureQueryType: Type.String(),
    timeout: Type.Integer(),
    timeoutRemaining: Type.Integer(),
  },
  { title: 'postureResponseService' },
);

/**
 * JSON text of these services, joined by commas; none if no valid code was given on this API
 * session. A service is listed once for each time-out of its checks.
 */
export function promptedServices(context: Context, event: EndpointEvent): string {
  const { store, access } = context.env;
  const table = store.table(serviceKind);
  const texts: string[] = [];
  for (const [timeout, policies] of promptingPolicies(context, event)) {
    const tail = `${timeout},"timeoutRemaining":${promptGraceSeconds}}`;
    for (const slot of access.membersOfAny('servicePolicy', policies, 'service')) {
      const row = table.at(slot);
      if (row !== undefined) texts.push(headOf(row.record) + tail);
    }
  }
  return texts.join(',');
}

/** Slots of the caller's policies that will require a code, by the time-outs of their checks. */
function promptingPolicies(
  { env, caller, now }: Context,
  event: EndpointEvent,
): ReadonlyMap<number, ReadonlySet<number>> {
  const { store, access, posture } = env;
  const byTimeout = new Map<number, Set<number>>();
  const identityId = caller.identity.id;
  const passedAt = mfaPassedAt(
    posture.subjectOf({ identityId, apiSessionId: caller.session.record.id }),
  );
  const identity = store.table(identityKind).find(identityId);
  if (passedAt === undefined || identity === undefined) return byTimeout;
  store.fence.note(store.table(servicePolicyKind).lastLsn);
  for (const policy of access.policiesOf('identity', identity.slot, 'servicePolicy')) {
    for (const check of posture.checksOf(policy)) {
      if (!isPrompting(check, event) || !outlastsGrace(check, passedAt, now)) continue;
      const timeout = timeoutSecondsOf(check);
      const policies = byTimeout.get(timeout) ?? new Set();
      byTimeout.set(timeout, policies.add(policy));
    }
  }
  return byTimeout;
}

function isPrompting(check: PostureCheckRecord, { woken, unlocked }: EndpointEvent): boolean {
  if (check.typeId !== 'MFA') return false;
  return (woken && check.promptOnWake === true) || (unlocked && check.promptOnUnlock === true);
}

/** Whether the time-out would leave more time than the grace period that has begun. */
function outlastsGrace(check: PostureCheckRecord, passedAt: number, now: number): boolean {
  const seconds = timeoutSecondsOf(check);
  return seconds === neverEnds || passedAt + seconds * 1000 - now > promptGraceSeconds * 1000;
}

/** The part that is the same in every answer, kept per record. */
const heads = new WeakMap<ServiceRecord, string>();

function headOf(record: ServiceRecord): string {
  let head = heads.get(record);
  if (head === undefined) {
    const { id, name } = record;
    const rest = `,"name":${JSON.stringify(name)},"postureQueryType":"MFA","timeout":`;
    // Joined, so that V8 keeps it in one piece.
    head = ['{"id":"', id, '"', rest].join('');
    heads.set(record, head);
  }
  return head;
}

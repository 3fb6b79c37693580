// Whether the posture of a client permits its session (behaviour/sessions#endings).

import type { AccessCondition } from '../access/session-endings.ts';
import type { Clock } from '../platform/ports.ts';
import type { SessionRecord } from '../records/session.ts';
import type { Posture } from './posture.ts';
import type { Asker } from './subject.ts';

/** A session goes on while a policy that gives it access passes (behaviour/sessions#endings). */
export function sessionCondition(posture: Posture, clock: Clock): AccessCondition {
  return {
    get isUsed() {
      return posture.isUsed;
    },
    isMet: (policies, session: SessionRecord) =>
      passesOne(posture, policies, session, clock.now()) || posture.isLeftToRouters(session),
  };
}

/** Whether the asker passes all checks of one of these service policies, given by slot. */
export function passesOne(
  posture: Posture,
  policies: readonly number[],
  asker: Asker,
  now: number,
): boolean {
  // Most policies have no checks; then no posture data is needed.
  if (policies.some((policy) => posture.checksOf(policy).length === 0)) return true;
  const subject = posture.subjectOf(asker);
  return policies.some((policy) => posture.passes(policy, subject, now));
}

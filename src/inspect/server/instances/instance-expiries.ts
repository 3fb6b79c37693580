// Posture checks that an API session passes only for a while, with the time at which each will
// fail.

import { evaluate } from '../../../posture/evaluate-check.ts';
import { identityKind } from '../../../records/identity.ts';
import type { RecordBase } from '../../../store/record.ts';
import type { InspectEnvironment } from '../context.ts';

/** A posture check that will fail. */
export interface CheckExpiry {
  /** Wall-clock ms. */
  readonly at: number;
  readonly id: string;
  readonly name: string;
}

/** The kind of the records whose endpoints posture evaluates. */
const kindOfEndpoints = 'apiSession';

/**
 * The checks that some service policy requires of an endpoint's identity and that it passes until a
 * known time, nearest first. Records of other kinds have none (behaviour/posture).
 */
export function checkExpiries(
  { store, access, posture, clock }: InspectEnvironment,
  kind: string,
  record: RecordBase,
): readonly CheckExpiry[] {
  const { identityId }: Readonly<Record<string, unknown>> = record;
  if (kind !== kindOfEndpoints || typeof identityId !== 'string') return [];
  const identity = store.table(identityKind).find(identityId);
  if (identity === undefined) return [];
  const subject = posture.subjectOf({ identityId, apiSessionId: record.id });
  const now = clock.now();
  const expiries = new Map<string, CheckExpiry | undefined>();
  for (const policy of access.policiesOf('identity', identity.slot, 'servicePolicy')) {
    for (const check of posture.checksOf(policy)) {
      if (expiries.has(check.id)) continue;
      const { failsAt: at } = evaluate(check, subject, now);
      expiries.set(check.id, at === undefined ? undefined : { at, id: check.id, name: check.name });
    }
  }
  const found = [...expiries.values()].filter((expiry) => expiry !== undefined);
  return found.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

// Whether posture remembers of each policy the checks that it asks for.

import { memberTest } from '../declare/integrity-policies.ts';
import type { PostureCheckRecord } from '../resources/posture-check.ts';
import { type Look, type Repair, rowsAStep } from '../store/fault.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import type { Posture } from './contract.ts';

/** Holds what is remembered against the texts of records. Whatever is wrong, all is forgotten. */
export function* knownFaults(store: Store, posture: Pick<Posture, 'known'>, repair: Repair): Look {
  const policies = store.table('servicePolicy');
  const checks = store.table<PostureCheckRecord>('postureCheck');
  // What is forgotten meanwhile was not kept wrongly any more.
  for (let slot = 0; slot < posture.known.length; slot++) {
    if (slot % rowsAStep === 0) yield;
    const known = posture.known[slot];
    if (known === undefined) continue;
    const record = policies.inSlot(slot)?.record;
    const isAskedFor = record === undefined ? nobody : memberTest(record, 'postureCheckRoles');
    if (isAsIs(checks, known, isAskedFor)) {
      yield;
      continue;
    }
    const what = record === undefined ? `in slot ${slot}` : record.id;
    const description = `posture: servicePolicy ${what} is remembered with other checks than it has`;
    yield { description, repair, advice: 'restart the controller: it remembers nothing of before' };
  }
}

const nobody = () => false;

function isAsIs(
  checks: Table<PostureCheckRecord>,
  known: readonly PostureCheckRecord[],
  isAskedFor: (id: string, attributes: readonly string[]) => boolean,
): boolean {
  const remembered = new Set(known);
  let count = 0;
  for (const { record } of checks.all()) {
    const isAsked = isAskedFor(record.id, record.roleAttributes);
    if (isAsked !== remembered.has(record)) return false;
    if (isAsked) count++;
  }
  return count === known.length;
}

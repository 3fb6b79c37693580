// All rows that match a list's filter, in its order: cached matches brought up to date, or matches
// found step by step, so that a search through a million rows does not block other requests.

import type { Row } from '../../store/record.ts';
import { amendedAtOnceMax, rowCosts } from './costs.ts';
import { ordered } from './order.ts';
import type { RowList } from './row-list.ts';
import { type Candidates, type Matches, matching, type Steps } from './search.ts';

/**
 * The cached matches, brought up to date; undefined if there are none, or if examining all rows is
 * cheaper.
 */
export function knownMatches(list: RowList): Matches | undefined {
  const { table, memory, asked, budget, env } = list;
  const known = memory.matches.get(asked.key);
  // While deferred cascades are pending, rows may become invisible without a change of their
  // table.
  if (known === undefined || table.mayHoldDeleted) return undefined;
  env.store.fence.note(table.lastLsn);
  const { revision } = table;
  if (known.revision === revision) return { slots: known.slots, looked: 0 };
  const written = table.writtenAfter(known.revision);
  if (written === undefined || written.size > amendedAtOnceMax) return undefined;
  if (written.size * rowCosts.amend > known.looked * rowCosts.look) return undefined;
  budget.spend(written.size);
  const slots = amended(list, known.slots, written);
  // Cached matches must not grow beyond their weight in the cache.
  if (slots.length > known.weight * 1.25 + 8) return undefined;
  known.slots = slots;
  known.revision = revision;
  return { slots, looked: written.size };
}

/** Caches all matches of a list. They must depend only on the rows' own records. */
export function rememberMatches(
  { table, memory, asked }: RowList,
  { slots, looked }: Matches,
): void {
  if (table.mayHoldDeleted) return;
  const { revision } = table;
  // From now on the table records its writes.
  table.writtenAfter(revision);
  memory.matches.set(asked.key, { revision, slots, weight: slots.length, looked });
}

/**
 * Finds all matches and caches them, while writes go on in between. If too much is written in the
 * meantime it caches nothing, and each reader examines all rows at once.
 * @throws FilterError if that takes more steps than one request may use.
 */
export function* findMatches(list: RowList, from: Candidates): Steps<void> {
  const { table } = list;
  const { revision } = table;
  // From now on the table records its writes.
  table.writtenAfter(revision);
  const found = yield* matching(list, from);
  const slots = yield* ordered(list, found.slots, Number.POSITIVE_INFINITY, true);
  const written = table.writtenAfter(revision);
  if (written === undefined) return;
  rememberMatches(list, { slots: amended(list, slots, written), looked: found.looked });
}

/**
 * The slots of all matches in order.
 * @param slots those from before the writes
 * @param written slots of the rows that were written since
 */
function amended(list: RowList, slots: Uint32Array, written: ReadonlySet<number>): Uint32Array {
  const { table, test, compare } = list;
  if (written.size === 0) return slots;
  const fresh: Row[] = [];
  for (const slot of written) {
    const row = table.inSlot(slot);
    if (row !== undefined && (test === undefined || test(row))) fresh.push(row);
  }
  fresh.sort(compare);
  const kept = without(slots, written, table.slots);
  return fresh.length === 0 ? kept : merged(list, kept, fresh);
}

function without(slots: Uint32Array, gone: ReadonlySet<number>, bound: number): Uint32Array {
  // A look-up in a set takes as long as clearing some dozen bytes.
  if (slots.length * 32 < bound) return slots.filter((slot) => !gone.has(slot));
  const marks = new Uint8Array(bound);
  for (const slot of gone) marks[slot] = 1;
  const kept = new Uint32Array(slots.length);
  let count = 0;
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] ?? 0;
    if (marks[slot] !== 1) kept[count++] = slot;
  }
  return kept.subarray(0, count);
}

function merged(
  { table, compare }: RowList,
  kept: Uint32Array,
  fresh: readonly Row[],
): Uint32Array {
  const all = new Uint32Array(kept.length + fresh.length);
  let from = 0;
  for (const [index, row] of fresh.entries()) {
    // The position of the row among those that are kept.
    let [to, high] = [from, kept.length];
    while (to < high) {
      const middle = (to + high) >>> 1;
      const other = table.inSlot(kept[middle] ?? -1);
      if (other !== undefined && compare(other, row) < 0) to = middle + 1;
      else high = middle;
    }
    all.set(kept.subarray(from, to), from + index);
    all[to + index] = row.slot;
    from = to;
  }
  all.set(kept.subarray(from), from + fresh.length);
  return all;
}

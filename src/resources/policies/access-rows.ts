// Lists of rows that access selects: its slots as the source of a list, and the reads they depend
// on.

import { familySides, type PolicyFamily } from '../../declare/kinds/access-vocabulary.ts';
import type { RowSource } from '../../declare/lists/list.ts';
import type { Context } from '../context.ts';

/** Slots that access computed from policies of this family, as the source of a list. */
export function selectedRows(
  context: Context,
  family: PolicyFamily,
  slots: Iterable<number>,
): Extract<RowSource, { form: 'slots' }> {
  noteFamily(context, family);
  return { form: 'slots', slots: slots instanceof Uint32Array ? slots : Uint32Array.from(slots) };
}

/**
 * Notes as read all records that decide about a family: every policy of it and every member it may
 * select. The rows that such a list leaves out depend on them as much as the rows it shows.
 */
export function noteFamily(context: Context, family: PolicyFamily): void {
  const { store, registry } = context.env;
  for (const { kind, policy, member } of registry.kinds.values()) {
    const decides =
      policy?.family === family ||
      (member !== undefined && familySides[family].includes(member.space));
    if (decides) store.fence.note(store.tableNamed(kind).lastLsn);
  }
}

// The records to which the declared fields of a record refer, and the records that refer to it.

import { boundsOf } from '../../../settings/bounds.ts';
import type { RecordBase } from '../../../store/record.ts';
import type { InstanceReferrer, InstanceRelation } from '../../messages.ts';
import type { InspectEnvironment } from '../context.ts';
import { instanceBounds } from './instance-list.ts';
import { sessionClient } from './session-client.ts';

/** The records that a record's fields refer to, at most `inspectRelatedMax` of each field. */
export function relationsOf(
  { registry, inspection, bounds }: InspectEnvironment,
  kind: string,
  record: RecordBase,
): InstanceRelation[] {
  const values: Readonly<Record<string, unknown>> = record;
  const { inspectRelatedMax } = boundsOf(relationBounds, bounds);
  const relations = registry.kinds.get(kind)?.relations ?? [];
  return relations.flatMap(({ field, relation }) => {
    const found = relation.ids(values[field]) ?? [];
    const ids = typeof found === 'string' ? [found] : found.slice(0, inspectRelatedMax);
    return ids.map((id) => {
      const name = inspection.names.at(relation.kind, id);
      return { field, kind: relation.kind, id, name };
    });
  });
}

/**
 * The records that refer to a record, by kind and field, the first `inspectSomeMax` of each by
 * name. Records that an open deferred cascade will remove may still be counted; if very many of
 * them come first, the records after them are not named.
 */
export function referrersOf(env: InspectEnvironment, kind: string, id: string): InstanceReferrer[] {
  const { registry, store, inspection, bounds } = env;
  const { inspectSomeMax } = boundsOf(relationBounds, bounds);
  let left = boundsOf(instanceBounds, bounds).inspectRowsAtOnceMax;
  return registry.cascades.inbound(kind).flatMap(({ from, field, index }) => {
    const table = store.tableNamed(from);
    const group = table.group(index);
    const count = group.count(id);
    const some = [];
    store.fence.note(table.lastLsn);
    for (const row of group.rows(id)) {
      if (some.length >= inspectSomeMax || left-- <= 0) break;
      if (table.find(row.id) !== row) continue;
      const client = sessionClient(env, from, row);
      const name = inspection.names.of(from, row.record);
      some.push({ id: row.id, name, ...(client === undefined ? {} : { client }) });
    }
    return count === 0 ? [] : [{ kind: from, field, count, some }];
  });
}

/** Bounds of the neighbours that are shown of a record. */
export const relationBounds = {
  /** Records that one field of an instance refers to, as inspectors see them. @bound */
  inspectRelatedMax: 100,
  /** Records named of those that refer to an instance; lists show the rest. @bound */
  inspectSomeMax: 10,
};

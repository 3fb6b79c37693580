// What a record refers to by its declared fields, and what refers to it.

import type { Environment } from '../declare/environment.ts';
import type { RecordBase } from '../store/record.ts';
import type { InstanceReferrer, InstanceRelation } from './contract.ts';

/** The records that a record's fields refer to, at most `inspectRelatedMax` of each field. */
export function relationsOf(
  { registry, inspection, limits }: Environment,
  kind: string,
  record: RecordBase,
): InstanceRelation[] {
  const values = record as unknown as Readonly<Record<string, unknown>>;
  const relations = registry.kinds.get(kind)?.relations ?? [];
  return relations.flatMap(({ field, relation }) => {
    const found = relation.ids(values[field]) ?? [];
    const ids = typeof found === 'string' ? [found] : found.slice(0, limits.inspectRelatedMax);
    return ids.map((id) => {
      const name = inspection.names.at(relation.kind, id);
      return { field, kind: relation.kind, id, name };
    });
  });
}

/**
 * The records that refer to a record, by kind and field, the first `inspectSomeMax` of each by
 * name. Those that a consequence under way takes with it may still be counted.
 */
export function referrersOf(
  { registry, store, inspection, limits }: Environment,
  kind: string,
  id: string,
): InstanceReferrer[] {
  return registry.cascades.inbound(kind).flatMap(({ from, field, index }) => {
    const table = store.table(from);
    const count = table.group(index).count(id);
    const some = [];
    for (const { record } of table.members(index, id)) {
      some.push({ id: record.id, name: inspection.names.of(from, record) });
      if (some.length >= limits.inspectSomeMax) break;
    }
    return count === 0 ? [] : [{ kind: from, field, count, some }];
  });
}

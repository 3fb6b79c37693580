// What the frames of the log change in the model of the network that routers get
// (behaviour/control-channel#router-data-model).

import Type from 'typebox';
import { field } from '../declare/kinds/field.ts';
import { defineKind } from '../declare/kinds/kind.ts';

const never = { write: 'never', show: 'never' } as const;
const rows = () => field(Type.Array(Type.Array(Type.String())), { fallback: [], ...never });

/** Separates ids in a text; no id can hold it. */
export const separator = '\n';

/** Ids as one text. */
export function joined(ids: readonly string[]): string {
  return ids.join(separator);
}

/** The ids of a text. */
export function idsOf(text: string): string[] {
  return text.split(separator);
}

/** The indexes of its fields among the values of each version. */
const [relationsAt, membershipsAt] = [5, 9];

/**
 * The stored side of the model: one record, which each frame that changes the model writes. So the
 * LSN of the record is the index of the model, and the log tells what each index has changed.
 */
export const routerModelKind = defineKind({
  kind: 'routerModel',
  version: 2,
  fields: {
    /** As `Touches.records`. */
    records: rows(),
    /** As `Touches.relations`. */
    relations: rows(),
    /** As `Touches.moved`. */
    moved: field(Type.Array(Type.String()), { fallback: [], ...never }),
    /** As `Touches.policies`. */
    policies: rows(),
    /** As `Touches.isWide`. */
    isWide: field(Type.Boolean(), { fallback: false, ...never }),
    /** As `Touches.memberships`. */
    memberships: field(Type.Array(Type.String()), { fallback: [], ...never, since: 2 }),
  },
  // Version 1 has all of them among the relations.
  downgrades: {
    2: (values) => {
      const memberships = values[membershipsAt] as readonly string[];
      const relations = memberships.flatMap((text) => {
        const [kind, id, ...policies] = idsOf(text);
        return policies.map((policy) => [policy, kind, id]);
      });
      const all = [...(values[relationsAt] as readonly unknown[]), ...relations];
      return values.with(relationsAt, all).slice(0, membershipsAt);
    },
  },
  many: [],
  // There is only one, so its id says enough.
  calledBy: [],
});

/** The id of the record. */
export const routerModelId = 'model';

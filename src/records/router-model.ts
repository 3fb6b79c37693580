// What the frames of the log change in the model of the network that routers get
// (behaviour/control-channel#router-data-model).

import Type from 'typebox';
import { field } from '../declare/kinds/field.ts';
import { defineKind } from '../declare/kinds/kind.ts';

const never = { write: 'never', show: 'never' } as const;
const rows = () => field(Type.Array(Type.Array(Type.String())), { fallback: [], ...never });

/**
 * The stored side of the model: one record, which each frame that changes the model writes. So the
 * LSN of the record is the index of the model, and the log tells what each index has changed.
 */
export const routerModelKind = defineKind({
  kind: 'routerModel',
  version: 1,
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
  },
  many: [],
  // There is only one, so its id says enough.
  calledBy: [],
});

/** The id of the record. */
export const routerModelId = 'model';

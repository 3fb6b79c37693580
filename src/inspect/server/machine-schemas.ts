// Schemas of machines and instances for the API description; the types are in contract.ts.

import Type from 'typebox';

const text = Type.String();
const texts = Type.Array(text);
const moment = Type.String({ format: 'date-time' });
const flag = Type.Boolean();
const count = Type.Integer({ minimum: 0 });

/** `MachineView` */
export const machineSchema = Type.Object(
  {
    id: text,
    name: text,
    isLive: flag,
    states: texts,
    finals: texts,
    initial: text,
    regions: Type.Array(Type.Object({ name: text, initial: text, states: texts })),
    transitions: Type.Array(
      Type.Object({
        from: text,
        event: text,
        to: text,
        guarded: Type.Optional(text),
        refused: Type.Optional(text),
      }),
    ),
    total: count,
    counts: Type.Record(text, count),
  },
  { title: 'inspectedMachine' },
);

/** `InstanceRow` */
export const rowSchema = Type.Object(
  {
    id: text,
    name: text,
    state: text,
    createdAt: moment,
    updatedAt: moment,
    lsn: count,
    deadline: Type.Optional(moment),
  },
  { title: 'inspectedInstance' },
);

/** `InstanceDetail` */
export const detailSchema = Type.Object(
  {
    id: text,
    kind: text,
    name: text,
    state: text,
    isLive: flag,
    lsn: count,
    record: Type.Record(text, Type.Unknown()),
    deadline: Type.Optional(Type.Object({ at: moment, event: text })),
    lapses: Type.Optional(Type.Array(Type.Object({ at: moment, id: text, name: text }))),
    events: texts,
    relations: Type.Array(Type.Object({ field: text, kind: text, id: text, name: text })),
    referrers: Type.Array(
      Type.Object({
        kind: text,
        field: text,
        count,
        some: Type.Array(Type.Object({ id: text, name: text })),
      }),
    ),
  },
  { title: 'inspectedInstanceDetail' },
);

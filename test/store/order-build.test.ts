// An order that is built while writes go on is what sorting all rows in the end makes.

import t from 'tap';
import type { RecordBase } from '../../src/store/record.ts';
import { Table } from '../../src/store/table.ts';
import * as fc from '../properties.ts';
import { loneTable } from './lone-table.ts';

interface Box extends RecordBase {
  readonly weight: number | undefined;
}

const box = (id: number, weight: number | undefined): Box => {
  return { id: String(id), createdAt: 0, updatedAt: 0, tags: {}, weight };
};

function emptyTable(): Table<Box> {
  const codec = {
    version: 1,
    oldestWritten: 1,
    encode: () => [],
    decode: () => box(0, 0),
    compact: (one: Box) => one,
  };
  const orders = [{ name: 'weight', key: ({ weight }: Box) => weight }];
  return new Table<Box>({ kind: 'box', codec, unique: [], groups: [], orders }, loneTable());
}

const weight = fc.option(fc.nat({ max: 9 }), { nil: undefined });
interface Write {
  readonly id: number;
  readonly weight: number | undefined | null;
  readonly isUndone: boolean;
}

/** Written again with another weight, or with none at all: deleted; perhaps taken back at once. */
const write: fc.Arbitrary<Write> = fc.record({
  id: fc.nat({ max: 6000 }),
  weight: fc.option(weight, { nil: null }),
  isUndone: fc.boolean(),
});

t.test('whatever is written between its steps', async (t) => {
  const property = fc.property(
    fc.constantFrom('id', 'weight'),
    fc.uniqueArray(fc.tuple(fc.nat({ max: 6000 }), weight), {
      maxLength: 5000,
      selector: ([id]) => id,
    }),
    fc.array(fc.array(write, { maxLength: 40 }), { maxLength: 60 }),
    (by, start, turns) => {
      const table = emptyTable();
      for (const [id, itsWeight] of start) table.write(String(id), box(id, itsWeight));
      const steps = table.buildOrder(by);
      const pending = turns.values();
      for (let step = steps.next(); !step.done; step = steps.next()) {
        for (const one of pending.next().value ?? []) apply(table, one);
      }
      if (!table.isOrderKept(by)) throw new Error('it is not kept');
      expectInOrder(table, by);
      // From then on it is kept as any other.
      for (const one of [...pending].flat()) apply(table, one);
      expectInOrder(table, by);
    },
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 60 }));
});

function apply(table: Table<Box>, { id, weight, isUndone }: Write): void {
  const key = String(id);
  const before = table.peek(key)?.record;
  const after = weight === null ? undefined : box(id, weight);
  const row = table.write(key, after);
  if (row === undefined) return;
  if (isUndone) table.undo(row, before, after);
  else if (after === undefined) table.releaseSlot(row);
}

function expectInOrder(table: Table<Box>, by: string): void {
  const ids = table.runs(by).flatMap((run) => run.map(({ record }) => record.id));
  const sorted = [...table.all()]
    .map(({ record }) => record)
    .sort((a, b) => {
      const byWeight = by === 'weight' ? (a.weight ?? -1) - (b.weight ?? -1) : 0;
      return byWeight || (a.id < b.id ? -1 : 1);
    })
    .map(({ id }) => id);
  if (ids.join() !== sorted.join()) throw new Error(`${ids} is not ${sorted}`);
}

t.test('one that is given up leaves nothing behind', async (t) => {
  const table = emptyTable();
  for (let id = 0; id < 5000; id++) table.write(String(id), box(id, id % 7));
  const steps = table.buildOrder('weight');
  steps.next();
  steps.return(undefined);
  t.notOk(table.isOrderKept('weight'));
  t.throws(() => table.buildOrder('nothing').next(), /no order/);
  expectInOrder(table, 'weight');
});

t.test('an order that somebody could not wait for is replaced', async (t) => {
  const table = emptyTable();
  for (let id = 0; id < 5000; id++) table.write(String(id), box(id, id % 7));
  const steps = table.buildOrder('weight');
  steps.next();
  expectInOrder(table, 'weight');
  for (const _ of steps) apply(table, { id: 17, weight: 3, isUndone: false });
  t.equal(table.internals.sorted.filter(({ name }) => name === 'weight').length, 1);
  expectInOrder(table, 'weight');
});

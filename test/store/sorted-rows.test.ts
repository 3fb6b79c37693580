// Rows in the order of a key: blocks behave like a sorted array, at any offset and from both ends.

import t from 'tap';
import { compareValues } from '../../src/filter/order.ts';
import { type RecordBase, Row } from '../../src/store/record.ts';
import { type OrderKey, type RowOrder, SortedRows } from '../../src/store/sorted-rows.ts';
import * as fc from '../properties.ts';

interface Box extends RecordBase {
  readonly weight: OrderKey;
}

const row = (id: number, weight: OrderKey) =>
  new Row<Box>({ id: String(id), createdAt: 0, updatedAt: 0, tags: {}, weight }, 0, 0);

const byId: RowOrder<Box> = { name: 'id', key: ({ id }) => id };
const byWeight: RowOrder<Box> = { name: 'weight', key: ({ weight }) => weight };

const ids = (rows: readonly Row<Box>[]) => rows.map(({ record }) => record.id);
const idOrder = (a: Row<Box>, b: Row<Box>) => compareValues(a.record.id, b.record.id);

/** Few weights, so that many rows have the same; some have none. */
const weights = fc.oneof(fc.constant(undefined), fc.integer({ min: 0, max: 3 }));
const boxes = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 5000 }), weights), {
  maxLength: 3000,
  selector: ([id]) => id,
});
const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 5000 }), weights), {
  maxLength: 400,
});

for (const order of [byId, byWeight]) {
  t.test(`by ${order.name}: agrees with a sorted array after random changes`, async (t) => {
    const property = fc.property(
      boxes,
      steps,
      fc.nat({ max: 3000 }),
      fc.nat({ max: 50 }),
      (start, changes, offset, count) => {
        const rows = new Map(start.map(([id, weight]) => [id, row(id, weight)]));
        const sorted = new SortedRows(order, rows.values());
        for (const [adds, id, weight] of changes) change(sorted, rows, { adds, id, weight });
        const compare = (sign: number) => (a: Row<Box>, b: Row<Box>) =>
          sign * compareValues(order.key(a.record), order.key(b.record)) || idOrder(a, b);
        const ascending = [...rows.values()].sort(compare(1));
        const descending = [...rows.values()].sort(compare(-1));
        const end = offset + count;
        t.same(ids(sorted.runs.flat()), ids(ascending));
        t.same(ids(sorted.page(offset, count)), ids(ascending.slice(offset, end)));
        t.same(ids(sorted.page(offset, count, true)), ids(descending.slice(offset, end)));
        t.same(ids(sorted.page(0, 5000, true)), ids(descending));
        t.same(ids(sorted.turned(ascending)), ids(descending));
        t.equal(sorted.size, ascending.length);
      },
    );
    fc.assert(property, { numRuns: 30 });
  });
}

interface Change {
  readonly adds: boolean;
  readonly id: number;
  readonly weight: OrderKey;
}

/** A row comes, goes, or gets another weight: then it is out of the order while it changes. */
function change(
  sorted: SortedRows<Box>,
  rows: Map<number, Row<Box>>,
  { adds, id, weight }: Change,
): void {
  const known = rows.get(id);
  if (known === undefined) {
    if (!adds) return;
    const fresh = row(id, weight);
    rows.set(id, fresh);
    sorted.add(fresh);
  } else if (adds) {
    const record = { ...known.record, weight };
    if (!sorted.moves(known.record, record)) return;
    sorted.remove(known);
    known.record = record;
    sorted.add(known);
  } else {
    rows.delete(id);
    sorted.remove(known);
  }
}

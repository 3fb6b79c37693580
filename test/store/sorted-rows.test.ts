// Rows in id order: blocks behave like a sorted array, at any offset.

import fc from 'fast-check';
import t from 'tap';
import { SortedRows } from '../../src/store/indexes.ts';
import { Row } from '../../src/store/record.ts';

const row = (id: string) => new Row({ id, createdAt: 0, updatedAt: 0, tags: {} }, 0, 0);

t.test('agrees with a sorted array after random insertions and removals', async (t) => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 5000 })), {
    maxLength: 400,
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 5000 }), { maxLength: 3000 }),
      steps,
      (start, changes) => {
        const rows = new Map(start.map((n) => [String(n), row(String(n))]));
        const sorted = new SortedRows(rows.values());
        for (const [adds, n] of changes) {
          const id = String(n);
          const known = rows.get(id);
          if (adds && known === undefined) {
            const fresh = row(id);
            rows.set(id, fresh);
            sorted.add(fresh);
          } else if (!adds && known !== undefined) {
            rows.delete(id);
            sorted.remove(known);
          }
        }
        const expected = [...rows.keys()].sort();
        const ids = [...sorted].map(({ record }) => record.id);
        const offset = Math.trunc(expected.length / 3);
        const page = sorted.slice(offset, 7).map(({ record }) => record.id);
        return (
          JSON.stringify(ids) === JSON.stringify(expected) &&
          JSON.stringify(page) === JSON.stringify(expected.slice(offset, offset + 7)) &&
          sorted.size === expected.length
        );
      },
    ),
    { numRuns: 60 },
  );
  t.pass('property held');
});

// Indexes that recovery loads are as those that the same rows were written to one by one.

import t from 'tap';
import { GroupIndex, UniqueIndex } from '../../src/store/indexes.ts';
import { type RecordBase, Row } from '../../src/store/record.ts';
import * as fc from '../properties.ts';

interface Thing extends RecordBase {
  readonly keys: string | readonly string[] | undefined;
}

/** Few, so that rows that follow each other often have one in common. */
const keys = ['a', 'b'];
const keysOfThing = fc.oneof(
  fc.constantFrom(undefined, ...keys),
  fc.array(fc.constantFrom(...keys), { maxLength: 3 }),
);
const step = fc.record({
  does: fc.constantFrom('load', 'drop', 'change'),
  keys: keysOfThing,
  which: fc.nat(),
});

t.test('groups that are loaded are as those that are changed', async (t) => {
  const agree = fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, ends) => {
    const rows: Row<Thing>[] = [];
    const live: Row<Thing>[] = [];
    const [loaded, changed] = [groupsOf(rows), groupsOf(rows)];
    for (const { does, keys, which } of steps) {
      const row = does === 'load' ? undefined : live[which % Math.max(1, live.length)];
      const after = does === 'drop' ? undefined : thing(row?.record.id ?? `${rows.length}`, keys);
      if (row !== undefined) {
        for (const index of [loaded, changed]) index.change(row, row.record, after);
        if (after !== undefined) row.record = after;
        else live.splice(live.indexOf(row), 1);
      } else if (after !== undefined) {
        const created = new Row(after, 1, rows.length);
        rows.push(created);
        live.push(created);
        loaded.load(created, after);
        changed.change(created, undefined, after);
      }
    }
    if (ends) loaded.endLoad();
    return keys.every((key) => {
      const slots = (index: GroupIndex<Thing>) => [...index.rows(key)].map(({ slot }) => slot);
      const [found, expected] = [slots(loaded), slots(changed)];
      return loaded.count(key) === expected.length && `${found.sort()}` === `${expected.sort()}`;
    });
  });
  t.doesNotThrow(() => fc.assert(agree, { numRuns: 1000 }));
});

function groupsOf(rows: readonly Row<Thing>[]): GroupIndex<Thing> {
  const keysOf = ({ keys }: Thing) => keys;
  return new GroupIndex<Thing>('keys', keysOf, (slot) => rows[slot]);
}

t.test('of two rows with one unique key that are loaded the later is found', async (t) => {
  const index = new UniqueIndex<Thing>('keys', ({ keys }) => keys as string | undefined);
  const rows = ['a', 'b', undefined, 'a'].map((key, at) => new Row(thing(String(at), key), 1, at));
  for (const row of rows) index.load(row, row.record);
  index.endLoad();
  t.equal(index.get('a'), rows[3]);
  t.equal(index.get('b'), rows[1]);
  t.equal([...index.map.entries()].length, 2);
});

function thing(id: string, keys: Thing['keys']): Thing {
  return { id, createdAt: 1, updatedAt: 1, tags: {}, keys };
}

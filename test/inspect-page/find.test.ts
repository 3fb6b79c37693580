// The suggestions of the find box, and the arrow keys in it.

import t from 'tap';
import type { InstanceRow } from '../../src/inspect/messages.ts';
import {
  foundPlaces,
  moved,
  namedPlaces,
  ranked,
  unsearchedNote,
} from '../../src/inspect/page/components/suggestions.ts';
import { door } from './sample-machines.ts';

const window = { ...door, id: 'window', counts: { open: 3, shut: 0 }, total: 3 };
const machines = [door, window];
const row = { id: 'i1', name: 'front', state: 'open', lsn: 4, createdAt: '', updatedAt: '' };

const titles = (text: string) => namedPlaces(machines, text, 5).map(({ title }) => title);

t.test('kinds and states by their names', async (t) => {
  t.strictSame(titles('do'), ['all of door', 'all of window']);
  t.strictSame(titles(' OPEN'), ['door in open', 'window in open']);
  t.strictSame(titles('shut'), ['door in shut'], 'states that nothing is in lead nowhere');
  t.strictSame(titles('jam'), []);
});

t.test('a filter and an empty text name nothing', async (t) => {
  t.strictSame(titles(''), []);
  t.strictSame(titles('state = "open"'), []);
});

t.test('no more than is shown', async (t) => {
  t.equal(namedPlaces(machines, 'o', 2).length, 2);
});

const placesOf = (total: number, ...instances: InstanceRow[]) =>
  foundPlaces({ kind: 'door', total, instances, isWhole: true }, 'fr');

t.test('instances, and the list of all of them', async (t) => {
  t.match(placesOf(1, row), [
    { title: 'front', detail: 'i1', route: { view: 'instance', kind: 'door', id: 'i1' } },
  ]);
  t.match(placesOf(1, { ...row, name: '' }), [{ title: 'i1', detail: '' }]);
  t.equal(placesOf(1, row).length, 1, 'no list of what is shown already');
  const filter = 'id contains "fr" or name icontains "fr"';
  const whole = { title: 'all 12 in door', route: { view: 'kind', filter, offset: 0 } };
  t.match(placesOf(12, row)[1], whole);
});

t.test('the nearest first, whole lists last', async (t) => {
  const named = (name: string) => ({ ...row, id: `id-${name}`, name });
  const found = placesOf(9, named('a front'), named('front two'), named('Front')).reverse();
  t.strictSame(
    ranked(found, ' front').map(({ title }) => title),
    ['Front', 'front two', 'a front', 'all 9 in door'],
  );
  t.equal(ranked(found, 'id-a front')[0]?.title, 'a front');
});

t.test('kinds that were not searched to their end are named', async (t) => {
  const group = (kind: string, isWhole: boolean) => ({ kind, isWhole, total: 0, instances: [] });
  t.equal(unsearchedNote([group('door', true)]), '');
  t.equal(
    unsearchedNote([group('door', false), group('window', true), group('wall', false)]),
    'The search ended before it had looked at all records of door, wall.',
  );
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((kind) => group(kind, false));
  t.match(unsearchedNote(many), / of a, b, c, d, e, others\.$/);
});

t.test('arrows go around, past the box itself', async (t) => {
  t.strictSame(
    [moved(-1, 1, 3), moved(2, 1, 3), moved(-1, -1, 3), moved(0, -1, 3), moved(-1, 1, 0)],
    [0, -1, 2, -1, -1],
  );
});

// Filters of inspectors: shared by text, bounded in number and in work.

import t from 'tap';
import { FilterError } from '../../src/filter/scope.ts';
import type { Transition } from '../../src/inspect/messages.ts';
import { StreamFilters } from '../../src/inspect/server/stream/stream-filter.ts';
import { streamRequestOf } from '../../src/inspect/server/stream/stream-request.ts';

const batch = (length: number, lost = 0) => ({
  lsn: length,
  length,
  lost,
  at: (index: number): Transition => ({
    lsn: index + 1,
    timeMs: 0,
    kind: index % 2 ? 'identity' : 'router',
    id: `i${index}`,
    event: 'create',
    from: 'none',
    to: 'enabled',
    actor: 'a',
    actorName: 'Ada',
    operation: 'createIdentity',
    requestId: 'r',
    causeLsn: 0,
  }),
});

t.test('without a filter the first are taken and the others counted', (t) => {
  const all = new StreamFilters().use('');
  const { transitions, dropped } = all.take(batch(10, 5), 4, 0);
  t.same(
    transitions.map(({ id }) => id),
    ['i0', 'i1', 'i2', 'i3'],
  );
  t.equal(dropped, 11);
  t.end();
});

t.test('a filter over each field of a transition', (t) => {
  const filters = new StreamFilters();
  for (const [text, count] of [
    ['kind = "identity"', 5],
    ['id in ["i1", "i2"]', 2],
    ['event contains "eat" and fromState = "none" and toState != "none" and to = "enabled"', 10],
    ['actor = "a" and actorName = "Ada" and operation = "createIdentity"', 10],
    ['not kind = "identity"', 5],
    ['true', 10],
    ['kind = "service"', 0],
  ] as const) {
    const { transitions, dropped } = filters.use(text).take(batch(10), 100, 10_000);
    t.equal(transitions.length, count, text);
    t.equal(dropped, 0, text);
  }
  const { transitions, dropped } = filters.use('kind = "router"').take(batch(10), 2, 10_000);
  t.equal(transitions.length, 2);
  t.equal(dropped, 3, 'only what matched and was not told is missing');
  t.end();
});

t.test('inspectorFilterStepsMax: transitions beyond the budget are dropped', (t) => {
  const filter = new StreamFilters().use('kind = "identity"');
  const { transitions, dropped } = filter.take(batch(1000, 1), 1000, 600);
  t.ok(transitions.length > 5 && transitions.length < 60, String(transitions.length));
  t.ok(dropped > 1001 - 2 * transitions.length - 3, String(dropped));
  t.end();
});

t.test('what is no condition is refused in words', (t) => {
  const filters = new StreamFilters();
  for (const text of ['kind =', 'name = "x"', 'true sort by id', 'true limit 5', 'lsn > 5']) {
    t.throws(() => filters.use(text), FilterError, text);
  }
  t.equal(filters.size, 0);
  t.end();
});

t.test('inspectorFiltersMax: one per text, within the bound', (t) => {
  const filters = new StreamFilters({ inspectorFiltersMax: 2 });
  const first = filters.use('true');
  t.equal(filters.use('true'), first);
  filters.use('');
  t.throws(() => filters.use('kind = "x"'), /use 2 different filters/);
  filters.giveBack(first);
  t.throws(() => filters.use('kind = "x"'));
  filters.giveBack(first);
  filters.use('kind = "x"');
  t.equal(filters.size, 2);
  filters.giveBack(first);
  t.equal(filters.size, 2, 'given back once too often is nothing');
  t.end();
});

t.test('a filter in place of another takes its place, or leaves it where it is', (t) => {
  const filters = new StreamFilters({ inspectorFiltersMax: 1 });
  t.ok(filters.isFree(''));
  t.notOk(filters.isFree('true'));
  const first = filters.use('true');
  t.ok(filters.isFree('true'));
  t.equal(filters.use('true', first), first);
  t.throws(() => filters.use('kind =', first), FilterError);
  t.ok(filters.isFree('true'), 'what is refused changes nothing');
  const second = filters.use('kind = "x"', first);
  t.notOk(filters.isFree('true'));
  filters.use('kind = "x"');
  t.throws(() => filters.use('true', second), /1 different filters/, 'others use it still');
  t.end();
});

t.test('requests of inspectors', (t) => {
  t.same(streamRequestOf('{"type":"pause"}'), { type: 'pause' });
  t.same(streamRequestOf('{"type":"resume","more":1}'), { type: 'resume' });
  t.same(streamRequestOf('{"type":"filter","filter":"x"}'), { type: 'filter', filter: 'x' });
  for (const wrong of ['', '{', '1', 'null', '[]', '{"type":"stop"}', '{"type":"filter"}']) {
    t.type(streamRequestOf(wrong), 'string', wrong);
  }
  t.end();
});

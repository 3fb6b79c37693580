// The machines that the compiler accepts and refuses, each refusal with its sentence.

import t from 'tap';
import { and, assign, enqueueActions, raise, setup, stateIn } from 'xstate';
import { compile } from '../../machines/compile.ts';
import { decide } from '../../machines/decide.ts';
import type { DurableMachine } from '../../machines/machine.ts';
import { MachineNotCompilable } from '../../machines/shape.ts';
import * as fc from '../properties.ts';
import { assertAgreement } from './agreement.ts';
import { asking, patchOf, said } from './said.ts';

type Config = Parameters<typeof loose.createMachine>[0];

const loose = setup({
  types: { context: {} as Record<string, unknown>, events: {} as { type: string; n: number } },
  guards: {
    big: ({ event }) => event.n > 5,
    above: ({ event }, params: { readonly limit: number }) => event.n > params.limit,
    odd: ({ event }) => event.n % 2 === 1,
    both: and(['big', 'odd']),
  },
  actions: {
    refuse: (_, _params: { readonly code: string }) => {},
    note: () => {},
    noteParams: (_, _params: { readonly text: string }) => {},
    plain: () => {},
    raising: raise({ type: 'again' }) as never,
    enqueued: enqueueActions(() => {}) as never,
    mark: assign({ marked: true }),
    count: assign({ count: ({ context }) => Number(context.count ?? 0) + 1 }),
    addTen: assign(({ context }) => ({ count: Number(context.count ?? 0) + 10 })),
  },
});

/** A durable machine from a config; what isn't under test need not type-check. */
function durable(config: unknown, effects: DurableMachine['effects'] = {}): DurableMachine {
  return {
    machine: loose.createMachine({ id: 'thing', context: {}, ...(config as object) } as Config),
    meanings: {},
    guards: {},
    effects,
  };
}

const n = fc.integer({ min: 0, max: 10 });

/** Records and events of the machines that `durable` makes. */
const arbitraries = {
  record: fc.record({ id: fc.string(), state: fc.constant('a'), count: n }),
  events: Object.fromEntries(
    ['go', 'other', 'stop'].map((type) => [
      type,
      fc.record({ type: fc.constant(type), now: fc.nat(), n }),
    ]),
  ),
};

function withState(a: object, more: object = {}): unknown {
  return {
    initial: 'none',
    states: { none: { on: { go: 'a' } }, a, ...more },
  };
}

const end = { end: { type: 'final' } };
const absent = { type: 'final' };
const note = { note: () => [] };

const refusals: readonly [string, RegExp, unknown, DurableMachine['effects']?][] = [
  ['invoke', /thing, state a: invoke/, withState({ invoke: { src: 'x' } })],
  ['after', /state a: after/, withState({ after: { 10: 'none' } })],
  ['always', /state a: always/, withState({ always: 'b' }, { b: {} })],
  [
    'raise',
    /on 'x': the built-in action 'xstate.raise'/,
    withState({ on: { x: { actions: 'raising' } } }),
  ],
  [
    'enqueueActions',
    /on 'x': the built-in action 'xstate.enqueueActions'/,
    withState({ on: { x: { actions: 'enqueued' } } }),
  ],
  ['history', /history states/, withState({}, { h: { type: 'history' } })],
  ['nested states', /state a: nested states/, withState({ initial: 'b', states: { b: {} } })],
  [
    'an action without effect',
    /'plain' has neither an effect nor an assign/,
    withState({ on: { x: { actions: 'plain' } } }),
  ],
  [
    'an inline action',
    /an inline action that is no assign/,
    withState({ on: { x: { actions: () => {} } } }),
  ],
  [
    'an action with params',
    /action 'noteParams' has params/,
    withState({ on: { x: { actions: { type: 'noteParams', params: { text: 'x' } } } } }),
    { noteParams: () => [] },
  ],
  [
    'an action that is assign and effect',
    /'count' is both an assign and an effect/,
    withState({ on: { x: { actions: 'count' } } }),
    { count: () => [] },
  ],
  ['an unused effect', /effect 'note' is used by no action/, withState({}), note],
  ['an unknown guard', /unknown guard 'nobody'/, withState({ on: { x: { guard: 'nobody' } } })],
  ['an inline guard', /a guard without a name/, withState({ on: { x: { guard: () => true } } })],
  ['stateIn', /a guard without a name/, withState({ on: { x: { guard: stateIn('a') } } })],
  ['a combined guard', /'both' is made of other/, withState({ on: { x: { guard: 'both' } } })],
  [
    'params of a guard that depend on the event',
    /'above' has params that are not fixed/,
    withState({ on: { x: { guard: { type: 'above', params: () => ({ limit: 1 }) } } } }),
  ],
  ['another initial state', /must be 'none', not 'a'/, { initial: 'a', states: { a: {} } }],
  ['no states', /must have states of its own/, {}],
  [
    'a final state with transitions',
    /state end: a final state with transitions/,
    withState({ on: { x: 'end' } }, { end: { type: 'final', on: { y: 'a' } } }),
  ],
  ['entry actions', /state a: entry or exit actions/, withState({ entry: 'count' })],
  ['exit actions', /state a: entry or exit actions/, withState({ exit: 'count' })],
  ['a final none', /'none' cannot be final/, { initial: 'none', states: { none: end.end } }],
  ['a way back to none', /'none' is no target/, withState({ on: { x: 'none' } })],
  ['wildcards', /wildcard event '\*'/, withState({ on: { '*': 'a' } })],
  ['partial wildcards', /wildcard event 'x\.\*'/, withState({ on: { 'x.*': 'a' } })],
  [
    'transitions of the whole machine',
    /transitions of the whole machine/,
    { ...(withState({}) as object), on: { x: '.a' } },
  ],
  [
    'actions of the whole machine',
    /thing: entry or exit actions/,
    { ...(withState({}) as object), entry: 'count' },
  ],
  ['a state out of reach', /state b can't be reached/, withState({}, { b: {} })],
  [
    'a branch behind an unguarded one',
    /a branch of 'x' behind one that is always taken/,
    withState({ on: { x: [{ actions: 'count' }, { guard: 'big' }] } }),
  ],
  [
    'refuse with a target',
    /refuses and has a target/,
    withState({ on: { x: { target: 'a', actions: { type: 'refuse', params: { code: 'X' } } } } }),
  ],
  [
    'refuse beside another action',
    /must be the only action/,
    withState({ on: { x: { actions: [{ type: 'refuse', params: { code: 'X' } }, 'count'] } } }),
  ],
  ['refuse without a code', /needs params/, withState({ on: { x: { actions: 'refuse' } } })],
  [
    'a context made by a function',
    /its context must be an object/,
    { ...(withState({}) as object), context: () => ({}) },
  ],
  ['odd names', /must be letters and digits/, withState({ on: { x: 'b:c' } }, { 'b:c': {} })],
  [
    'regions that leave none apart',
    /all regions must leave 'none' together/,
    parallel({ none: { on: { go: 'a' } }, a: {} }, { none: { on: { other: 'b' } }, b: {} }),
  ],
  [
    'an event both refused and taken',
    /'stop' is refused and taken at once/,
    parallel(
      { none: { on: { go: 'a' } }, a: { on: { stop: 'end' } }, ...end },
      {
        none: { on: { go: 'b' } },
        b: { on: { stop: { actions: { type: 'refuse', params: { code: 'X' } } } } },
      },
    ),
  ],
  ['an absent region that goes on', /'absent' must be a final state/, partly({})],
  [
    'an absent state outside of regions',
    /'absent' must be a final state of a parallel region/,
    withState({ on: { x: 'absent' } }, { absent: { type: 'final' } }),
  ],
  [
    'a record without any region',
    /all its regions may be absent/,
    parallel(
      { none: { on: { go: 'absent' } }, absent },
      { none: { on: { go: 'absent' } }, absent },
    ),
  ],
  [
    'transitions of a region',
    /transitions of a whole region/,
    {
      type: 'parallel',
      states: { one: { initial: 'none', on: { go: '.a' }, states: { none: {}, a: {} } } },
    },
  ],
  [
    'a region without states',
    /must have states of its own/,
    { type: 'parallel', states: { one: {} } },
  ],
];

/** The second region belongs only to records that begin with an odd number. */
function partly(absentNode: object): unknown {
  return parallel(
    { none: { on: { go: 'a' } }, a: { on: { stop: 'end' } }, ...end },
    {
      none: { on: { go: [{ guard: 'odd', target: 'b' }, { target: 'absent' }] } },
      absent: absentNode,
      b: { on: { other: { target: 'b', actions: 'count' }, stop: 'end' } },
      ...end,
    },
  );
}

function parallel(one: object, two: object): unknown {
  const region = (states: object) => ({ initial: 'none', states });
  return { type: 'parallel', states: { one: region(one), two: region(two) } };
}

for (const [what, message, config, effects] of refusals) {
  t.test(`refuses ${what}`, async (t) => {
    const error = t.throws(() => compile(durable(config, effects)));
    t.ok(error instanceof MachineNotCompilable, String(error));
    t.match(String(error), message);
  });
}

t.test('refuses a table that runs away', async (t) => {
  const config = withState({});
  t.throws(() => compile(durable(config), 1), /more than 1 states/);
  t.doesNotThrow(() => compile(durable(config), 2));
  const chainOf = (length: number) => {
    const states = Array.from({ length }, (_, at) => [`s${at}`, { on: { go: `s${at + 1}` } }]);
    return withState({ on: { go: 's0' } }, Object.fromEntries([...states, [`s${length}`, {}]]));
  };
  t.doesNotThrow(() => compile(durable(chainOf(253))));
  t.throws(() => compile(durable(chainOf(254))), /more than 256 states/);
});

t.test('takes guards with fixed params', async (t) => {
  const config = withState(
    {
      on: {
        go: [
          { guard: { type: 'above', params: { limit: 8 } }, target: 'end' },
          { guard: 'big', actions: 'count' },
          { guard: 'odd' },
        ],
        other: { guard: { type: 'above', params: { limit: 2 } }, target: 'end' },
        stop: 'end',
      },
    },
    end,
  );
  const machine = durable(config);
  assertAgreement(machine, 200, arbitraries);
  const ask = asking(machine);
  const record = { id: 'x', state: 'a', count: 1 };
  t.equal(said(ask(record, { type: 'go', n: 9 })), 'a -> (deleted)');
  t.same(patchOf(ask(record, { type: 'go', n: 6 })), { count: 2 });
  t.equal(said(ask(record, { type: 'go', n: 3 })), 'a -> a');
  t.equal(said(ask(record, { type: 'go', n: 4 })), 'a ignores it');
});

t.test('runs the actions of a transition in their order, each seeing the last', async (t) => {
  const seen: unknown[] = [];
  const config = withState(
    {
      on: {
        go: { target: 'b', actions: ['count', 'note', 'mark', 'addTen', 'note'] },
        other: { target: 'a', reenter: true, actions: 'count' },
        stop: { target: 'a', actions: 'count' },
      },
    },
    { b: { on: { go: 'a', stop: 'end' } }, ...end },
  );
  const machine = durable(config, {
    note: (record) => {
      seen.push((record as { count?: unknown }).count);
      return [];
    },
  });
  assertAgreement(machine, 100, arbitraries);
  const ask = asking(machine);
  const record = { id: 'x', state: 'a', count: 0 };
  t.same(patchOf(ask(record, { type: 'go' })), { count: 11, marked: true });
  t.same(seen, [1, 11]);
  t.same(patchOf(ask(record, { type: 'other' })), { count: 1 });
  t.same(patchOf(ask(record, { type: 'stop' })), { count: 1 });
});

t.test('makes the product of parallel regions', async (t) => {
  const config = parallel(
    {
      none: { on: { go: { target: 'a', actions: 'count' } } },
      a: {
        on: {
          other: { target: 'c', actions: ['addTen', 'note'] },
          stop: { target: 'end', actions: ['count', 'note'] },
        },
      },
      c: { on: { go: { guard: 'big', target: 'a' }, stop: 'end' } },
      ...end,
    },
    {
      none: { on: { go: 'b' } },
      b: {
        on: {
          go: { guard: 'odd', target: 'd', actions: 'mark' },
          stop: [{ guard: 'big', target: 'end', actions: ['addTen', 'note'] }],
        },
      },
      d: { on: { stop: 'end' } },
      ...end,
    },
  );
  const machine = durable(config, note);
  assertAgreement(machine, 100, arbitraries);
  const table = compile(machine);
  t.equal(table.initial, 'one:none,two:none');
  t.same(
    [...table.rows.values()].filter((row) => row.final).map((row) => row.state),
    ['one:end,two:end'],
  );
  const ask = asking(machine);
  const record = { id: 'x', state: 'one:c,two:b', count: 0 };
  t.equal(said(ask(record, { type: 'go', n: 7 })), 'one:c,two:b -> one:a,two:d');
  t.equal(said(ask(record, { type: 'go', n: 6 })), 'one:c,two:b -> one:a,two:b');
  t.equal(said(ask(record, { type: 'go', n: 2 })), 'one:c,two:b ignores it');
});

t.test('a region that a record does not have is no part of its state', async (t) => {
  const machine = durable(partly(absent));
  assertAgreement(machine, 100, arbitraries);
  const ask = asking(machine);
  t.equal(said(ask(undefined, { type: 'go', n: 1 })), 'one:none,two:none -> one:a,two:b');
  t.equal(said(ask(undefined, { type: 'go', n: 2 })), 'one:none,two:none -> one:a');
  const record = { id: 'x', state: 'one:a', count: 0 };
  t.equal(said(ask(record, { type: 'other' })), 'one:a ignores it');
  t.equal(said(ask(record, { type: 'stop' })), 'one:a -> (deleted)');
});

t.test('a record in a state the machine does not have is a broken invariant', async (t) => {
  const table = compile(durable(withState({})));
  const event = { type: 'go', now: 0 };
  t.throws(() => decide(table, { id: 'x', state: 'lost' }, event), {
    name: 'UnknownState',
  });
});

t.test('tables are frozen', async (t) => {
  const table = compile(durable(withState({})));
  t.ok(Object.isFrozen(table));
  t.ok(Object.isFrozen(table.rows.get('none')?.cells.get('go')));
  t.ok(Object.isFrozen(decide(table, undefined, { type: 'go', now: 0 })));
});

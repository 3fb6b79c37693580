// Statecharts: of durable machines as they compile, of live ones with all that they do by
// themselves.

import t from 'tap';
import { createMachine, setup } from 'xstate';
import { compile } from '../../machines/compile.ts';
import { machines } from '../../machines/index.ts';
import { statechartOf } from '../../machines/statechart.ts';
import { lifeMachine } from '../../src/actors/controller-life.ts';

t.test('a chart has each state and event that the compiled table has', async (t) => {
  for (const durable of machines) {
    const { regions } = statechartOf(durable.machine);
    const table = compile(durable);
    for (const row of table.rows.values()) {
      const drawn = row.state.split(',').flatMap((part) => {
        const [name = '', state] = part.includes(':') ? part.split(':') : ['', part];
        const region = regions.find((one) => one.name === name);
        t.ok(
          region?.states.some((one) => one.name === state),
          `${durable.machine.id}: ${part}`,
        );
        return region?.arrows.filter(({ from }) => from === state) ?? [];
      });
      const events = [...new Set(drawn.map(({ event }) => event))].sort();
      t.same(events, [...row.cells.keys()].sort(), `${durable.machine.id}: ${row.state}`);
    }
  }
});

t.test('what a live machine does by itself is drawn in words', async (t) => {
  const never = async () => undefined;
  const machine = lifeMachine({ steps: { recover: never, drain: never }, drainMsMax: 1 });
  const [region, ...others] = statechartOf(machine).regions;
  t.same(others, []);
  t.equal(region?.initial, 'boot');
  t.same(
    region?.states.filter(({ isFinal }) => isFinal).map(({ name }) => name),
    ['stopped', 'failed'],
  );
  const arrows = region?.arrows.map(({ from, event, guard, to }) =>
    [from, event, guard ?? '', to].join(' '),
  );
  t.ok(arrows?.includes('recovering done stopRequested draining'));
  t.ok(arrows?.includes('draining failed  failed'));
  t.ok(arrows?.includes('draining after drainMsMax  failed'));
  t.ok(arrows?.includes('serving fail  failed'), 'what the whole machine takes');
  t.notOk(arrows?.some((arrow) => arrow.startsWith('stopped')));
});

t.test('states within states', async (t) => {
  const machine = setup({
    guards: { isWarm: () => true },
    actions: { note: () => {} },
  }).createMachine({
    initial: 'on',
    states: {
      on: {
        initial: 'warming',
        states: {
          warming: { always: { guard: 'isWarm', target: 'warm' }, on: { press: 'warm' } },
          warm: {},
        },
        on: { press: { target: 'off', actions: ['note'] } },
      },
      off: { on: { press: 'on' } },
    },
  });
  const [region] = statechartOf(machine).regions;
  t.equal(region?.initial, 'on.warming');
  t.same(
    region?.arrows.map(({ from, event, guard, to, actions }) => [from, event, guard, to, actions]),
    [
      ['on.warming', 'press', undefined, 'on.warm', []],
      ['on.warming', 'always', 'isWarm', 'on.warm', []],
      ['on.warm', 'press', undefined, 'off', ['note']],
      ['off', 'press', undefined, 'on.warming', []],
    ],
  );
});

t.test('what cannot be drawn is refused', async (t) => {
  const parallel = { type: 'parallel', states: { left: {}, right: {} } } as const;
  const inner = createMachine({ initial: 'a', states: { a: parallel } });
  t.throws(() => statechartOf(inner), { message: /a: parallel states are not drawn/ });
});

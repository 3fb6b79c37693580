// Statecharts: the layout, and the transitions that were taken.

import t from 'tap';
import { machines } from '../../machines/index.ts';
import {
  type Chart,
  chartOf,
  litStates,
  wasTaken,
} from '../../src/inspect/page/components/chart.ts';
import { smoothPath } from '../../src/inspect/page/components/smooth-path.ts';
import { durableChart } from '../../src/inspect/server/machines/machine-charts.ts';
import { door, transition } from './sample-machines.ts';

t.test('states and ways of a machine', async (t) => {
  const chart = chartOf(door, 'LR');
  const state = (name: string) => chart.states.find((one) => one.name === name);
  t.match(state('none'), { isDot: true, isFinal: false });
  t.match(state('gone'), { isDot: false, isFinal: true });
  t.strictSame(state('shut')?.inner, [
    { event: 'push', text: 'push [locked]', lines: ['push [locked]'], isRefused: true },
    { event: 'knock', text: 'knock', lines: ['knock'], isRefused: false },
  ]);
  t.strictSame(
    chart.ways.map(({ from, to, events }) => [from, to, events.map(({ text }) => text)]),
    [
      ['none', 'shut', ['build']],
      ['shut', 'open', ['push [unlocked]']],
      ['open', 'shut', ['push [windy, late]', 'pull']],
      ['open', 'gone', ['remove']],
    ],
  );
  for (const { path } of chart.ways) t.match(path, /^M[\d. ]+C/);
});

t.test('it goes from left to right, or from top to bottom', async (t) => {
  const wide = chartOf(door, 'LR');
  const high = chartOf(door, 'TB');
  t.ok(wide.width > wide.height);
  t.ok(high.height > high.width);
});

t.test('every machine of the controller can be drawn without overlap', async (t) => {
  for (const machine of machines) {
    const { drawn } = durableChart(machine);
    for (const direction of ['LR', 'TB'] as const) {
      const chart = chartOf(drawn, direction);
      t.strictSame(overlaps(chart), [], `${machine.machine.id} ${direction}`);
      t.ok(
        chart.states.every((state) => isWithin(chart, state)),
        'within its frame',
      );
    }
  }
});

t.test('ways that were taken', async (t) => {
  const steps = [
    transition({ event: 'push', from: 'shut', to: 'open' }),
    transition({ event: 'extend', from: 'a:one,b:left', to: 'a:two,b:left' }),
  ];
  const isTaken = wasTaken(steps);
  t.equal(isTaken({ from: 'shut', event: 'push', to: 'open' }), true);
  t.equal(isTaken({ from: 'open', event: 'push', to: 'shut' }), false);
  t.equal(isTaken({ from: 'a:one', event: 'extend', to: 'a:two' }), true);
  t.equal(isTaken({ from: 'a:two', event: 'extend', to: 'a:one' }), false);
  t.strictSame(litStates('a:one,b:left'), ['a:one', 'b:left']);
  t.strictSame(litStates(''), []);
});

t.test('a line goes through all of its points', async (t) => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 5 },
    { x: 20, y: 0 },
  ];
  t.equal(smoothPath(points, 'x'), 'M0 0C3.3 1.7 6.7 5 10 5C13.3 5 16.7 1.7 20 0');
  const turned = points.map(({ x, y }) => ({ x: y, y: x }));
  t.equal(smoothPath(turned, 'y'), 'M0 0C1.7 3.3 5 6.7 5 10C5 13.3 1.7 16.7 0 20');
  t.equal(smoothPath(points.slice(0, 1), 'x'), 'M0 0');
  t.equal(smoothPath([], 'x'), '');
});

function overlaps({ states }: Chart): string[] {
  return states.flatMap((one, index) =>
    states
      .slice(index + 1)
      .filter(
        (other) =>
          Math.abs(one.x - other.x) * 2 < one.width + other.width &&
          Math.abs(one.y - other.y) * 2 < one.height + other.height,
      )
      .map((other) => `${one.name} ${other.name}`),
  );
}

function isWithin(chart: Chart, { x, y, width, height }: Chart['states'][number]): boolean {
  const isIn = (at: number, size: number, whole: number) =>
    at >= size / 2 && at <= whole - size / 2;
  return isIn(x, width, chart.width) && isIn(y, height, chart.height);
}

// Bars and plots.

import t from 'tap';
import { meaningOf, stateShares } from '../../src/inspect/page/machines.ts';
import { plotOf } from '../../src/inspect/page/views/plot.ts';
import { door } from './sample-machines.ts';

const frame = { width: 100, height: 10, untilMs: 10_000, spanMs: 10_000, base: 1000 } as const;

t.test('a line from the left to the right, from nothing to the top', async (t) => {
  const samples = [0, 5_000, 10_000].map((timeMs, index) => ({ timeMs, value: index * 5 }));
  t.strictSame(plotOf(samples, frame), {
    line: 'M0 10L50 5L100 0',
    area: 'M0 10L0 10L50 5L100 0L100 10Z',
    top: 10,
  });
});

t.test('what nobody measured is not joined', async (t) => {
  const samples = [0, 1_000, 9_000, 10_000].map((timeMs) => ({ timeMs, value: 1 }));
  t.equal(plotOf(samples, frame).line, 'M0 0L10 0M90 0L100 0');
  t.strictSame(plotOf([], frame), { line: '', area: '', top: 1 });
});

t.test('tops that can be read', async (t) => {
  const top = (value: number, base: 1000 | 1024) =>
    plotOf([{ timeMs: 0, value }], { ...frame, base }).top;
  t.strictSame(
    [0, 0.3, 1, 1.5, 3, 7, 11, 99, 501, 1_001, 5_000].map((value) => top(value, 1000)),
    [1, 1, 1, 2, 5, 10, 20, 100, 1_000, 2_000, 5_000],
  );
  const mib = 1024 ** 2;
  t.strictSame(
    [200 * mib, 501 * mib, 3 * 1024].map((value) => top(value, 1024)),
    [200 * mib, 1024 * mib, 5 * 1024],
  );
});

t.test('states share a bar, and few are still seen', async (t) => {
  const shares = stateShares({ counts: { shut: 999_999, open: 1, jammed: 0 } });
  t.strictSame(
    shares.map(({ state, count }) => [state, count]),
    [
      ['shut', 999_999],
      ['open', 1],
      ['jammed', 0],
    ],
  );
  const [shut, open, jammed] = shares;
  t.ok((open?.width ?? 0) > 0.7);
  t.equal(jammed?.width, 0);
  t.ok(Math.abs((shut?.width ?? 0) + (open?.width ?? 0) - 100) < 1e-9);
  t.equal(open?.start, shut?.width);
  t.strictSame(
    stateShares({ counts: { a: 0 } }).map(({ width }) => width),
    [0],
  );
});

t.test('a state means what its machine says, and one it does not have is bad', async (t) => {
  t.equal(meaningOf(door, 'shut'), 'waiting');
  t.equal(meaningOf(door, 'jammed'), 'bad');
  t.equal(meaningOf(door, 'none'), 'over');
});

t.test('of several regions the one counts that needs most attention', async (t) => {
  const meanings = {
    'a:on': 'good',
    'a:off': 'over',
    'b:late': 'waiting',
    'b:lost': 'bad',
  } as const;
  const machine = { meanings };
  t.equal(meaningOf(machine, 'a:on,b:late'), 'waiting');
  t.equal(meaningOf(machine, 'a:on,b:lost'), 'bad');
  t.equal(meaningOf(machine, 'a:on'), 'good');
  t.equal(meaningOf(machine, 'a:off'), 'over');
});

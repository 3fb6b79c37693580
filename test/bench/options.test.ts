// The bench's flags.

import t from 'tap';
import { readOptions } from '../../bench/options.ts';

t.test('defaults', async (t) => {
  t.match(readOptions([]), {
    smoke: false,
    sizes: [1000, 100_000],
    connections: [1, 8, 64],
    measureMs: 5000,
    warmUpMs: 1000,
    publish: false,
    profiled: false,
  });
});

t.test('the smoke run is small', async (t) => {
  const { sizes, connections, measureMs, warmUpMs } = readOptions(['--smoke']);
  t.same(
    { sizes, connections, measureMs, warmUpMs },
    {
      sizes: [200],
      connections: [8],
      measureMs: 500,
      warmUpMs: 200,
    },
  );
});

t.test('flags hold', async (t) => {
  const words = ['--sizes', '5,6', '--seconds', '0.1', '--only', 'list', '--profile', '--publish'];
  t.match(readOptions([...words, '--json', 'a', '--html', 'b', '--connections', '2']), {
    sizes: [5, 6],
    measureMs: 100,
    only: 'list',
    profiled: true,
    publish: true,
    jsonFile: 'a',
    htmlFile: 'b',
    connections: [2],
  });
});

t.test('mistakes are sentences', async (t) => {
  for (const words of [
    ['--sizes', 'many'],
    ['--sizes', '1,'],
    ['--sizes', '1.5'],
    ['--seconds', '0'],
    ['--seconds', '-1'],
    ['--fast'],
    ['--json'],
    ['word'],
  ]) {
    t.throws(() => readOptions(words), { name: 'UsageProblem' }, words.join(' '));
  }
});

// The bench's flags.

import t from 'tap';
import { isWanted, readOptions } from '../../bench/options.ts';

t.test('defaults', async (t) => {
  t.match(readOptions([]), {
    smoke: false,
    sizes: [1000, 100_000],
    connections: [1, 8, 64],
    measureMs: 5000,
    warmUpMs: 1000,
    shares: [0.25, 0.5, 0.75, 0.9],
    rate: undefined,
    against: undefined,
    remote: undefined,
    publish: false,
    profiled: false,
  });
});

t.test('items are chosen and left out by parts of their names', async (t) => {
  const isChosen = (...words: string[]) =>
    ['version', 'cluster-takeover', 'mixed'].filter((name) => isWanted(readOptions(words), name));
  t.same(isChosen(), ['version', 'cluster-takeover', 'mixed']);
  t.same(isChosen('--without', 'cluster,mix'), ['version']);
  t.same(isChosen('--only', 'cluster'), ['cluster-takeover']);
  t.same(isChosen('--only', 'cluster', '--without', 'takeover'), []);
});

t.test('the smoke run is small', async (t) => {
  const { sizes, connections, measureMs, warmUpMs } = readOptions(['--smoke']);
  t.same(
    { sizes, connections, measureMs, warmUpMs },
    {
      sizes: [200],
      connections: [8],
      measureMs: 100,
      warmUpMs: 40,
    },
  );
});

t.test('flags are applied', async (t) => {
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

t.test('open loops: shares, a rate, or none', async (t) => {
  t.same(readOptions(['--load', '0.1,1.2']).shares, [0.1, 1.2]);
  t.same(readOptions(['--load', 'none']).shares, []);
  t.equal(readOptions(['--rate', '1500']).rate, 1500);
  t.same(readOptions(['--against', 'v1']).shares, [], 'turns take long enough');
  t.same(readOptions(['--against', 'v1', '--load', '0.5']).shares, [0.5]);
  t.match(readOptions(['--against', 'v1', '--turns', '7']), { against: 'v1', turns: 7 });
});

t.test('turns, kills and the output of a campaign', async (t) => {
  t.match(readOptions([]), { turns: undefined, kills: undefined, campaignFile: undefined });
  const words = ['--only', 'cluster', '--kills', '5', '--turns', '3', '--campaign', 'out.txt'];
  t.match(readOptions(words), { kills: 5, turns: 3, campaignFile: 'out.txt' });
  t.throws(() => readOptions(['--kills', '1.5']), { message: '--kills takes whole numbers' });
});

t.test('a controller by its URL', async (t) => {
  const secret = { EDGE_BENCH_PASSWORD: 'secret' };
  const words = ['--url', 'https://controller.example:1280/', '--ca', 'ca.pem', '--admin'];
  t.match(readOptions([...words, 'boss'], secret), {
    sizes: [1000],
    remote: {
      url: 'https://controller.example:1280',
      host: 'controller.example',
      port: 1280,
      administrator: { username: 'boss', password: 'secret' },
      caFile: 'ca.pem',
    },
  });
  const { remote } = readOptions([...words, 'boss:pass:word'], secret);
  t.equal(remote?.administrator.password, 'pass:word');
  const plain = readOptions(['--url', 'https://[::1]', '--admin', 'boss'], secret).remote;
  t.match(plain, { host: '::1', port: 443, caFile: undefined });
});

t.test('results of earlier runs', async (t) => {
  const words = ['--from', 'a.json', '--beside', 'b.json'];
  t.match(readOptions(words), { fromFiles: ['a.json'], besideFile: 'b.json', remote: undefined });
});

t.test('mistakes are reported in sentences', async (t) => {
  for (const words of [
    ['--sizes', 'many'],
    ['--sizes', '1,'],
    ['--sizes', '1.5'],
    ['--seconds', '0'],
    ['--seconds', '-1'],
    ['--fast'],
    ['--json'],
    ['word'],
    ['--load', '3'],
    ['--load', 'much'],
    ['--rate', '0'],
    ['--turns', '1.5'],
    ['--ca', 'ca.pem'],
    ['--admin', 'boss:word'],
    ['--url', 'https://controller.example'],
    ['--url', 'https://controller.example', '--admin', 'boss'],
    ['--url', 'http://controller.example', '--admin', 'boss:word'],
    ['--url', 'nowhere', '--admin', 'boss:word'],
    ['--url', 'https://controller.example', '--admin', 'boss:word', '--profile'],
    ['--url', 'https://controller.example', '--admin', 'boss:word', '--against', 'v1'],
    ['--from', 'a.json', '--against', 'v1'],
    ['--from', 'a.json', '--url', 'https://controller.example', '--admin', 'boss:word'],
  ]) {
    t.throws(() => readOptions(words, {}), { name: 'UsageProblem' }, words.join(' '));
  }
});

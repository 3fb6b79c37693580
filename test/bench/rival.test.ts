// A stock controller of the peer, measured by its URL: every scenario runs, and only what it
// refuses is reported as refused.

import t, { type Test } from 'tap';
import { type Findings, noFindings } from '../../bench/findings.ts';
import { LoadGenerator } from '../../bench/load/generator-process.ts';
import { readOptions } from '../../bench/options.ts';
import { measureRemote } from '../../bench/remote.ts';
import { scenarios } from '../../bench/scenarios.ts';
import { type Rival, serveRival } from './rival.ts';

/** All scenarios of the smoke run that need no more than the API. */
const wanted = scenarios.filter(({ smoke, listener }) => smoke && listener === 'front');

async function measure(
  t: Test,
  { remote }: Rival,
  names: RegExp,
  among = wanted,
): Promise<Findings> {
  const generator = new LoadGenerator();
  t.teardown(() => generator.stop());
  const words = [
    '--smoke',
    '--sizes',
    '120',
    '--seconds',
    '0.02',
    '--load',
    'none',
    '--connections',
    '4',
  ];
  const options = { ...readOptions(words), remote };
  const found = noFindings();
  const chosen = among.filter(({ name }) => names.test(name));
  const storm = names.test('storm') ? { clients: 20, connections: 4 } : undefined;
  const run = { options, generator, found, progress: () => undefined, other: undefined };
  await measureRemote(run, remote, chosen, storm);
  return found;
}

t.test('every scenario runs, and nothing stays behind', async (t) => {
  const rival = await serveRival(t, new Set());
  const found = await measure(t, rival, /./);
  t.same(found.incapable, []);
  t.same(
    found.measurements.map(({ scenario }) => scenario),
    wanted.map(({ name }) => name),
  );
  t.same(
    found.measurements.flatMap(({ wrongSamples }) => wrongSamples),
    [],
  );
  t.equal(found.storms.length, 1);
  const left = [...rival.rows].filter(([kind]) => kind !== 'authenticators');
  t.same(
    left.filter(([, rows]) => rows.size > 0).map(([kind]) => kind),
    [],
  );
});

t.test('what it does not know is named with its answer', async (t) => {
  const rival = await serveRival(t, new Set(['POST posture-response-bulk', 'POST enroll']));
  const found = await measure(t, rival, /^(version|posture-response|enroll-ott|storm)$/);
  t.same(
    found.measurements.map(({ scenario }) => scenario),
    ['version'],
  );
  t.match(found.incapable, [
    { subject: 'enroll by one-time token', reason: /status 404, not 200/ },
    { subject: 'posture response, 1,000 services affected', reason: /status 404, not 200/ },
    { subject: 'a storm of 20 clients', reason: /status 404, not 200/ },
  ]);
});

t.test('a fault of the bench is not laid at its door', async (t) => {
  const rival = await serveRival(t, new Set());
  const load = () => {
    throw new TypeError('a fault');
  };
  const broken = wanted.slice(0, 1).map((scenario) => ({ ...scenario, load }));
  const { incapable } = await measure(t, rival, /^version$/, broken);
  t.same(incapable, [{ subject: 'version', reason: 'a fault', isFault: true }]);
});

// The closed loop against a small server of the test's own: counts, ids, ends, wrong answers.

import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { openClosedLoop, runClosedLoop } from '../../bench/load/closed-loop.ts';
import { Histogram } from '../../bench/load/histogram.ts';
import { endLoops } from '../../bench/load/running-loops.ts';
import { serveLoop } from './loop-server.ts';

t.test(
  'sends so many requests and no more, each once, and answers their ids in order',
  async (t) => {
    const { job, seen } = await serveLoop(t, () => 200);
    const result = await runClosedLoop(job);
    t.equal(result.sent, 50);
    t.equal(result.answered, 50);
    t.equal(new Set(seen).size, 50);
    t.equal(result.wrong, 0);
    t.equal(result.distinctIds, 50);
    t.same(
      result.ids,
      Array.from({ length: 50 }, (_, n) => String(n + 7).padStart(4, '0')),
    );
    const histogram = new Histogram();
    histogram.add(result.latency);
    t.equal(histogram.total, 50);
  },
);

t.test('ends when the lists of the request are used up', async (t) => {
  const { job, seen } = await serveLoop(t, () => 200);
  const values = ['aaaa', 'bbbb', 'cccc'];
  const slots = { n: { kind: 'list', values, every: 1 } } as const;
  const result = await runClosedLoop({
    ...job,
    firstRequest: 1,
    request: { ...job.request, slots },
  });
  t.equal(result.sent, 2);
  t.same(seen.toSorted(), ['/bbbb', '/cccc']);
});

t.test('counts wrong answers', async (t) => {
  const { job } = await serveLoop(t, (n) => (n % 10 === 0 ? 500 : 200));
  const result = await runClosedLoop(job);
  t.equal(result.wrong, 5);
  t.match(result.wrongSamples[0], /status 500/);
});

t.test('a server that goes away ends the job', async (t) => {
  const { job, server } = await serveLoop(t, (n) => {
    if (n === 20) server.closeAllConnections();
    return 200;
  });
  const result = await runClosedLoop(job);
  t.ok(result.wrong > 0);
  t.match(result.wrongSamples.join(), /connection lost/);
});

t.test('connections that were closed before the start end the job', async (t) => {
  const { job, server } = await serveLoop(t, () => 200);
  const run = await openClosedLoop(job);
  server.closeAllConnections();
  for (let n = 0; n < 20; n++) await turn();
  const result = await run();
  t.match(result.wrongSamples.join(), /connection lost/);
});

t.test('a running loop can be ended', async (t) => {
  const { job } = await serveLoop(t, (n) => {
    if (n === 20) endLoops();
    return 200;
  });
  const result = await runClosedLoop(job);
  t.ok(result.sent >= 20 && result.sent < 50, 'no more than what was under way');
  t.equal(result.wrong, 0);
});

t.test('answers in chunks are read like others', async (t) => {
  const { job } = await serveLoop(t, () => 200, true);
  const result = await runClosedLoop(job);
  t.equal(result.wrong, 0, result.wrongSamples.join());
  t.equal(result.distinctIds, 50);
});

t.test('values of different lengths make requests of different lengths', async (t) => {
  const { job, seen } = await serveLoop(t, () => 200);
  const slots = { n: { kind: 'list', values: ['a', 'bbb', 'cc'], every: 1 } } as const;
  const request = { ...job.request, slots };
  const result = await runClosedLoop({ ...job, firstRequest: 0, request });
  t.equal(result.wrong, 0, result.wrongSamples.join());
  t.same(seen.toSorted(), ['/a', '/bbb', '/cc']);
});

t.test('without a process no CPU is reported', async (t) => {
  const { job } = await serveLoop(t, () => 200);
  const result = await runClosedLoop({ ...job, serverPid: undefined });
  t.equal(result.server, undefined);
  t.equal(result.foreignCpuMs, undefined);
  t.equal(result.answered, 50);
});

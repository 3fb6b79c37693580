// The open loop: arrivals are even however slow the answers are, latencies count from the moment at
// which a request should have been sent, and a backlog above its bound ends the run.

import t from 'tap';
import { Backlog } from '../../bench/load/backlog.ts';
import { Histogram } from '../../bench/load/histogram.ts';
import { runOpenLoop } from '../../bench/load/open-loop.ts';
import { endLoops } from '../../bench/load/running-loops.ts';
import { serveLoop } from './loop-server.ts';

t.test('requests arrive evenly and wait in their order', async (t) => {
  const backlog = new Backlog(100, 1000, 10);
  backlog.start(5000);
  backlog.arrive(5000);
  t.equal(backlog.waiting, 1, 'the first one comes at once');
  backlog.arrive(5035);
  t.equal(backlog.waiting, 4);
  t.equal(backlog.nextAt, 5040);
  t.same(backlog.take(), { request: 0, intendedAt: 5000 });
  t.same(backlog.take(), { request: 1, intendedAt: 5010 });
  t.equal(backlog.sent, 2);
  backlog.arrive(5034);
  t.equal(backlog.waiting, 2, 'a clock that is read late takes nothing back');
  backlog.evaluate();
  t.equal(backlog.most, 2, 'those that were taken did not wait');
  t.notOk(backlog.isOverrun);
});

t.test('no more requests arrive than there are', async (t) => {
  const backlog = new Backlog(1000, 3, 10);
  backlog.start(0);
  t.notOk(backlog.isSpent);
  backlog.arrive(1000);
  t.equal(backlog.waiting, 3);
  t.ok(backlog.isSpent);
});

t.test('too many waiting is an overrun', async (t) => {
  const backlog = new Backlog(1000, 1000, 10);
  backlog.start(0);
  backlog.arrive(9);
  backlog.evaluate();
  t.notOk(backlog.isOverrun);
  backlog.arrive(10);
  t.notOk(backlog.isOverrun, 'connections may be free');
  backlog.evaluate();
  t.ok(backlog.isOverrun);
});

t.test('nothing arrives before the start', async (t) => {
  const backlog = new Backlog(10, 10, 10);
  backlog.start(100);
  backlog.arrive(50);
  t.equal(backlog.waiting, 0);
});

t.test('sends each request once, and returns the ids in order', async (t) => {
  const { job, seen } = await serveLoop(t, () => 200);
  const result = await runOpenLoop({ ...job, rate: 2000 });
  t.equal(result.sent, 50);
  t.equal(result.wrong, 0, result.wrongSamples.join());
  t.equal(new Set(seen).size, 50);
  t.equal(result.ids[3], '0010');
  t.match(result.arrivals, { rate: 2000, isOverrun: false });
});

t.test('a stall shows in all requests that should have been sent meanwhile', async (t) => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { job } = await serveLoop(t, async (n) => {
    // From the first request on: by then all of them have arrived.
    if (n === 1) setTimeout(release, 100);
    await released;
    return 200;
  });
  // Fifty requests within the 50 ms that nothing is answered in, over three connections.
  const result = await runOpenLoop({ ...job, rate: 1000 });
  const latency = new Histogram();
  latency.add(result.latency);
  t.equal(latency.total, 50, 'those answered behind the end too');
  t.ok(latency.quantile(0.01) >= 40, 'the last to arrive waited for the rest of the stall');
  t.ok((result.arrivals?.backlogMost ?? 0) >= 40, 'they waited for a connection');
});

t.test('a server that cannot keep up ends the run', async (t) => {
  const { job } = await serveLoop(t, () => new Promise<number>(() => undefined));
  const result = await runOpenLoop({
    ...job,
    rate: 10_000,
    backlogMax: 20,
    requestsMax: Number.MAX_SAFE_INTEGER,
  });
  t.equal(result.arrivals?.isOverrun, true);
  t.equal(result.sent, 3, 'one a connection');
});

t.test('a running loop can be ended: what has arrived is still sent and answered', async (t) => {
  const { job } = await serveLoop(t, (n) => {
    if (n === 20) endLoops();
    return 200;
  });
  const requestsMax = Number.MAX_SAFE_INTEGER;
  const result = await runOpenLoop({ ...job, rate: 200, requestsMax });
  t.ok(result.sent >= 20, `${result.sent} were sent`);
  t.equal(result.answered, result.sent);
  t.equal(result.wrong, 0, result.wrongSamples.join());
  t.equal(result.arrivals?.isOverrun, false);
});

t.test('one connection per request', async (t) => {
  const { job } = await serveLoop(t, () => 200);
  const result = await runOpenLoop({ ...job, rate: 500, isFresh: true, requestsMax: 20 });
  t.equal(result.wrong, 0, result.wrongSamples.join());
  t.equal(result.distinctIds, 20);
});

t.test('lost connections end the run and are reported', async (t) => {
  const { job, server } = await serveLoop(t, (n) => {
    if (n === 10) server.closeAllConnections();
    return 200;
  });
  const result = await runOpenLoop({ ...job, rate: 2000 });
  t.match(result.wrongSamples.join(), /connection lost/);
});

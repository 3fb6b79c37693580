// Which waiting routers are closed, and when: in a simulated return of a fleet, too.

import t from 'tap';
import { ControlPace, type WaitingRouter } from '../../src/http/front/control-pace.ts';

const bounds = { controlPatienceMs: 5000, controlWaitMs: 4000 };

function inLine(count: number, arrivedMs = 0): WaitingRouter[] {
  return Array.from({ length: count }, () => ({ arrivedMs, closesMs: undefined }));
}

/** A pace at which one handshake begins every 10 ms. */
function measured(): ControlPace {
  const pace = new ControlPace(bounds);
  for (let at = 0; at <= 64; at++) pace.began(at * 10, true);
  return pace;
}

t.test('before the pace is known nobody is closed', async (t) => {
  const pace = new ControlPace(bounds);
  for (let at = 0; at < 64; at++) pace.began(at * 10, true);
  const line = inLine(10_000);
  t.same(pace.closing(600, line), []);
  t.notOk(line.some(({ closesMs }) => closesMs !== undefined));
});

t.test('times in which nobody waits are not measured', async (t) => {
  const pace = new ControlPace(bounds);
  for (let at = 0; at < 200; at++) pace.began(at * 1000, at % 10 !== 0);
  t.same(pace.closing(200_000, inLine(10_000, 200_000)), []);
});

t.test('those that cannot be served in their time are closed one by one meanwhile', async (t) => {
  const pace = measured();
  let waiting = inLine(1000);
  let closed = 0;
  for (let now = 0; now < 4000; now += 250) {
    const due = new Set(pace.closing(now, waiting));
    closed += due.size;
    const share = (600 * now) / 4000;
    t.ok(Math.abs(closed - share) < 10, `${closed} closed after ${now} ms`);
    // 25 are served in 250 ms.
    waiting = waiting.filter((router) => !due.has(router)).slice(25);
  }
  t.ok(waiting.length < 50, `${waiting.length} wait for the end of their time`);
});

t.test('routers wait for as long as the time after that suffices', async (t) => {
  const pace = new ControlPace(bounds);
  t.equal(pace.waitMs, 4000);
  for (let hello = 0; hello < 500; hello++) pace.served();
  t.equal(pace.waitMs, 4500);
  for (let hello = 0; hello < 500; hello++) pace.served();
  t.equal(pace.waitMs, 4800, 'they need some time');
  for (let gone = 0; gone < 10; gone++) pace.abandoned();
  t.equal(pace.waitMs, 4600);
  for (let gone = 0; gone < 1000; gone++) pace.abandoned();
  t.equal(pace.waitMs, 2000, 'and some are tried at any time');
});

t.test('a router that fits again is not closed, whatever was measured before', async (t) => {
  const pace = measured();
  const line = inLine(1000);
  pace.closing(0, line);
  for (let at = 0; at < 200; at++) pace.began(1000 + at, true);
  t.same(pace.closing(1200, line), []);
});

t.test('what was measured is forgotten when nobody waits', async (t) => {
  const pace = measured();
  for (let gone = 0; gone < 100; gone++) pace.abandoned();
  pace.closing(1000, []);
  t.equal(pace.waitMs, 4000);
  t.same(pace.closing(2000, inLine(10_000, 2000)), []);
});

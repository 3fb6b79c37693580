// Traces run until their time, and no more of them than the bound says.

import t from 'tap';
import { type Trace, Traces } from '../../src/observe/traces.ts';

const until = (untilMs: number): Trace => ({ traceId: `t${untilMs}`, channels: ['all'], untilMs });

t.test('a trace runs until its time, or until it is ended', (t) => {
  const traces = new Traces({ tracesMax: 10 });
  t.ok(traces.start('a', until(100), 0));
  t.equal(traces.of('a', 99)?.traceId, 't100');
  t.equal(traces.of('a', 100), undefined);
  t.equal(traces.of('b', 0), undefined);
  t.ok(traces.start('a', until(200), 50), 'the running one is changed');
  t.equal(traces.of('a', 150)?.traceId, 't200');
  traces.end('a');
  traces.end('never-there');
  t.equal(traces.of('a', 150), undefined);
  t.end();
});

t.test('one more than tracesMax is refused, until one of them has ended', (t) => {
  const traces = new Traces({ tracesMax: 2 });
  t.ok(traces.start('a', until(100), 0));
  t.ok(traces.start('b', until(200), 0));
  t.notOk(traces.start('c', until(300), 99));
  t.ok(traces.start('b', until(250), 99), 'a running one may always be changed');
  t.equal(traces.size, 2);
  t.ok(traces.start('c', until(300), 100), 'the first has ended');
  t.equal(traces.size, 2);
  t.equal(traces.of('b', 100)?.untilMs, 250);
  t.end();
});

// The controller's life, phase by phase, on a simulated clock.

import t from 'tap';
import { createLife, type LifePhase, type LifeSteps } from '../../src/actors/controller-life.ts';
import { SimulatedClock } from '../simulated/clock.ts';

function setUp(steps: Partial<LifeSteps> = {}) {
  const clock = new SimulatedClock();
  const life = createLife({
    steps: { recover: async () => {}, drain: async () => {}, ...steps },
    clock,
    drainMsMax: 1000,
  });
  const phases: LifePhase[] = [];
  life.onPhase((phase) => phases.push(phase));
  return { clock, life, phases };
}

/** A promise and the hands that settle it. */
function deferred() {
  let resolve = () => {};
  let reject = (_: Error) => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

t.test('boots, recovers, serves, drains, stops', async (t) => {
  const { life, phases, clock } = setUp();
  t.equal(life.phase, 'boot');
  life.start();
  t.equal(await life.settled(), 'serving');
  life.stop('SIGTERM');
  t.equal(await life.ended(), 'stopped');
  t.same(phases, ['recovering', 'serving', 'draining', 'stopped']);
  t.equal(life.reason, 'SIGTERM');
  t.equal(life.error, undefined);
  t.equal(clock.timers, 0, 'the drain timer is gone');
});

t.test('a stop while recovering waits for the recovery', async (t) => {
  const recovery = deferred();
  const { life, phases } = setUp({ recover: () => recovery.promise });
  life.start();
  life.stop('SIGINT');
  t.equal(life.phase, 'recovering');
  recovery.resolve();
  t.equal(await life.ended(), 'stopped');
  t.same(phases, ['recovering', 'draining', 'stopped']);
});

t.test('a stop before the start ends it', async (t) => {
  const { life } = setUp();
  life.stop('SIGINT');
  t.equal(await life.ended(), 'stopped');
  life.start();
  t.equal(life.phase, 'stopped', 'and it does not come back');
});

t.test('a recovery that fails, fails the life', async (t) => {
  const error = new Error('log damaged');
  const { life } = setUp({ recover: () => Promise.reject(error) });
  life.start();
  t.equal(await life.settled(), 'failed');
  t.equal(life.error, error);
});

t.test('a step that throws at once fails the life too', async (t) => {
  const error = new Error('port in use');
  const { life } = setUp({
    recover: () => {
      throw error;
    },
  });
  life.start();
  t.equal(await life.settled(), 'failed');
  t.equal(life.error, error);
});

t.test('fail ends it at once, from any phase, and aborts the running step', async (t) => {
  const error = new Error('fdatasync failed');
  let aborted = false;
  const { life } = setUp({
    recover: (signal) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return deferred().promise;
    },
  });
  life.start();
  life.fail(error);
  t.equal(life.phase, 'failed');
  t.equal(life.error, error);
  t.ok(aborted);
  life.fail(new Error('another'));
  t.equal(life.error, error, 'the first one counts');

  const serving = setUp().life;
  serving.start();
  await serving.settled();
  serving.fail(error);
  t.equal(await serving.ended(), 'failed');
});

t.test('a drain that takes too long has failed', async (t) => {
  const { life, clock } = setUp({ drain: () => deferred().promise });
  life.start();
  await life.settled();
  life.stop('SIGTERM');
  clock.advance(999);
  t.equal(life.phase, 'draining');
  clock.advance(1);
  t.equal(life.phase, 'failed');
  t.match(life.error, { name: 'DrainTooLong' });
  t.match(String(life.error), /more than 1000 ms/);
});

t.test('a drain that rejects has failed; a second stop changes nothing', async (t) => {
  const drain = deferred();
  const { life } = setUp({ drain: () => drain.promise });
  life.start();
  await life.settled();
  life.stop('first');
  life.stop('second');
  t.equal(life.reason, 'first');
  drain.reject(new Error('snapshot'));
  t.equal(await life.ended(), 'failed');
});

t.test('a node of a cluster follows until it is told to lead', async (t) => {
  const { life, phases } = setUp({ takeOver: async () => {} });
  life.start();
  t.equal(await life.settled(), 'following');
  life.lead();
  life.lead();
  t.equal(life.phase, 'takingOver');
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(life.phase, 'serving');
  life.stop('SIGTERM');
  t.equal(await life.ended(), 'stopped');
  t.same(phases, ['recovering', 'following', 'takingOver', 'serving', 'draining', 'stopped']);
});

t.test(
  'a node may be told to lead while it recovers, and to stop while it takes over',
  async (t) => {
    const [recovery, takeover] = [deferred(), deferred()];
    const { life, phases } = setUp({
      recover: () => recovery.promise,
      takeOver: () => takeover.promise,
    });
    life.start();
    life.lead();
    t.equal(life.phase, 'recovering');
    recovery.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    t.equal(life.phase, 'takingOver');
    life.stop('SIGTERM');
    t.equal(life.phase, 'takingOver');
    takeover.resolve();
    t.equal(await life.ended(), 'stopped');
    t.same(phases, ['recovering', 'takingOver', 'draining', 'stopped']);
  },
);

t.test('a node that follows stops at once, and a takeover may fail', async (t) => {
  const { life } = setUp({ takeOver: async () => {} });
  life.start();
  t.equal(await life.settled(), 'following');
  life.stop('SIGTERM');
  t.equal(await life.ended(), 'stopped');
  const failing = setUp({ takeOver: () => Promise.reject(new Error('no')) });
  failing.life.start();
  await failing.life.settled();
  failing.life.lead();
  t.equal(await failing.life.ended(), 'failed');
  t.match(failing.life.error, { message: 'no' });
});

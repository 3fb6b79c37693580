// Parts that run beside the controller: up, down, broken.

import t from 'tap';
import { createProcess, type ProcessPhase } from '../../src/actors/live-process.ts';

function setUp(start = async () => {}, stop = async () => {}) {
  const part = createProcess({ name: 'listener', start, stop });
  const phases: ProcessPhase[] = [];
  part.onPhase((phase) => phases.push(phase));
  return { part, phases };
}

t.test('starts and stops', async (t) => {
  const { part, phases } = setUp();
  t.equal(part.name, 'listener');
  await part.start();
  t.equal(part.phase, 'running');
  await part.stop();
  t.same(phases, ['starting', 'running', 'stopping', 'stopped']);
  await part.stop();
  await t.rejects(part.start(), /listener was stopped/);
});

t.test('one that never ran is stopped at once', async (t) => {
  const { part } = setUp();
  await part.stop();
  t.equal(part.phase, 'stopped');
});

t.test('a start that fails says why', async (t) => {
  const { part } = setUp(() => Promise.reject(new Error('EADDRINUSE')));
  await t.rejects(part.start(), /EADDRINUSE/);
  t.equal(part.phase, 'failed');
  await t.rejects(part.stop(), /EADDRINUSE/);
});

t.test('a stop that comes while starting waits', async (t) => {
  let finish = () => {};
  const { part, phases } = setUp(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const start = part.start();
  const stop = part.stop();
  finish();
  await t.rejects(start, /listener was stopped/);
  await stop;
  t.equal(phases.at(-1), 'stopped');
});

t.test('one that breaks by itself tells its listeners', async (t) => {
  const { part } = setUp();
  await part.start();
  const broken = new Promise((resolve) => part.onPhase((_, error) => resolve(error)));
  part.fail(new Error('worker exited'));
  t.match(await broken, { message: 'worker exited' });
  t.equal(part.phase, 'failed');
});

t.test('a stop that fails says why', async (t) => {
  const { part } = setUp(undefined, () => Promise.reject(new Error('EIO')));
  await part.start();
  await t.rejects(part.stop(), /EIO/);
});

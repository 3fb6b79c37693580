// The ways in which the load fails its round: by a worker, and by its silence.

import t from 'tap';
import { Api, type Caller } from '../client.ts';
import { Dice } from '../dice.ts';
import { Ledger } from '../ledger.ts';
import { LoadWorker } from '../load.ts';
import { clientOf, notDone, pretendFront } from './pretend-front.ts';
import { Stopped } from './retrying-client.ts';
import { RoundLoad } from './round-load.ts';

/** Works until it is stopped. */
function idler() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { run: () => promise, stop: () => resolve() };
}

/** A worker of the campaign. */
function workerOf(http: Caller, acknowledged = () => {}) {
  return new LoadWorker({
    admin: new Api(http, '', ''),
    name: 'worker',
    services: [],
    ballast: [],
    ledger: new Ledger(),
    dice: new Dice('worker'),
    acknowledged,
    isEnd: (thrown) => thrown instanceof Stopped,
  });
}

t.test('a worker that throws fails its round, whatever is waited for', async (t) => {
  const load = new RoundLoad();
  const run = () => Promise.reject(new Error('the reason'));
  load.begin([idler(), { run, stop: () => {} }]);
  load.note();
  await t.rejects(load.during(new Promise(() => {})), /^the reason$/);
  await t.rejects(load.stop(), /^the reason$/);
});

t.test('a worker of the load throws when nothing answers it', async (t) => {
  const { http } = clientOf(t, await pretendFront(t, () => notDone), 0);
  await t.rejects(workerOf(http).run(), /had no answer for 0 ms; at last front 0 said: 503/);
});

t.test('a worker of the load ends well when it is stopped', async (t) => {
  let acknowledged = 0;
  const fronts = await pretendFront(t, () => ({ status: 201, data: { id: 'one' } }));
  const { http } = clientOf(t, fronts);
  const worker = workerOf(http, () => {
    acknowledged += 1;
    http.isStopped = true;
  });
  await worker.run();
  t.equal(acknowledged, 1);
});

t.test('a round without an acknowledged change fails', async (t) => {
  const silent = new RoundLoad();
  silent.begin([idler()]);
  t.equal(await silent.during(Promise.resolve('over')), 'over');
  await t.rejects(silent.stop(), /^no change was acknowledged in this round$/);
  const busy = new RoundLoad();
  busy.begin([idler()]);
  busy.note();
  await busy.stop();
});

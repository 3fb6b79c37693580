// Requests that may grant something wait while a revocation is carried out: how many, and for how
// long.

import t from 'tap';
import { serviceKind } from '../../src/records/service.ts';
import { bootScene, type Scene } from '../posture/live-scene.ts';
import { type Injection, injectAbortable } from '../simulated/inject.ts';
import { urlOf } from '../simulated/network.ts';

/** A network in which a consequence stays open, as its slices can't be written. */
async function bootStalled(
  limits: object = {},
  before: (scene: Scene) => Promise<void> = async () => {},
): Promise<Scene> {
  const scene = await bootScene({ limits });
  await before(scene);
  const { deferredCascades } = scene.network.env.store;
  let isStuck = true;
  deferredCascades.register('stuck', {
    takes: () => [],
    slice() {
      if (isStuck) throw new Error('the log takes nothing');
      return 'done';
    },
  });
  scene.write((tx) => deferredCascades.note(tx, 'stuck', 'stuck', []));
  scene.network.clock.turn();
  release.set(scene, () => {
    isStuck = false;
  });
  return scene;
}

const release = new WeakMap<Scene, () => void>();

function create({ network }: Scene, name: string): Injection {
  return injectAbortable(network.core.handler, {
    method: 'POST',
    url: urlOf('M:/services'),
    headers: { 'zt-session': network.admin },
    body: { name, encryptionRequired: true },
  });
}

async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

t.test('once it is through all that waited are served, in their order', async (t) => {
  const scene = await bootStalled();
  const { network } = scene;
  const asked = ['first', 'second'].map((name) => create(scene, name));
  await turns();
  t.equal(network.env.store.deferredCascades.waiting, 2);
  release.get(scene)?.();
  await network.advance(1000);
  await turns();
  await network.advance(1000);
  const answers = await Promise.all(asked.map(({ answer }) => answer));
  t.strictSame(
    answers.map(({ status }) => status),
    [201, 201],
  );
  await network.stop();
});

t.test('an answer rests on what itself read and wrote, not on what the next one did', async (t) => {
  const scene = await bootStalled();
  const { network } = scene;
  const { journal } = network.core;
  const first = create(scene, 'first');
  const isDurable = first.answer.then(() => {
    const row = network.env.store.table(serviceKind).findBy('name', 'first');
    return row !== undefined && row.lsn <= journal.durableLsn;
  });
  const next = injectAbortable(network.core.handler, {
    method: 'DELETE',
    url: urlOf('M:/identities/none'),
    headers: { 'zt-session': network.admin },
  });
  await turns();
  release.get(scene)?.();
  await network.advance(1000);
  await turns();
  await network.advance(1000);
  t.equal((await next.answer).status, 404);
  t.equal((await first.answer).status, 201);
  t.ok(await isDurable);
  await network.stop();
});

t.test('headers can be had after the wait', async (t) => {
  let token = '';
  const scene = await bootStalled({}, async ({ network }) => {
    await network.create('identities', {
      name: 'new',
      type: 'Default',
      isAdmin: false,
      enrollment: { ott: true },
    });
    [{ token } = { token }] = await network.must<{ token: string }[]>('GET', 'M:/enrollments');
  });
  const { network } = scene;
  // Whoever sends no body has its headers in the call alone.
  const { answer } = injectAbortable(network.core.handler, {
    method: 'POST',
    url: urlOf(`C:/enroll?token=${token}`),
    headers: { accept: 'application/json' },
  });
  await turns();
  release.get(scene)?.();
  await network.advance(1000);
  t.match((await answer).json(), { error: { code: 'MISSING_OR_INVALID_CSR' } });
  await network.stop();
});

t.test('a request that was answered TIMEOUT no longer waits, and does nothing', async (t) => {
  const scene = await bootStalled();
  const { network } = scene;
  const { answer } = create(scene, 'late');
  await turns();
  await network.advance(network.config.limits.handlerTimeoutMs);
  t.equal((await answer).status, 503);
  t.equal(network.env.store.deferredCascades.waiting, 0);
  release.get(scene)?.();
  await network.advance(1000);
  t.equal(network.env.store.table(serviceKind).findBy('name', 'late'), undefined);
  await network.stop();
});

for (const limits of [{ writesWaitingMax: 2 }, { bodiesBytesMax: 100 }]) {
  t.test(`bounded: ${JSON.stringify(limits)}`, async (t) => {
    const scene = await bootStalled(limits);
    const { network } = scene;
    const waiting = ['a', 'b'].map((name) => create(scene, name));
    await turns();
    t.equal((await create(scene, 'c').answer).status, 429);
    release.get(scene)?.();
    await network.advance(1000);
    await turns();
    await network.advance(1000);
    for (const { answer } of waiting) t.equal((await answer).status, 201);
    t.equal((await network.call('POST', 'M:/services', { body: named('d') })).status, 201);
    await network.stop();
  });
}

const named = (name: string) => ({ name, encryptionRequired: true });

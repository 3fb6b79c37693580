// Sessions that lose their access disappear for all readers at once, however many there are, and no
// slice of the work is larger than its bound.

import t, { type Test } from 'tap';
import { sessionKind } from '../../src/records/session.ts';
import type { BoundValues } from '../../src/settings/bounds.ts';
import { bootScene, type Scene } from '../posture/live-scene.ts';

const small = { cascadeRowsMax: 4, sessionsEvaluatedMax: 6 };
const crowd = 30;

interface Crowded {
  readonly scene: Scene;
  readonly policy: string;
  readonly check: string;
  readonly identity: string;
}

/** An identity with a session in each of its many API sessions. */
async function bootCrowd(bounds: BoundValues = small): Promise<Crowded> {
  const scene = await bootScene({ bounds });
  const service = await scene.service('printer');
  const check = await scene.domainCheck('domain');
  const policy = await scene.policy('staff dial');
  const alice = await scene.person('alice');
  await scene.dial(alice, service);
  for (let i = 1; i < crowd; i++) await scene.dial(await scene.logIn('alice'), service);
  return { scene, policy, check, identity: alice.id };
}

/** Every commit from now on: its operation and how many sessions it ended. */
function watch(t: Test, { scene, identity }: Crowded): { operation: string; ended: number }[] {
  const { store } = scene.network.env;
  const commits: { operation: string; ended: number }[] = [];
  const sessions = store.table(sessionKind);
  store.follow(({ cause, changes }) => {
    const ended = changes.filter(({ table }) => table.kind === 'session').length;
    commits.push({ operation: cause.operation, ended });
    const ids = [...sessions.all()].map(({ record }) => record.id);
    t.strictSame(
      [scene.seen(), sessions.count(), [...sessions.members('identityId', identity)]],
      [[], 0, []],
    );
    t.ok(ids.every((id) => sessions.find(id) === undefined));
  });
  return commits;
}

const losses: Readonly<Record<string, (crowded: Crowded) => Promise<unknown>>> = {
  'a check that fails is asked for': ({ scene, policy, check }) =>
    scene.patch(`service-policies/${policy}`, { postureCheckRoles: [`@${check}`] }),
  'the policy selects others': ({ scene, policy }) =>
    scene.patch(`service-policies/${policy}`, { identityRoles: ['#nobody'] }),
  'the policy selects other services': ({ scene, policy }) =>
    scene.patch(`service-policies/${policy}`, { serviceRoles: ['#nothing'] }),
  'the policy goes': ({ scene, policy }) =>
    scene.network.must('DELETE', `M:/service-policies/${policy}`),
  'the identity is something else': ({ scene, identity }) =>
    scene.patch(`identities/${identity}`, { roleAttributes: [] }),
};

for (const [title, lose] of Object.entries(losses)) {
  t.test(`${title}: many sessions`, async (t) => {
    const crowded = await bootCrowd();
    const { network } = crowded.scene;
    const commits = watch(t, crowded);
    await lose(crowded);
    await network.advance(0);
    t.equal(commits[0]?.ended, 0, 'the deciding frame only notes it');
    const ended = commits.map((commit) => commit.ended);
    t.equal(
      ended.reduce((sum, count) => sum + count),
      crowd,
    );
    t.ok(
      ended.every((count) => count <= small.cascadeRowsMax),
      'no slice takes more than its rows',
    );
    t.equal(crowded.scene.rows('followUp'), 0);
    await network.crash();
    t.equal(crowded.scene.rows('session'), 0);
    await network.stop();
  });
}

t.test('sessions that take long to evaluate are evaluated in several turns', async (t) => {
  const crowded = await bootCrowd({ sessionsEvaluatedMs: 1 });
  const { network } = crowded.scene;
  const commits = watch(t, crowded);
  const monotonic = network.clock.monotonic.bind(network.clock);
  let slownessMs = 0;
  network.clock.monotonic = () => monotonic() + slownessMs++;
  await losses['the policy goes']?.(crowded);
  await network.advance(0);
  const ended = commits.map((commit) => commit.ended);
  t.equal(ended[0], 0, 'the deciding frame only notes it');
  t.equal(
    ended.reduce((sum, count) => sum + count),
    crowd,
  );
  t.ok(ended.length > 2 && ended.every((count) => count < crowd), ended.join(' '));
  t.equal(crowded.scene.rows('followUp'), 0);
  await network.stop();
});

t.test('a crash in between: the start ends the rest', async (t) => {
  const { scene, policy, check } = await bootCrowd();
  const { network } = scene;
  await scene.patch(`service-policies/${policy}`, { postureCheckRoles: [`@${check}`] });
  t.ok(scene.rows('session') > 0, 'some wait for their slices');
  t.strictSame(scene.seen(), []);
  await network.crash();
  t.equal(scene.rows('session'), 0);
  t.equal(scene.rows('followUp'), 0);
  await network.crash();
  t.equal(scene.rows('session'), 0, 'what the start did is durable');
  await network.stop();
});

t.test('many sessions that may stay are evaluated in slices, and stay', async (t) => {
  const { scene, policy } = await bootCrowd();
  await scene.policy('second');
  await scene.patch(`service-policies/${policy}`, { identityRoles: ['#nobody'] });
  t.equal(scene.seen().length, crowd);
  await scene.network.advance(0);
  t.equal(scene.seen().length, crowd);
  t.equal(scene.rows('followUp'), 0);
  await scene.network.stop();
});

t.test('as many sessions as may be evaluated at once end in the deciding frame', async (t) => {
  for (const [count, noted] of [
    [4, false],
    [5, true],
  ] as const) {
    const scene = await bootScene({ bounds: small });
    const service = await scene.service('printer');
    const policy = await scene.policy('staff dial');
    for (let i = 0; i < count; i++) await scene.dial(await scene.person(`user${i}`), service);
    const left: number[] = [];
    const { store } = scene.network.env;
    store.follow(({ changes }) => {
      if (changes.some(({ table }) => table.kind === 'servicePolicy')) {
        left.push(scene.rows('session'), scene.rows('followUp'));
      }
    });
    await scene.network.must('DELETE', `M:/service-policies/${policy}`);
    t.strictSame(left, noted ? [count, 1] : [0, 0]);
    await scene.network.stop();
  }
});

t.test('a grant waits until a revocation is carried out, other writes do not', async (t) => {
  const crowded = await bootCrowd();
  const { scene, policy, check } = crowded;
  const { network } = scene;
  const commits: string[] = [];
  const answers: string[] = [];
  network.env.store.follow(({ cause }) => void commits.push(cause.operation));
  const patch = (title: string, postureCheckRoles: string[]) =>
    network
      .call('PATCH', `M:/service-policies/${policy}`, { body: { postureCheckRoles } })
      .then(({ status }) => answers.push(`${title} ${status}`));
  await Promise.all([
    patch('take', [`@${check}`]),
    patch('give', []),
    network.call('GET', 'M:/sessions').then(({ data }) => {
      answers.push(`read ${(data as unknown[]).length}`);
    }),
  ]);
  await network.advance(0);
  t.match(commits.join(' '), /^patchServicePolicy (endSessions )+patchServicePolicy$/);
  t.equal(answers.at(-1), 'give 200');
  t.ok(answers.includes('read 0'));
  t.equal(scene.rows('session'), 0, 'none comes back');
  await network.stop();
});

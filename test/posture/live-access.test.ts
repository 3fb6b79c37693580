// Sessions end when posture stops passing: in the frame that takes their access
// (behaviour/sessions#endings).

import t from 'tap';
import { bootScene } from './live-scene.ts';

t.test('what ends a session, and whose', async (t) => {
  const scene = await bootScene();
  const { network } = scene;
  const [alice, bob] = [await scene.person('alice'), await scene.person('bobby')];
  const service = await scene.service('printer');
  const policy = await scene.policy('staff dial');
  const check = await scene.domainCheck('domain', { roleAttributes: ['strict'] });
  const session = await scene.dial(alice, service);
  const others = await scene.dial(bob, service);
  const both = [session, others].sort();
  scene.reportDomain(alice, 'corp.example');
  scene.reportDomain(bob, 'corp.example');
  const dialAgain = async () => {
    scene.reportDomain(alice, 'corp.example');
    return await scene.dial(alice, service);
  };

  await t.test('not a check that passes', async (t) => {
    await scene.patch(`service-policies/${policy}`, { postureCheckRoles: [`@${check}`] });
    t.strictSame(scene.seen().sort(), both);
  });
  await t.test('posture data: its own', async (t) => {
    scene.reportDomain(alice, 'elsewhere.example');
    t.strictSame(scene.seen(), [others]);
    t.equal(scene.rows('followUp'), 0, 'in the same frame');
    await network.advance(1);
    await network.crash();
    t.strictSame(scene.seen(), [others]);
  });
  await t.test('another policy that passes keeps it', async (t) => {
    const mine = await dialAgain();
    const second = await scene.policy('second');
    scene.reportDomain(alice, 'elsewhere.example');
    t.ok(scene.seen().includes(mine));
    await network.must('DELETE', `M:/service-policies/${second}`);
    t.strictSame(scene.seen(), [others], 'and its end leaves one that fails');
  });
  await t.test('a field of the check', async (t) => {
    const mine = await dialAgain();
    scene.reportDomain(alice, 'second.example');
    t.notOk(scene.seen().includes(mine));
    const domains = ['corp.example', 'second.example'];
    await scene.patch(`posture-checks/${check}`, { typeId: 'DOMAIN', domains });
    const next = await scene.dial(alice, service);
    await scene.patch(`posture-checks/${check}`, { typeId: 'DOMAIN', domains: ['corp.example'] });
    t.notOk(scene.seen().includes(next));
    t.ok(scene.seen().includes(others));
  });
  await network.stop();
});

t.test('a check that is new, one that gets a role, one that is asked for', async (t) => {
  const scene = await bootScene();
  const { network } = scene;
  const alice = await scene.person('alice');
  const service = await scene.service('printer');
  const policy = await scene.policy('staff dial');
  const check = await scene.domainCheck('domain', { domains: ['other.example'] });
  scene.reportDomain(alice, 'corp.example');
  await scene.patch(`service-policies/${policy}`, { postureCheckRoles: ['#hard'] });
  let mine = await scene.dial(alice, service);
  const hard = await scene.domainCheck('hard', {
    domains: ['nowhere.example'],
    roleAttributes: ['hard'],
  });
  t.strictSame(scene.seen(), []);
  await network.must('DELETE', `M:/posture-checks/${hard}`);
  mine = await scene.dial(alice, service);
  await scene.patch(`posture-checks/${check}`, { typeId: 'DOMAIN', roleAttributes: ['hard'] });
  t.notOk(scene.seen().includes(mine));
  await scene.patch(`service-policies/${policy}`, { postureCheckRoles: [] });
  mine = await scene.dial(alice, service);
  const roles = ['#hard', '#none'];
  await scene.patch(`service-policies/${policy}`, {
    postureCheckRoles: roles,
    semantic: 'AllOf',
  });
  t.ok(scene.seen().includes(mine), 'no check has both');
  await scene.patch(`service-policies/${policy}`, { semantic: 'AnyOf' });
  t.notOk(scene.seen().includes(mine));
  await network.stop();
});

t.test('MFA: removed, and of another enrollment', async (t) => {
  const scene = await bootScene();
  const { network } = scene;
  const alice = await scene.person('alice');
  const service = await scene.service('printer');
  const check = await scene.mfaCheck('mfa');
  await scene.policy('staff dial', { postureCheckRoles: [`@${check}`] });
  await scene.passMfa(alice);
  await scene.dial(alice, service);
  scene.removeMfa(alice);
  t.strictSame(scene.seen(), []);
  await network.stop();
});

t.test('administrators keep sessions that no policy speaks of, and no others', async (t) => {
  const scene = await bootScene();
  const { network } = scene;
  const root = await scene.person('root', { isAdmin: true });
  const service = await scene.service('printer');
  const policy = await scene.policy('staff dial');
  const check = await scene.domainCheck('domain');
  const session = await scene.dial(root, service);
  await network.must('DELETE', `M:/service-policies/${policy}`);
  t.strictSame(scene.seen(), [session], 'no policy is left');
  await scene.policy('bind', { type: 'Bind', postureCheckRoles: [`@${check}`] });
  t.strictSame(scene.seen(), [session], 'one of another type');
  await scene.policy('others', { identityRoles: ['#nobody'], postureCheckRoles: [`@${check}`] });
  t.strictSame(scene.seen(), [session], 'one of other identities');
  await scene.policy('strict', { postureCheckRoles: [`@${check}`] });
  t.strictSame(scene.seen(), [], 'one that fails binds them too');
  const open = await scene.policy('open');
  const again = await scene.dial(root, service);
  await scene.patch(`identities/${root.id}`, { isAdmin: false });
  t.strictSame(scene.seen(), [again]);
  await network.must('DELETE', `M:/service-policies/${open}`);
  t.strictSame(scene.seen(), []);
  await network.stop();
});

t.test('a former administrator loses the sessions that only that role permitted', async (t) => {
  const scene = await bootScene();
  const root = await scene.person('root', { isAdmin: true });
  const service = await scene.service('printer');
  const policy = await scene.policy('staff dial');
  await scene.domainCheck('domain');
  const session = await scene.dial(root, service);
  await scene.network.must('DELETE', `M:/service-policies/${policy}`);
  t.strictSame(scene.seen(), [session]);
  await scene.patch(`identities/${root.id}`, { isAdmin: false });
  t.strictSame(scene.seen(), []);
  await scene.network.stop();
});

t.test('a transaction that is taken back ends nothing, then or later', async (t) => {
  const scene = await bootScene();
  const alice = await scene.person('alice');
  const service = await scene.service('printer');
  const check = await scene.domainCheck('domain');
  await scene.policy('staff dial', { postureCheckRoles: [`@${check}`] });
  scene.reportDomain(alice, 'corp.example');
  const session = await scene.dial(alice, service);
  t.throws(
    () =>
      scene.write((tx) => {
        scene.putDomain(tx, alice.id, 'elsewhere.example');
        throw new Error('refused');
      }),
    'refused',
  );
  t.strictSame(scene.seen(), [session]);
  await scene.patch(`services/${service}`, { tags: { colour: 'red' } });
  t.strictSame(scene.seen(), [session]);
  await scene.network.stop();
});

t.test('exactly the identities concerned are stamped', async (t) => {
  const scene = await bootScene();
  const { network } = scene;
  const [alice, bob] = [await scene.person('alice'), await scene.person('bobby')];
  const at = () => [scene.touchedAt(alice), scene.touchedAt(bob)];
  const [, still] = at();
  const touches = async (what: string, change: () => void | Promise<void>) => {
    await network.advance(10);
    await change();
    t.strictSame(at(), [network.clock.now(), still], what);
  };
  const response = { id: 'any', typeId: 'DOMAIN', domain: 'corp.example' };
  const respond = () => network.must<void>('POST', 'C:/posture-response', response, alice.token);
  await touches('a posture response', respond);
  await touches('the same once more', respond);
  await touches('MFA verified, a code', () => scene.passMfa(alice));
  await touches('another code', () => scene.passMfa(alice));
  await touches('it woke', () => scene.report(alice, { woken: true }));
  await touches('it was unlocked', () => scene.report(alice, { unlocked: true }));
  await touches('MFA removed', () => scene.removeMfa(alice));
  await network.stop();
});

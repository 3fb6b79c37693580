// Changes of posture checks that clients hear of by their services' last change.

import t from 'tap';
import { bootNetwork, type Network } from '../simulated/network.ts';

interface Scene {
  readonly network: Network;
  readonly policy: string;
  readonly check: string;
  /** Whether whom the policy selects, and others, have heard of something since last asked. */
  heard(): Promise<readonly [inside: boolean, outside: boolean]>;
}

/** One identity whose policy asks for checks with the attribute `laptops`, and one without. */
async function scene(): Promise<Scene> {
  const network = await bootNetwork();
  const inside = await network.createUser('inside', 'password');
  await network.createUser('outside', 'password');
  await network.create('services', { name: 'printer', encryptionRequired: true });
  const mfa = { typeId: 'MFA', name: 'mfa', roleAttributes: ['laptops'] };
  const check = await network.create('posture-checks', mfa);
  const policy = await network.create('service-policies', {
    name: 'p',
    type: 'Dial',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    identityRoles: [`@${inside}`],
    postureCheckRoles: ['#laptops'],
  });
  const users = ['inside', 'outside'] as const;
  const tokens = await Promise.all(users.map((user) => network.login(user, 'password')));
  const stamps = () =>
    Promise.all(
      tokens.map(async (token) => {
        const path = 'C:/current-api-session/service-updates';
        const answer = await network.must<{ lastChangeAt: string }>('GET', path, undefined, token);
        return answer.lastChangeAt;
      }),
    );
  let last = await stamps();
  await network.advance(1000);
  return {
    network,
    policy,
    check,
    async heard() {
      const now = await stamps();
      const [a, b] = now.map((stamp, i) => stamp !== last[i]);
      last = now;
      await network.advance(1000);
      return [a ?? false, b ?? false];
    },
  };
}

t.test('only those hear whose policies ask for the check', async (t) => {
  const { network, policy, check, heard } = await scene();
  t.same(await heard(), [false, false]);
  const path = `M:/posture-checks/${check}`;
  await network.must('PATCH', path, { typeId: 'MFA', timeoutSeconds: 60 });
  t.same(await heard(), [true, false], 'it asks for something else');
  await network.must('PATCH', path, { typeId: 'MFA', roleAttributes: ['phones'] });
  t.same(await heard(), [true, false], 'it is no longer asked for');
  await network.must('PATCH', path, { typeId: 'MFA', timeoutSeconds: 30 });
  t.same(await heard(), [false, false], 'nobody asks for it');
  await network.must('PATCH', `M:/service-policies/${policy}`, { postureCheckRoles: ['#phones'] });
  t.same(await heard(), [true, false], 'another list of checks');
  await network.must('PATCH', `M:/service-policies/${policy}`, { name: 'q' });
  t.same(await heard(), [false, false], 'a name is nothing to clients');
  await network.must('DELETE', path);
  t.same(await heard(), [true, false], 'it is gone');
  await network.stop();
});

t.test('a new check counts for policies that ask for all', async (t) => {
  const { network, policy, heard } = await scene();
  await network.create('posture-checks', { name: 'other', typeId: 'MFA' });
  t.same(await heard(), [false, false]);
  await network.must('PATCH', `M:/service-policies/${policy}`, { postureCheckRoles: ['#all'] });
  t.same(await heard(), [true, false]);
  await network.create('posture-checks', { name: 'third', typeId: 'MFA' });
  t.same(await heard(), [true, false]);
  await network.stop();
});

t.test('AllOf or AnyOf is another set of checks, where there are attributes', async (t) => {
  const { network, policy, check, heard } = await scene();
  const change = (body: object) => network.must('PATCH', `M:/service-policies/${policy}`, body);
  await change({ semantic: 'AllOf' });
  t.same(await heard(), [false, false], 'of one attribute');
  await change({ postureCheckRoles: ['#laptops', `@${check}`] });
  t.same(await heard(), [true, false]);
  await change({ semantic: 'AnyOf' });
  t.same(await heard(), [false, false], 'of one attribute and an id');
  await change({ postureCheckRoles: ['#laptops', '#new'] });
  t.same(await heard(), [true, false]);
  await change({ semantic: 'AllOf' });
  t.same(await heard(), [true, false], 'of two');
  await network.stop();
});

t.test('a check with some of the attributes that an AllOf policy names is not its', async (t) => {
  const { network, policy, check, heard } = await scene();
  await network.must('PATCH', `M:/service-policies/${policy}`, {
    semantic: 'AllOf',
    postureCheckRoles: ['#laptops', '#new'],
  });
  t.same(await heard(), [true, false]);
  const change = (body: object) =>
    network.must('PATCH', `M:/posture-checks/${check}`, { typeId: 'MFA', ...body });
  await change({ timeoutSeconds: 60 });
  t.same(await heard(), [false, false]);
  await change({ roleAttributes: ['new', 'laptops', 'more'] });
  t.same(await heard(), [true, false], 'now it has both');
  await change({ timeoutSeconds: 30 });
  t.same(await heard(), [true, false]);
  await change({ roleAttributes: ['new'] });
  t.same(await heard(), [true, false], 'and no longer');
  await change({ timeoutSeconds: 60 });
  t.same(await heard(), [false, false]);
  await network.stop();
});

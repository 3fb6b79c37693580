// The service-updates stamp moves for the identities whose services look different, and for no
// others except those whose policies changed.

import t from 'tap';
import { bootNetwork, type Network } from '../simulated/network.ts';

const secondMs = 1000;

interface Staff {
  readonly network: Network;
  readonly alice: { readonly id: string; readonly token: string };
  readonly bob: { readonly id: string; readonly token: string };
}

/** Alice is staff, Bob is a guest; policies give each its own services. */
async function staff(): Promise<Staff> {
  const network = await bootNetwork();
  const people = { alice: 'staff', bobby: 'guests' };
  const found: { id: string; token: string }[] = [];
  for (const [name, attribute] of Object.entries(people)) {
    const id = await network.createUser(name, 'some-password', { roleAttributes: [attribute] });
    found.push({ id, token: await network.login(name, 'some-password') });
    await network.create('service-policies', {
      name: attribute,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`#${attribute}`],
      serviceRoles: [`#for-${attribute}`],
    });
  }
  const [alice = { id: '', token: '' }, bob = { id: '', token: '' }] = found;
  return { network, alice, bob };
}

async function stampOf(network: Network, token: string): Promise<number> {
  const path = 'C:/current-api-session/service-updates';
  const { lastChangeAt } = await network.must<{ lastChangeAt: string }>(
    'GET',
    path,
    undefined,
    token,
  );
  return Date.parse(lastChangeAt);
}

/** Whose stamps `change`, made a second later, moves to its moment. */
async function movedBy({ network, alice, bob }: Staff, change: () => Promise<unknown>) {
  const before = [await stampOf(network, alice.token), await stampOf(network, bob.token)];
  await network.advance(secondMs);
  await change();
  const after = [await stampOf(network, alice.token), await stampOf(network, bob.token)];
  const now = network.clock.now();
  return ['alice', 'bob'].filter((_, i) => {
    if (after[i] === before[i]) return false;
    if (after[i] !== now)
      throw new Error('a stamp moved to another moment than that of the change');
    return true;
  });
}

const service = (name: string, roleAttributes: string[], more: object = {}) => ({
  name,
  encryptionRequired: true,
  roleAttributes,
  ...more,
});

t.test('services that come, change and go', async (t) => {
  const world = await staff();
  const { network } = world;
  let id = '';
  const steps: [string, () => Promise<unknown>, string[]][] = [
    ['a service nobody sees', () => network.create('services', service('hidden', [])), []],
    [
      'a service of the staff',
      async () => (id = await network.create('services', service('s', ['for-staff']))),
      ['alice'],
    ],
    ['its name', () => network.must('PATCH', `M:/services/${id}`, { name: 's2' }), ['alice']],
    [
      'for guests too',
      () =>
        network.must('PATCH', `M:/services/${id}`, { roleAttributes: ['for-staff', 'for-guests'] }),
      ['alice', 'bob'],
    ],
    [
      'for guests alone',
      () => network.must('PATCH', `M:/services/${id}`, { roleAttributes: ['for-guests'] }),
      ['alice', 'bob'],
    ],
    ['its tags', () => network.must('PATCH', `M:/services/${id}`, { tags: { a: 'b' } }), ['bob']],
    ['it goes', () => network.must('DELETE', `M:/services/${id}`), ['bob']],
  ];
  for (const [what, change, concerned] of steps) {
    t.same(await movedBy(world, change), concerned, what);
  }
  await network.stop();
});

t.test('policies and attributes', async (t) => {
  const world = await staff();
  const { network, alice, bob } = world;
  await network.create('services', service('one', ['for-staff']));
  await network.create('services', service('two', ['x']));
  let id = '';
  const policy = {
    name: 'p',
    type: 'Bind',
    semantic: 'AnyOf',
    identityRoles: [`@${bob.id}`],
    serviceRoles: ['#x'],
  };
  const steps: [string, () => Promise<unknown>, string[]][] = [
    [
      'a policy for Bob',
      async () => (id = await network.create('service-policies', policy)),
      ['bob'],
    ],
    // Nothing differs for Bob, yet the policies did: the client reloads once more than it must.
    [
      'one that gives what Bob has',
      () => network.create('service-policies', { ...policy, name: 'q' }),
      ['bob'],
    ],
    [
      'the right to dial beside the one to host',
      () => network.create('service-policies', { ...policy, name: 'r', type: 'Dial' }),
      ['bob'],
    ],
    [
      'the first goes, the second stays',
      () => network.must('DELETE', `M:/service-policies/${id}`),
      ['bob'],
    ],
    [
      'Alice becomes a guest, who see nothing',
      () => network.must('PATCH', `M:/identities/${alice.id}`, { roleAttributes: ['guests'] }),
      ['alice'],
    ],
    [
      'an attribute nobody asks for',
      () => network.must('PATCH', `M:/identities/${alice.id}`, { roleAttributes: ['guests', 'y'] }),
      [],
    ],
    ['a name', () => network.must('PATCH', `M:/identities/${alice.id}`, { name: 'alice-2' }), []],
    [
      'routers are none of it',
      () => network.create('edge-routers', { name: 'edge-1', roleAttributes: ['x'] }),
      [],
    ],
    [
      'nor are edge router policies',
      () =>
        network.create('edge-router-policies', {
          name: 'p',
          semantic: 'AnyOf',
          identityRoles: ['#all'],
          edgeRouterRoles: ['#all'],
        }),
      [],
    ],
  ];
  for (const [what, change, concerned] of steps) {
    t.same(await movedBy(world, change), concerned, what);
  }
  await network.stop();
});

t.test('configs', async (t) => {
  const world = await staff();
  const { network } = world;
  const type = await network.create('config-types', { name: 'any.v1' });
  const config = (name: string) =>
    network.create('configs', { name, configTypeId: type, data: { at: 1 } });
  const used = await config('used');
  const idle = await config('idle');
  const id = await network.create('services', service('s', ['for-staff'], { configs: [used] }));
  const path = `M:/config-types/${type}`;
  const steps: [string, () => Promise<unknown>, string[]][] = [
    ['their type, under another name', () => network.must('PATCH', path, { name: 'x' }), ['alice']],
    ['its tags', () => network.must('PATCH', path, { tags: { a: 'b' } }), []],
    ['of nobody', () => network.must('PATCH', `M:/configs/${idle}`, { data: { at: 2 } }), []],
    [
      'of a service',
      () => network.must('PATCH', `M:/configs/${used}`, { data: { at: 2 } }),
      ['alice'],
    ],
    ['taken off', () => network.must('PATCH', `M:/services/${id}`, { configs: [] }), ['alice']],
    ['no longer its', () => network.must('PATCH', `M:/configs/${used}`, { data: { at: 3 } }), []],
    ['nobody has the type', () => network.must('PATCH', path, { name: 'y' }), []],
    [
      'in place of those of a service',
      () =>
        network.must('POST', `M:/identities/${world.bob.id}/service-configs`, [
          { serviceId: id, configId: idle },
        ]),
      ['bob'],
    ],
    ['the type again', () => network.must('PATCH', path, { name: 'z' }), ['bob']],
  ];
  for (const [what, change, concerned] of steps) {
    t.same(await movedBy(world, change), concerned, what);
  }
  await network.stop();
});

t.test('the stamp never goes back, also over a restart', async (t) => {
  const world = await staff();
  const { network, alice } = world;
  await movedBy(world, () => network.create('services', service('s', ['for-staff'])));
  const before = await stampOf(network, alice.token);
  await network.advance(secondMs);
  await network.restart();
  const after = await stampOf(network, alice.token);
  t.ok(after >= before);
  t.equal(after, network.clock.now(), 'the start of the process: SDKs reload');
  await network.stop();
});

t.test('it does not go back over a restart, though the wall clock was set back', async (t) => {
  const { network, alice } = await staff();
  await network.advance(60 * secondMs);
  await network.create('services', {
    name: 'new',
    encryptionRequired: true,
    roleAttributes: ['for-staff'],
  });
  const before = await stampOf(network, alice.token);
  network.clock.jump(-30 * secondMs);
  await network.restart();
  t.ok((await stampOf(network, alice.token)) >= before);
  await network.stop();
});

t.test('nor does it while the controller serves', async (t) => {
  const { network, alice } = await staff();
  await network.advance(60 * secondMs);
  const token = await network.login('alice', 'some-password');
  const shown = [await stampOf(network, token), await stampOf(network, alice.token)];
  network.clock.jump(-90 * secondMs);
  await network.create('services', {
    name: 'new',
    encryptionRequired: true,
    roleAttributes: ['for-staff'],
  });
  const later = [await stampOf(network, token), await stampOf(network, alice.token)];
  t.ok(
    later.every((at, n) => at >= (shown[n] ?? 0)),
    `${shown} then ${later}`,
  );
  await network.stop();
});

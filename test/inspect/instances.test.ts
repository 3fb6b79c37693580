// Instances as inspectors see them: no secrets, their deadlines, and no more neighbours than the
// bounds allow.

import t from 'tap';
import type { InstanceDetail, InstanceRow, MachineView } from '../../src/inspect/messages.ts';
import { referrersOf } from '../../src/inspect/server/instances/relations.ts';
import { apiSessionKind } from '../../src/records/api-session.ts';
import { identityKind } from '../../src/records/identity.ts';
import { mfaEnrollmentKind } from '../../src/records/mfa-enrollment.ts';
import { resources } from '../../src/resources/index.ts';
import { furnishedNetwork, secretsOf } from '../commands/offline/looking.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const machinesPath = 'M:/inspect/machines';
const detailOf = (network: Network, kind: string, id: string) =>
  network.must<InstanceDetail>('GET', `${machinesPath}/${kind}/instances/${id}`);

/** Every answer that there is. */
async function everything(network: Network): Promise<string> {
  const machines = await network.call('GET', machinesPath);
  const answers = [machines];
  for (const { id: kind } of machines.data as MachineView[]) {
    const list = await network.call('GET', `${machinesPath}/${kind}/instances?limit=-1`);
    answers.push(list);
    for (const { id } of list.data as InstanceRow[]) {
      answers.push(await network.call('GET', `${machinesPath}/${kind}/instances/${id}`));
    }
  }
  return answers.map(({ body }) => body.toString()).join('\n');
}

t.test('no secret is in any answer', async (t) => {
  const network = await furnishedNetwork();
  const secrets = secretsOf(network);
  t.ok(secrets.length >= 8, 'there are some to be looked for');
  const free = 'held-where-anything-goes';
  await network.create('identities', {
    name: 'dora',
    type: 'Default',
    isAdmin: false,
    tags: { apiSecret: free, floor: '3' },
    appData: { vault: { password: free, shelf: 'b' }, list: [{ privateKey: free }] },
  });
  const said = await everything(network);
  t.match(said, /"shelf":"b"/, 'what is no secret is shown');
  for (const secret of [...secrets, free, network.admin]) {
    t.notOk(said.includes(JSON.stringify(secret).slice(1, -1)), 'a secret');
  }
  await network.stop();
});

/** Settings that are about secrets and hold none. */
const settings = new Set([
  'primary.updb.minPasswordLength',
  'primary.extJwt.allowed',
  'secondary.requireExtJwtSigner',
  'targetToken',
]);

t.test('no instance can be found by its secrets', async (t) => {
  const network = await furnishedNetwork();
  const { env } = network;
  for (const kind of env.inspection.kinds) {
    const face = env.inspection.resourceOf(kind);
    const published = resources.find((one) => one.kind.kind === kind)?.symbols ?? [];
    const secret = published.filter((name) => !face?.symbols?.includes(name));
    for (const name of secret) {
      const filter = encodeURIComponent(`${name} != null`);
      const path = `${machinesPath}/${kind}/instances?filter=${filter}`;
      t.match(await network.call('GET', path), { status: 400 }, `${kind} ${name}`);
    }
    const speaking = face?.symbols.filter((name) => /token|secret|password|jwt/i.test(name));
    t.same(
      speaking?.filter((name) => !settings.has(name)),
      [],
      kind,
    );
  }
  await network.stop();
});

t.test('no secret is reached through references and sets, nor sorted by', async (t) => {
  const network = await furnishedNetwork();
  const ask = (kind: string, query: string) =>
    network.call('GET', `${machinesPath}/${kind}/instances?${query}`);
  for (const [kind, filter] of [
    ['identity', 'anyOf(apiSessions.token) contains "a"'],
    ['identity', 'not isEmpty(from apiSessions where token contains "a")'],
    ['identity', 'count(from enrollments where token != null) > 0'],
    ['identity', 'anyOf(enrollments.token) contains "a"'],
    ['identity', 'anyOf(sessions.apiSession.token) contains "a"'],
    ['enrollment', 'anyOf(identity.apiSessions.token) contains "a"'],
    ['apiSession', 'anyOf(identity.enrollments.token) contains "a"'],
    ['apiSession', 'true sort by token'],
    ['identity', 'tags.apiSecret contains "a"'],
    ['apiSession', 'identity.tags.apiSecret contains "a"'],
  ] as const) {
    const answer = await ask(kind, `filter=${encodeURIComponent(filter)}`);
    t.match(answer, { status: 400, cause: { reason: /^there is no symbol/ } }, filter);
  }
  for (const [kind, key] of [
    ['apiSession', 'token'],
    ['enrollment', 'token'],
    ['enrollment', 'identity.tags.apiSecret'],
  ] as const) {
    t.match(await ask(kind, `sort=${key}`), { status: 400 }, `${kind} by ${key}`);
  }
  for (const [kind, filter] of [
    ['identity', 'anyOf(apiSessions.identity.name) contains "a"'],
    ['identity', 'not isEmpty(from apiSessions where identity.name contains "a")'],
    ['identity', 'count(from enrollments where method = "ott") > 0'],
    ['identity', 'anyOf(sessions.apiSession.id) contains "a"'],
    ['apiSession', 'anyOf(identity.enrollments.method) contains "a"'],
    ['apiSession', 'identity.tags.floor = "3"'],
    ['enrollment', 'anyOf(identity.apiSessions.id) contains "a"'],
  ] as const) {
    const answer = await ask(kind, `filter=${encodeURIComponent(filter)}`);
    t.equal(answer.status, 200, `${kind} ${filter}`);
  }
  for (const [ways, status] of [
    ['enrollments', 200],
    // What only its owner is shown is no name anywhere.
    ['apiSessions', 400],
  ] as const) {
    const filter = encodeURIComponent(`anyOf(${ways}.token) contains "a"`);
    t.match(await network.call('GET', `M:/identities?filter=${filter}`), { status }, 'elsewhere');
  }
  await network.stop();
});

t.test('posture checks that fail by themselves are told with their times', async (t) => {
  const network = await bootNetwork();
  const alice = await network.createUser('alice', 'alice-password', { roleAttributes: ['staff'] });
  const check = await network.create('posture-checks', {
    typeId: 'MFA',
    name: 'code',
    timeoutSeconds: 600,
    roleAttributes: ['careful'],
  });
  for (const [name, type] of [
    ['one', 'Dial'],
    ['two', 'Bind'],
  ]) {
    await network.create('service-policies', {
      name,
      type,
      semantic: 'AnyOf',
      identityRoles: ['#staff'],
      serviceRoles: ['#all'],
      postureCheckRoles: [`@${check}`],
    });
  }
  const token = await network.login('alice', 'alice-password');
  const sessions = network.env.store.table(apiSessionKind);
  const [row] = [...sessions.members('identityId', alice)];
  const id = row?.record.id ?? '';
  t.equal((await detailOf(network, 'apiSession', id)).lapses, undefined, 'it fails already');
  const now = network.clock.now();
  network.env.store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    const record = sessions.find(id)?.record;
    if (record === undefined) throw new Error('no session');
    tx.put(sessions, { ...record, mfaPassedAt: now, isMfaComplete: true });
    tx.put(network.env.store.table(mfaEnrollmentKind), {
      id: 'mfa',
      createdAt: now,
      updatedAt: now,
      tags: {},
      state: 'verified',
      identityId: alice,
      secret: 's',
      recoveryCodes: 'r',
      lastTimeStep: 0,
      lastUsedStep: 0,
      wrongCodes: 0,
      bars: 0,
      barredUntil: 0,
    });
  });
  t.ok(token);
  const { lapses, deadline } = await detailOf(network, 'apiSession', id);
  const at = new Date(now + 600_001).toISOString();
  t.same(lapses, [{ at, id: check, name: 'code' }], 'once, though two policies ask for it');
  t.match(deadline, { event: 'timeout' });
  await network.stop();
});

t.test('neighbours are counted, and named up to the bounds', async (t) => {
  const network = await bootNetwork({ bounds: { inspectSomeMax: 2, inspectRelatedMax: 2 } });
  const alice = await network.createUser('alice', 'alice-password');
  for (let i = 0; i < 3; i++) await network.login('alice', 'alice-password');
  const { referrers } = await detailOf(network, 'identity', alice);
  const ofSessions = referrers.find(({ kind }) => kind === 'apiSession');
  t.equal(ofSessions?.count, 3);
  t.equal(ofSessions?.some.length, 2);
  const ids = [];
  for (const name of ['one', 'two', 'three']) {
    ids.push(await network.create('services', { name, encryptionRequired: true }));
  }
  const costs = Object.fromEntries(ids.map((id) => [id, 1]));
  await network.must('PATCH', `M:/identities/${alice}`, { serviceHostingCosts: costs });
  const { relations } = await detailOf(network, 'identity', alice);
  const hosted = relations.filter(({ field }) => field === 'serviceHostingCosts');
  t.same(
    hosted.map(({ kind, name }) => [kind, name]),
    [
      ['service', 'one'],
      ['service', 'two'],
    ],
  );
  await network.stop();
});

t.test(
  'inspectRowsAtOnceMax: referrers that are being deleted are read up to a bound',
  async (t) => {
    const network = await bootNetwork({ bounds: { inspectRowsAtOnceMax: 4 } });
    const alice = await network.createUser('alice', 'alice-password');
    for (let i = 0; i < 6; i++) await network.login('alice', 'alice-password');
    const { store } = network.env;
    const sessions = store.table(apiSessionKind);
    const ids = [...sessions.members('identityId', alice)].map(({ record }) => record.id);
    const gone = new Set(ids.slice(0, 3));
    let looked = 0;
    sessions.isLive = ({ id }) => {
      if (ids.includes(id)) looked += 1;
      return !gone.has(id);
    };
    t.intercept(store.fence, 'cascadesOpen', { value: true });
    t.intercept(store.fence, 'kindsBeingDeleted', { value: new Set(['apiSession']) });
    const found = referrersOf(network.env, 'identity', alice);
    const ofSessions = found.find(({ kind }) => kind === 'apiSession');
    t.equal(ofSessions?.count, 6);
    const named = ofSessions?.some.map(({ id }) => id) ?? [];
    t.ok(named.length <= 1 && named.every((id) => id === ids[3]), 'of the four that are looked at');
    t.ok(looked > 0 && looked <= 4, String(looked));
    await network.stop();
  },
);

t.test('two machines cannot have one name', async (t) => {
  const network = await bootNetwork();
  const [life] = network.env.inspection.live;
  if (life === undefined) throw new Error('no live machine');
  t.throws(() => network.env.inspection.addLive(life), { message: /two machines named life/ });
  const twin = { ...life, id: 'identity' };
  t.throws(() => network.env.inspection.addLive(twin), { message: /two machines named identity/ });
  await network.stop();
});

t.test('a damaged record is shown as it is', async (t) => {
  const network = await bootNetwork();
  const { store } = network.env;
  const table = store.table(identityKind);
  const id = await network.create('identities', { name: 'x', type: 'Default', isAdmin: false });
  store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    const broken = { state: 'astray', createdAt: 1e300, authPolicyId: 'gone' };
    tx.put(table, { ...table.find(id)?.record, ...broken } as never);
  });
  const shown = await detailOf(network, 'identity', id);
  t.match(shown, { state: 'astray', events: [], record: { createdAt: 1e300 } });
  t.same(
    shown.relations.find(({ field }) => field === 'authPolicyId'),
    { field: 'authPolicyId', kind: 'authPolicy', id: 'gone', name: '' },
  );
  const [view] = (await network.must<MachineView[]>('GET', machinesPath)).filter(
    (one) => one.id === 'identity',
  );
  t.match(view?.counts, { astray: 1, enabled: 1 });
  await network.stop();
});

// API sessions end with the credential that opened them, from the deciding frame on, however many
// there are; others do not.

import t, { type Test } from 'tap';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { claims, jwks, newKey, sign } from '../../auth/identity-provider.ts';
import { ScriptedFetch } from '../../auth/scripted-fetch.ts';
import { type Made, makeCertificate } from '../../simulated/certificates.ts';
import { bootNetwork, type Network, type NetworkOptions } from '../../simulated/network.ts';

const own = 'C:/current-identity/authenticators';
const isOff = {
  sessionLifetimeMaxMinutes: 0,
  endSessionsWithCredential: false,
  jwksFromPrivateAddresses: true,
};

async function isAlive(network: Network, token: string): Promise<boolean> {
  return (await network.call('GET', 'C:/current-api-session', { token })).status === 200;
}

/** Which of some sessions go on. */
async function living(network: Network, sessions: Readonly<Record<string, string>>) {
  const alive: string[] = [];
  for (const [name, token] of Object.entries(sessions)) {
    if (await isAlive(network, token)) alive.push(name);
  }
  return alive;
}

/** Somebody with a password, logged in three times. */
async function withPassword(options: NetworkOptions = {}) {
  const network = await bootNetwork(options);
  const identityId = await network.createUser('alice', 'alice-password');
  const logIn = (password = 'alice-password') => network.login('alice', password);
  const sessions = { first: await logIn(), second: await logIn(), third: await logIn() };
  const [authenticator] = await network.must<{ id: string }[]>(
    ...(['GET', own, undefined, sessions.first] as const),
  );
  return { network, identityId, authenticatorId: authenticator?.id ?? '', sessions, logIn };
}

function changeOwn(network: Network, id: string, token: string, change: object) {
  const body = { currentPassword: 'alice-password', ...change };
  return network.must('PATCH', `${own}/${id}`, body, token);
}

t.test(
  'a client that changes its password keeps the session in which it does so, and no other',
  async (t) => {
    const { network, authenticatorId: id, sessions, logIn } = await withPassword();
    await changeOwn(network, id, sessions.second, { username: 'alice' });
    t.same(await living(network, sessions), ['first', 'second', 'third'], 'a name is no secret');
    await changeOwn(network, id, sessions.second, { password: 'other-password' });
    const later = await logIn('other-password');
    t.same(await living(network, { ...sessions, later }), ['second', 'later']);
    t.ok(await isAlive(network, network.admin));
    await network.stop();
  },
);

t.test('an administrator who resets a password ends all of its sessions', async (t) => {
  const { network, authenticatorId: id, sessions } = await withPassword();
  await network.must('PATCH', `M:/authenticators/${id}`, { tags: { a: 'b' } });
  t.same(await living(network, sessions), ['first', 'second', 'third']);
  await network.must('PATCH', `M:/authenticators/${id}`, { password: 'other-password' });
  t.same(await living(network, sessions), []);
  await network.stop();
});

t.test('an administrator who resets an own password keeps the session', async (t) => {
  const network = await bootNetwork();
  const other = await network.login('admin', 'admin-password');
  const [authenticator] = await network.must<{ id: string }[]>('GET', own);
  const body = { username: 'admin', password: 'other-password' };
  await network.must('PUT', `M:/authenticators/${authenticator?.id}`, body);
  t.same(await living(network, { other, present: network.admin }), ['present']);
  await network.stop();
});

t.test(
  'a deleted authenticator takes its sessions along, a re-enrolled one does not',
  async (t) => {
    for (const [end, left] of [
      [(id: string, network: Network) => network.must('DELETE', `M:/authenticators/${id}`), []],
      [
        (id: string, network: Network) => {
          const expiresAt = '2026-02-01T00:00:00Z';
          return network.must('POST', `M:/authenticators/${id}/re-enroll`, { expiresAt });
        },
        ['first', 'second', 'third'],
      ],
    ] as const) {
      const { network, authenticatorId, sessions } = await withPassword();
      await end(authenticatorId, network);
      t.same(await living(network, sessions), left);
      await network.stop();
    }
  },
);

const key = await newKey('ES256', 'key');

/** An identity with a session of each of two signers, and one by password. */
async function withSigners(options: NetworkOptions = {}) {
  const provider = new ScriptedFetch();
  provider.body = jwks(key);
  const network = await bootNetwork({ fetch: provider.fetch, ...options });
  const signers: Record<string, string> = {};
  const sessions: Record<string, string> = {};
  await network.createUser('alice', 'alice-password', { externalId: 'alice' });
  for (const name of ['one', 'two']) {
    const issuer = `https://${name}.example.com`;
    signers[name] = await network.create('external-jwt-signers', {
      name,
      issuer,
      audience: 'edge',
      enabled: true,
      useExternalId: true,
      jwksEndpoint: `${issuer}/keys`,
    });
    const bearer = await sign(key, claims({ iss: issuer }));
    const answer = await network.call('POST', 'C:/authenticate?method=ext-jwt', {
      token: null,
      headers: { authorization: `Bearer ${bearer}` },
    });
    sessions[name] = answer.headers['zt-session'] ?? '';
  }
  sessions['password'] = await network.login('alice', 'alice-password');
  return { network, signers, sessions };
}

t.test('a signer that is disabled or deleted ends its sessions', async (t) => {
  const { network, signers, sessions } = await withSigners();
  const all = Object.keys(sessions);
  t.same(await living(network, sessions), all);
  await network.must('PATCH', `M:/external-jwt-signers/${signers['one']}`, { audience: 'other' });
  t.same(await living(network, sessions), all);
  await network.must('PATCH', `M:/external-jwt-signers/${signers['one']}`, { enabled: false });
  t.same(await living(network, sessions), ['two', 'password']);
  await network.must('PATCH', `M:/external-jwt-signers/${signers['one']}`, { enabled: true });
  t.same(await living(network, sessions), ['two', 'password'], 'what ended stays so');
  await network.must('DELETE', `M:/external-jwt-signers/${signers['two']}`);
  t.same(await living(network, sessions), ['password']);
  await network.stop();
});

/** A verified CA, and an identity that logged in by a certificate of it and by a password. */
async function withCa(options: NetworkOptions = {}) {
  const network = await bootNetwork(options);
  const make = (name: string, issuer?: Made) =>
    makeCertificate({
      name,
      as: issuer ? 'end' : 'authority',
      keyType: 'ec-p256',
      nowMs: network.clock.now(),
      ...(issuer && { issuer }),
    });
  const root = await make('root');
  const caId = await network.create('cas', {
    name: 'ca',
    certPem: root.pem,
    identityRoles: [],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
  });
  const { verificationToken } = await network.must<{ verificationToken: string }>(
    ...(['GET', `M:/cas/${caId}`] as const),
  );
  await network.call('POST', `M:/cas/${caId}/verify`, {
    headers: { 'content-type': 'text/plain' },
    body: (await make(verificationToken, root)).pem,
  });
  const identityId = await network.createUser('alice', 'alice-password');
  const leaf = await make('desk', root);
  await network.create('authenticators', { method: 'cert', identityId, certPem: leaf.pem });
  const answer = await network.call('POST', 'C:/authenticate?method=cert', {
    token: null,
    certificates: [leaf.certificate.raw],
  });
  const sessions = {
    certificate: answer.headers['zt-session'] ?? '',
    password: await network.login('alice', 'alice-password'),
  };
  return { network, caId, sessions };
}

t.test('a CA that is disabled or deleted ends the sessions of its certificates', async (t) => {
  for (const end of [
    (network: Network, id: string) =>
      network.must('PATCH', `M:/cas/${id}`, { isAuthEnabled: false }),
    (network: Network, id: string) => network.must('DELETE', `M:/cas/${id}`),
  ]) {
    const { network, caId, sessions } = await withCa();
    await network.must('PATCH', `M:/cas/${caId}`, { identityRoles: ['some'] });
    t.same(await living(network, sessions), ['certificate', 'password']);
    await end(network, caId);
    t.same(await living(network, sessions), ['password']);
    await network.stop();
  }
});

t.test('nothing ends if the configuration says so', async (t) => {
  const { network, authenticatorId, sessions } = await withPassword({ config: { auth: isOff } });
  await changeOwn(network, authenticatorId, sessions.first, { password: 'other-password' });
  await network.must('PATCH', `M:/authenticators/${authenticatorId}`, { password: 'one-more' });
  await network.must('DELETE', `M:/authenticators/${authenticatorId}`);
  t.same(await living(network, sessions), Object.keys(sessions));
  await network.stop();
});

const crowd = 30;
const rowsMax = 4;

/** As `withPassword`, with more sessions than a few slices take. */
async function withCrowd() {
  const world = await withPassword({ bounds: { cascadeRowsMax: rowsMax } });
  const more: string[] = [];
  while (more.length < crowd) more.push(await world.logIn());
  return { ...world, more };
}

/** Every commit from now on: how many API sessions it took, and who is there for readers then. */
function watch({ network, identityId }: Awaited<ReturnType<typeof withCrowd>>) {
  const { store } = network.env;
  const sessions = store.table(apiSessionKind);
  const commits: { taken: number; seen: string[] }[] = [];
  store.follow(({ changes }) => {
    const taken = changes.filter(
      ({ table, after }) => table.kind === 'apiSession' && after === undefined,
    ).length;
    const seen = [...sessions.members('identityId', identityId)].map(({ record }) => record.id);
    commits.push({ taken, seen });
  });
  return commits;
}

/** No slice of a consequence is carried out until the answer is called, or a start does it. */
function holdBack({ env }: Network): () => void {
  const { deferredCascades } = env.store;
  deferredCascades.nextSlice.requestIn(Number.MAX_SAFE_INTEGER);
  return () => {
    deferredCascades.nextSlice.cancel();
    deferredCascades.drain();
  };
}

async function idOf(network: Network, token: string): Promise<string> {
  return (await network.must<{ id: string }>('GET', 'C:/current-api-session', undefined, token)).id;
}

function onlySeen(t: Test, commits: ReturnType<typeof watch>, ids: readonly string[]): void {
  t.ok(commits.length > 0);
  for (const { taken, seen } of commits) {
    t.ok(taken <= rowsMax, 'no slice takes more than its rows');
    t.same(
      seen.filter((id) => !ids.includes(id)),
      [],
      'nobody sees what ended',
    );
  }
}

t.test('many sessions end at once for readers, and in slices', async (t) => {
  const world = await withCrowd();
  const { network, authenticatorId, sessions, logIn } = world;
  const kept = await idOf(network, sessions.second);
  const commits = watch(world);
  const goOn = holdBack(network);
  await changeOwn(network, authenticatorId, sessions.second, { password: 'other-password' });
  t.equal(commits[0]?.taken, 0, 'the deciding frame only notes it');
  const newcomer = await logIn('other-password');
  const known = [kept, await idOf(network, newcomer)];
  t.same(await living(network, { ...sessions, newcomer }), ['second', 'newcomer']);
  goOn();
  onlySeen(t, commits, known);
  t.equal(network.env.store.tableNamed('followUp').size, 0);
  const left = [...network.env.store.table(apiSessionKind).all()].map(({ id }) => id);
  t.same(left.filter((id) => known.includes(id)).length, 2, 'who came later goes on');
  t.equal(left.length, 3, 'with the administrator');
  await network.stop();
});

t.test('a crash in between ends the rest, and nobody who came later', async (t) => {
  const world = await withCrowd();
  const { network, authenticatorId, sessions, logIn } = world;
  holdBack(network);
  await changeOwn(network, authenticatorId, sessions.second, { password: 'other-password' });
  const newcomer = await logIn('other-password');
  t.equal(network.env.store.tableNamed('followUp').size, 1);
  t.ok(network.env.store.table(apiSessionKind).size > crowd);
  await network.crash();
  t.equal(network.env.store.tableNamed('followUp').size, 0);
  t.equal(network.env.store.table(apiSessionKind).size, 3);
  t.same(await living(network, { ...sessions, newcomer }), ['second', 'newcomer']);
  await network.stop();
});

t.test('sessions of a time that the clock was set back from end like others', async (t) => {
  const world = await withCrowd();
  const { network, authenticatorId, sessions } = world;
  await network.stop();
  network.clock.jump(-3_600_000);
  network.disk = network.disk.kill();
  await network.open();
  holdBack(network);
  await changeOwn(network, authenticatorId, sessions.second, { password: 'other-password' });
  t.equal(network.env.store.tableNamed('followUp').size, 1);
  t.same(await living(network, sessions), ['second']);
  await network.stop();
});

t.test('an integrity run finds nothing wrong while many sessions end', async (t) => {
  const world = await withCrowd();
  const { network, authenticatorId, sessions } = world;
  holdBack(network);
  await changeOwn(network, authenticatorId, sessions.second, { password: 'other-password' });
  t.equal(network.env.store.tableNamed('followUp').size, 1);
  await network.must('POST', 'M:/database/check-data-integrity');
  await network.advance(1000);
  const { results } = await network.must<{ results: unknown[] }>(
    ...(['GET', 'M:/database/data-integrity-results'] as const),
  );
  t.same(results, []);
  await network.stop();
});

t.test('an ending that an earlier version left open names an identity and no more', async (t) => {
  const { network, identityId, sessions } = await withPassword();
  const { store } = network.env;
  const cause = { actor: 'controller', requestId: '', operation: 'test' };
  store.transact(cause, (tx) => {
    store.deferredCascades.note(tx, `${identityId}:1`, 'endApiSessions', [identityId]);
  });
  t.same(await living(network, sessions), []);
  await network.advance(0);
  t.equal(store.tableNamed('followUp').size, 0);
  t.equal(store.table(apiSessionKind).size, 1, 'the administrator');
  await network.stop();
});

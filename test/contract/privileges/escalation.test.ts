// The known ways by which a caller with some permissions could gain further rights, each refused
// (behaviour/permissions#whom, behaviour/permissions#unconfirmed).

import t, { type Test } from 'tap';
import { claims, jwks, newKey, sign } from '../../auth/identity-provider.ts';
import { ScriptedFetch } from '../../auth/scripted-fetch.ts';
import { type Answer, bootNetwork, type Network } from '../../simulated/network.ts';
import { certificatesIn, newIdentity } from '../enrollment/enrolling.ts';
import { anyPrimary, World } from './callers.ts';
import { caBody, type KnownCa, newCa, proof, signed, wholeName } from './certificates.ts';

const key = await newKey('ES256', 'ec');

/** A network with everything that the attempts are about. */
interface Scene {
  readonly world: World;
  readonly network: Network;
  /** An administrator beside the default one, with a password. */
  readonly boss: string;
  /** Holds `ops` and `ca`, which the clerk mostly lacks. */
  readonly auditor: string;
  /** Has no rights. */
  readonly plain: string;
  /** The caller who tries, with the permissions of each row. */
  readonly clerk: string;
  readonly clerkToken: string;
  /** The session of the boss. */
  readonly bossSession: string;
  /** A signer that every policy admits. */
  readonly signer: string;
  /** A CA by which the boss may enroll. */
  readonly ca: KnownCa;
  /** The enrollment of the boss. */
  readonly enrollment: string;
  /** The auth policy of the auditor. */
  readonly policy: string;
  /** An edge router whose tunneler is an administrator. */
  readonly router: string;
}

async function setUp(): Promise<Scene> {
  const provider = new ScriptedFetch();
  provider.body = jwks(key);
  const network = await bootNetwork({ fetch: provider.fetch });
  const world = new World(network);
  const policy = await network.create('auth-policies', { name: 'auditors', ...policyBody });
  const boss = await network.createUser('boss', 'boss-password', {
    isAdmin: true,
    externalId: 'boss@example.com',
  });
  const auditor = await network.createUser('auditor', 'auditor-password', {
    permissions: ['ops', 'ca'],
    authPolicyId: policy,
  });
  const plain = await network.createUser('plain', 'plain-password', { externalId: 'plain' });
  const clerk = await network.createUser('clerk', 'clerk-password', { permissions: ['ops.read'] });
  const clerkToken = await network.login('clerk', 'clerk-password');
  const bossToken = await network.login('boss', 'boss-password');
  const path = 'C:/current-api-session';
  const session = await network.must<{ id: string }>('GET', path, undefined, bossToken);
  const signer = await network.create('external-jwt-signers', signerBody('company'));
  const ca = await newCa(world);
  const expiresAt = new Date(network.clock.now() + 3_600_000).toISOString();
  const enrollment = await network.create('enrollments', {
    identityId: boss,
    method: 'ottca',
    caId: ca.id,
    expiresAt,
  });
  const router = await network.create('edge-routers', { name: 'edge', isTunnelerEnabled: true });
  await network.must('PATCH', `M:/identities/${router}`, { isAdmin: true });
  const ids = { boss, auditor, plain, clerk, signer, enrollment, policy, router };
  return { world, network, clerkToken, bossSession: session.id, ca, ...ids };
}

const policyBody = { primary: anyPrimary, secondary: { requireTotp: false } };

function signerBody(name: string, useExternalId = false) {
  const issuer = `https://${name}.example.com`;
  const jwksEndpoint = `${issuer}/keys`;
  return { name, issuer, audience: 'edge', enabled: true, jwksEndpoint, useExternalId };
}

/** One request of the clerk, by what it is about. */
type Request = (scene: Scene) => readonly [method: string, path: string, body?: unknown];

/** One way: the permissions that the clerk holds, and what it sends. */
interface Way {
  readonly name: string;
  readonly holds: readonly string[];
  readonly requests: readonly Request[];
  /** 401 when absent. */
  readonly status?: number;
  /** No permission opens the operation, so the refusal has no cause. */
  readonly isClosed?: boolean;
}

const everything = ['identity', 'enrollment', 'auth-policy', 'external-jwt-signer', 'router'];

const newcomer = { name: 'newcomer', type: 'Default', isAdmin: false };

/** Writes to an identity. */
const writesTo = (id: (scene: Scene) => string): readonly Request[] => [
  (scene) => ['PATCH', `M:/identities/${id(scene)}`, { name: 'renamed' }],
  (scene) => ['PATCH', `M:/identities/${id(scene)}`, { externalId: 'clerk@example.com' }],
  (scene) => ['PATCH', `M:/identities/${id(scene)}`, { authPolicyId: 'default' }],
  (scene) => ['DELETE', `M:/identities/${id(scene)}`],
  (scene) => ['POST', `M:/identities/${id(scene)}/disable`, { durationMinutes: 1 }],
  (scene) => ['POST', `M:/identities/${id(scene)}/enable`],
  (scene) => ['PUT', `M:/identities/${id(scene)}/trace`, { enabled: false }],
  (scene) => ['DELETE', `M:/identities/${id(scene)}/mfa`],
  (scene) => ['POST', `M:/identities/${id(scene)}/service-configs`, []],
  (scene) => ['DELETE', `M:/identities/${id(scene)}/service-configs`, []],
  (scene) => [
    'POST',
    'M:/enrollments',
    { identityId: id(scene), method: 'ott', expiresAt: '2030-01-01T00:00:00Z' },
  ],
];

const ways: readonly Way[] = [
  {
    name: 'create an administrator or a holder of permissions',
    holds: everything,
    requests: [
      () => ['POST', 'M:/identities', { ...newcomer, isAdmin: true }],
      () => ['POST', 'M:/identities', { ...newcomer, permissions: ['identity'] }],
    ],
  },
  {
    name: 'grant rights to itself or to another identity',
    holds: everything,
    requests: ['clerk', 'plain'].flatMap((who): Request[] => {
      const at = (scene: Scene) => `M:/identities/${who === 'clerk' ? scene.clerk : scene.plain}`;
      return [
        (scene) => ['PATCH', at(scene), { isAdmin: true }],
        (scene) => ['PATCH', at(scene), { isAdmin: false }],
        (scene) => ['PATCH', at(scene), { isDefaultAdmin: false }],
        (scene) => ['PATCH', at(scene), { permissions: ['ops'] }],
        (scene) => ['PATCH', at(scene), { permissions: [] }],
        (scene) => ['PUT', at(scene), { ...newcomer, isAdmin: true }],
        (scene) => ['PUT', at(scene), newcomer],
      ];
    }),
  },
  {
    name: 'act on an administrator',
    holds: [...everything, 'ops', 'ca'],
    requests: writesTo(({ boss }) => boss),
  },
  {
    name: 'act on a holder of a permission that the caller lacks',
    holds: [...everything, 'ops.read', 'ca.read'],
    requests: writesTo(({ auditor }) => auditor),
  },
  {
    name: 'lower what is asked of its own logins, or let another account log in as itself',
    holds: everything,
    requests: [
      ({ clerk, policy }) => ['PATCH', `M:/identities/${clerk}`, { authPolicyId: policy }],
      ({ clerk }) => ['PATCH', `M:/identities/${clerk}`, { externalId: 'another' }],
    ],
  },
  {
    name: 'read, renew or remove the enrollment of an administrator',
    holds: ['enrollment'],
    requests: [
      ({ enrollment }) => ['GET', `M:/enrollments/${enrollment}`],
      ({ enrollment }) => [
        'POST',
        `M:/enrollments/${enrollment}/refresh`,
        { expiresAt: '2030-01-01T00:00:00Z' },
      ],
      ({ enrollment }) => ['DELETE', `M:/enrollments/${enrollment}`],
    ],
  },
  {
    name: 'create a credential',
    holds: everything,
    isClosed: true,
    requests: [
      ({ boss }) => [
        'POST',
        'M:/authenticators',
        { method: 'updb', identityId: boss, username: 'boss2', password: 'boss-password' },
      ],
      () => ['GET', 'M:/authenticators'],
    ],
  },
  {
    name: 'end the API session of an administrator',
    holds: ['ops'],
    status: 403,
    requests: [({ bossSession }) => ['DELETE', `M:/api-sessions/${bossSession}`]],
  },
  {
    name: 'change or remove an auth policy of an administrator or a permission holder',
    holds: everything,
    requests: [
      () => ['PATCH', 'M:/auth-policies/default', { primary: { updb: { maxAttempts: 1 } } }],
      () => ['PUT', 'M:/auth-policies/default', { name: 'Default', ...policyBody }],
      ({ policy }) => ['PATCH', `M:/auth-policies/${policy}`, { tags: {} }],
      ({ policy }) => ['DELETE', `M:/auth-policies/${policy}`],
    ],
  },
  {
    name: 'change an external JWT signer by which an administrator may log in',
    holds: everything,
    requests: [
      ({ signer }) => [
        'PATCH',
        `M:/external-jwt-signers/${signer}`,
        { jwksEndpoint: 'https://clerk.example.com/keys' },
      ],
      ({ signer }) => ['PUT', `M:/external-jwt-signers/${signer}`, signerBody('clerk')],
    ],
  },
  {
    name: 'change or remove a CA by which an administrator may enroll',
    holds: ['ca'],
    requests: [
      ({ ca }) => ['PATCH', `M:/cas/${ca.id}`, { externalIdClaim: wholeName }],
      ({ ca, world }) => [
        'PUT',
        `M:/cas/${ca.id}`,
        { ...caBody(world, ''), identityRoles: ['all'] },
      ],
      ({ ca }) => ['DELETE', `M:/cas/${ca.id}`],
    ],
  },
  {
    name: 'rename or remove an administrator with its router',
    holds: ['router'],
    requests: [
      ({ router }) => ['PATCH', `M:/edge-routers/${router}`, { name: 'renamed' }],
      ({ router }) => ['PATCH', `M:/edge-routers/${router}`, { isTunnelerEnabled: false }],
      ({ router }) => ['DELETE', `M:/edge-routers/${router}`],
      ({ router }) => ['DELETE', `M:/routers/${router}`],
      ({ router }) => ['DELETE', `M:/transit-routers/${router}`],
    ],
  },
  {
    name: 'see services as another identity',
    holds: ['service', 'identity', 'admin_readonly'],
    requests: [({ boss }) => ['GET', `M:/services?asIdentity=${boss}`]],
  },
  {
    name: 'take a copy of the data, count it, or follow its changes',
    holds: ['ops', 'admin_readonly'],
    isClosed: true,
    requests: [
      () => ['POST', 'M:/database/snapshot'],
      () => ['POST', 'M:/database/fix-data-integrity'],
      () => ['GET', 'M:/database/data-integrity-results'],
      () => ['GET', 'M:/summary'],
      () => ['GET', 'M:/audit'],
      () => ['POST', 'M:/inspect/tickets'],
      () => ['PUT', 'M:/inspect/log-level', { level: 'debug' }],
    ],
  },
  {
    name: 'be a router',
    holds: everything,
    status: 400,
    requests: [() => ['POST', 'M:/identities', { ...newcomer, type: 'Router' }]],
  },
  {
    name: 'use a permission in the client API',
    holds: ['service'],
    isClosed: true,
    requests: [() => ['DELETE', 'C:/services/no-such-id']],
  },
];

t.test('ways to more rights, each refused', async (t) => {
  const scene = await setUp();
  const { network, clerkToken } = scene;
  for (const { name, holds, requests, status = 401, isClosed = false } of ways) {
    await network.must('PATCH', `M:/identities/${scene.clerk}`, { permissions: holds });
    for (const request of requests) {
      const [method, path, body] = request(scene);
      const before = network.core.journal.lastLsn;
      const options = body === undefined ? {} : { body };
      const answer = await network.call(method, path, { token: clerkToken, ...options });
      const label = `${name}: ${method} ${path} ${JSON.stringify(body)}: ${answer.body}`;
      t.equal(answer.status, status, label);
      if (status !== 400) t.match(answer, { code: 'UNAUTHORIZED' }, label);
      const wanted = status === 400 || isClosed ? undefined : 'UNHANDLED';
      if (status !== 400) t.equal(answer.cause?.['code'], wanted, label);
      t.equal(answer.headers['www-authenticate'], undefined, label);
      t.equal(network.core.journal.lastLsn, before, `${label} writes nothing`);
    }
  }
  t.same(network.logged, [], 'nothing went wrong inside');
  await network.stop();
});

t.test('what these permissions allow otherwise', async (t) => {
  const scene = await setUp();
  const { network, clerkToken, plain, auditor } = scene;
  const holds = [...everything, 'ops', 'ca'];
  await network.must('PATCH', `M:/identities/${scene.clerk}`, { permissions: holds });
  const call = (method: string, path: string, body?: unknown) =>
    network.call(method, path, { token: clerkToken, ...(body === undefined ? {} : { body }) });
  for (const request of writesTo(() => plain).filter((_, at) => at !== 3)) {
    const [method, path, body] = request(scene);
    t.match(await call(method, path, body), { status: method === 'POST' ? /20[01]/ : 200 }, path);
  }
  const renamed = await call('PATCH', `M:/identities/${auditor}`, { name: 'same rights' });
  t.match(renamed, { status: 200 }, 'the clerk has every permission of the auditor');
  t.match(await call('DELETE', `M:/identities/${plain}`), { status: 200 });
  await network.stop();
});

t.test('tokens of identities that a caller may not act on are not shown', async (t) => {
  const scene = await setUp();
  const { network, clerkToken, boss, enrollment } = scene;
  const guest = await newIdentity(network, 'guest');
  const get = (path: string, token: string) => network.call('GET', path, { token });
  for (const permissions of [['identity', 'enrollment'], ['admin_readonly']]) {
    await network.must('PATCH', `M:/identities/${scene.clerk}`, { permissions });
    const list = await get('M:/enrollments', clerkToken);
    t.equal(list.pagination?.totalCount, 2, 'those of the guest and of the router');
    t.notOk(list.body.includes(enrollment));
    t.ok(list.body.includes(guest.token));
    const own = await get(`M:/identities/${boss}/enrollments`, clerkToken);
    t.equal(own.pagination?.totalCount, 0);
    t.match(await get(`M:/enrollments/${enrollment}`, clerkToken), { status: 401 });
    const masked = { enrollment: { ottca: { id: enrollment, token: '******', jwt: '******' } } };
    t.match((await get(`M:/identities/${boss}`, clerkToken)).data, masked);
    t.match((await get(`M:/identities/${guest.id}`, clerkToken)).data, {
      enrollment: { ott: { token: guest.token } },
    });
  }
  const all = await network.call('GET', 'M:/enrollments');
  t.equal(all.pagination?.totalCount, 3, 'an administrator sees all of them');
  const shown = await network.must<{ token: string }>('GET', `M:/enrollments/${enrollment}`);
  t.ok((await network.call('GET', `M:/identities/${boss}`)).body.includes(shown.token));
  await network.stop();
});

t.test('no filter leads to tokens', async (t) => {
  const { network, clerk, clerkToken } = await setUp();
  const filters = [
    'not isEmpty(from enrollments where token contains "a")',
    'anyOf(enrollments.token) contains "a"',
  ];
  for (const permissions of [['identity'], ['admin_readonly']]) {
    await network.must('PATCH', `M:/identities/${clerk}`, { permissions });
    for (const filter of filters) {
      const path = `M:/identities?filter=${encodeURIComponent(filter)}`;
      const answer = await network.call('GET', path, { token: clerkToken });
      t.match(answer, { status: 400, code: 'INVALID_FILTER' }, filter);
      t.match(await network.call('GET', path), { status: 200 }, 'an administrator may');
    }
  }
  await network.stop();
});

t.test('permissions count only in a fully authenticated session', async (t) => {
  const { network, clerk, clerkToken } = await setUp();
  await network.must('PATCH', `M:/identities/${clerk}`, { permissions: ['service'] });
  const list = () => network.call('GET', 'M:/services', { token: clerkToken });
  t.match(await list(), { status: 200 });
  const secondary = { requireTotp: true };
  const strict = await network.create('auth-policies', {
    name: 'strict',
    ...policyBody,
    secondary,
  });
  await network.must('PATCH', `M:/identities/${clerk}`, { authPolicyId: strict });
  t.match(await list(), { status: 401, code: 'UNAUTHORIZED' });
  await network.stop();
});

/** Logs in by a token of a signer that `signerBody(name)` describes. */
async function logInByJwt(network: Network, name: string, sub: string): Promise<Answer> {
  const token = await sign(key, claims({ iss: `https://${name}.example.com`, sub }));
  const headers = { authorization: `Bearer ${token}` };
  return network.call('POST', 'C:/authenticate?method=ext-jwt', { token: null, headers });
}

/** The clerk may write signers, CAs and auth policies. */
async function asWriter(
  t: Test,
): Promise<Scene & { post(path: string, body: object): Promise<string> }> {
  const scene = await setUp();
  const { network, clerk, clerkToken } = scene;
  const permissions = ['external-jwt-signer', 'ca', 'auth-policy'];
  await network.must('PATCH', `M:/identities/${clerk}`, { permissions });
  const post = async (path: string, body: object) =>
    (await network.must<{ id: string }>('POST', `M:/${path}`, body, clerkToken)).id;
  t.teardown(() => network.stop());
  return { ...scene, post };
}

t.test('a signer that another caller wrote authenticates nobody', async (t) => {
  const { network, post, boss, auditor, plain, clerk, clerkToken } = await asWriter(t);
  const signer = await post('external-jwt-signers', signerBody('clerk'));
  const path = `M:/external-jwt-signers/${signer}`;
  t.match(await network.must('GET', path), { isUnconfirmed: true });
  for (const id of [boss, auditor, clerk, plain]) {
    t.match(await logInByJwt(network, 'clerk', id), { status: 401, code: 'UNAUTHORIZED' });
  }

  const own = await network.call('PATCH', path, { token: clerkToken, body: { clientId: 'x' } });
  t.match(own, { status: 200 }, 'nobody relies on it, so the clerk goes on changing it');
  await network.restart();
  t.match(await logInByJwt(network, 'clerk', boss), { status: 401 });
  await network.must('PATCH', path, {});
  t.equal((await network.must<{ isUnconfirmed?: boolean }>('GET', path)).isUnconfirmed, undefined);
  t.match(await logInByJwt(network, 'clerk', boss), { status: 200 }, 'an administrator updated it');
  const again = await network.call('PATCH', path, { token: clerkToken, body: { clientId: 'y' } });
  t.match(again, { status: 401 }, 'from now on administrators rely on it');
});

t.test('an unconfirmed signer is no second factor of an administrator', async (t) => {
  const { network, post, boss } = await asWriter(t);
  const signer = await post('external-jwt-signers', signerBody('clerk'));
  const policy = await network.create('auth-policies', {
    name: 'two factors',
    ...policyBody,
    secondary: { requireTotp: false, requireExtJwtSigner: signer },
  });
  await network.must('PATCH', `M:/identities/${boss}`, { authPolicyId: policy });
  const token = await network.login('boss', 'boss-password');
  const jwt = await sign(key, claims({ iss: 'https://clerk.example.com', sub: boss }));
  const headers = { authorization: `Bearer ${jwt}` };
  const list = () => network.call('GET', 'M:/services', { token, headers });
  t.match(await list(), { status: 401 });
  await network.must('PATCH', `M:/external-jwt-signers/${signer}`, {});
  await list();
  t.match(await list(), { status: 200 });
});

t.test('a CA that another caller wrote authenticates nobody', async (t) => {
  const { world, network, post, clerkToken } = await asWriter(t);
  const authority = await signed(world, 'clerk-ca', 'authority');
  const id = await post('cas', { ...caBody(world, authority.pem), externalIdClaim: wholeName });
  const path = `M:/cas/${id}`;
  const { verificationToken } = await network.must<{ verificationToken: string }>('GET', path);
  const body = await proof(world, { id, authority, verificationToken });
  const headers = { 'content-type': 'text/plain' };
  const verify = await network.call('POST', `${path}/verify`, { token: clerkToken, body, headers });
  t.match(verify, { status: 200 });
  const logIn = async (externalId: string) => {
    const leaf = await signed(world, externalId, 'end', authority);
    const options = { token: null, certificates: certificatesIn(leaf.pem).map(({ raw }) => raw) };
    return network.call('POST', 'C:/authenticate?method=cert', options);
  };
  for (const name of ['boss@example.com', 'plain']) {
    t.match(await logIn(name), { status: 401, code: 'INVALID_AUTH' }, name);
  }
  await network.must('PATCH', path, {});
  t.match(await logIn('boss@example.com'), { status: 200 }, 'an administrator updated it');
});

t.test('an administrator does not enroll by an unconfirmed CA', async (t) => {
  const { world, network, clerkToken, boss, ca, enrollment } = await asWriter(t);
  const headers = { 'content-type': 'text/plain' };
  const body = await proof(world, ca);
  const verify = { token: clerkToken, body, headers };
  const verifyPath = `M:/cas/${ca.id}/verify`;
  t.match(await network.call('POST', verifyPath, verify), { status: 401 }, 'the boss relies on it');
  await network.must('PATCH', `M:/identities/${boss}`, { isAdmin: false });
  t.match(await network.call('POST', verifyPath, verify), { status: 200 });
  await network.must('PATCH', `M:/identities/${boss}`, { isAdmin: true });
  const path = `M:/enrollments/${enrollment}`;
  const { token } = await network.must<{ token: string }>('GET', path);
  const leaf = await signed(world, 'desk', 'end', ca.authority);
  const enroll = () =>
    network.call('POST', `C:/enroll/ottca?token=${token}`, {
      token: null,
      certificates: certificatesIn(leaf.pem).map(({ raw }) => raw),
    });
  t.match(await enroll(), { code: 'ENROLLMENT_CA_NOT_VALID' });
  await network.must('PATCH', `M:/cas/${ca.id}`, {});
  t.match(await enroll(), { status: 200 });
});

t.test('an auth policy that another caller wrote admits nobody with rights', async (t) => {
  const { network, post, boss, plain } = await asWriter(t);
  const policy = await post('auth-policies', { name: 'lax', ...policyBody });
  const logIn = (name: string) =>
    network.call('POST', 'C:/authenticate?method=password', {
      token: null,
      body: { username: name, password: `${name}-password` },
    });
  for (const id of [boss, plain]) {
    await network.must('PATCH', `M:/identities/${id}`, { authPolicyId: policy });
  }
  t.match(await logIn('boss'), { status: 401, code: 'INVALID_AUTH' });
  t.match(await logIn('plain'), { status: 200 });
  await network.must('PATCH', `M:/auth-policies/${policy}`, {});
  t.match(await logIn('boss'), { status: 200 }, 'an administrator updated it');
});

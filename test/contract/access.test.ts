// Which identities may dial which services through which routers, and the end of sessions with the
// right to them.

import { createPublicKey, verify } from 'node:crypto';
import t, { type Test } from 'tap';
import { sessionKind } from '../../src/records/session.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

interface World {
  readonly network: Network;
  readonly alice: string;
  readonly token: string;
  readonly service: string;
  readonly policy: string;
  readonly router: string;
}

/** Alice, staff, may dial the printer through one router. */
async function world(): Promise<World> {
  const network = await bootNetwork();
  const router = await network.create('edge-routers', {
    name: 'edge-1',
    roleAttributes: ['public'],
  });
  await network.create('edge-router-policies', {
    name: 'everybody',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#public'],
  });
  await network.create('service-edge-router-policies', {
    name: 'everywhere',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  const policy = await network.create('service-policies', {
    name: 'staff print',
    type: 'Dial',
    semantic: 'AllOf',
    identityRoles: ['#staff'],
    serviceRoles: ['#printers'],
  });
  const service = await network.create('services', {
    name: 'printer',
    encryptionRequired: true,
    roleAttributes: ['printers'],
  });
  const alice = await network.createUser('alice', 'alice-password', { roleAttributes: ['staff'] });
  const token = await network.login('alice', 'alice-password');
  return { network, alice, token, service, policy, router };
}

async function dial({ network, service, token }: World, type = 'Dial'): Promise<string> {
  return (
    await network.must<{ id: string }>('POST', 'C:/sessions', { serviceId: service, type }, token)
  ).id;
}

const losses: Readonly<Record<string, (w: World) => Promise<unknown>>> = {
  'the policy is deleted': ({ network, policy }) =>
    network.must('DELETE', `M:/service-policies/${policy}`),
  'the policy names others': ({ network, policy }) =>
    network.must('PATCH', `M:/service-policies/${policy}`, { identityRoles: ['#guests'] }),
  'the policy needs more': ({ network, policy }) =>
    network.must('PATCH', `M:/service-policies/${policy}`, { identityRoles: ['#staff', '#night'] }),
  'the policy names other services': ({ network, policy }) =>
    network.must('PUT', `M:/service-policies/${policy}`, {
      name: 'p',
      type: 'Dial',
      semantic: 'AllOf',
      identityRoles: ['#staff'],
    }),
  'the policy is for hosting now': ({ network, policy }) =>
    network.must('PATCH', `M:/service-policies/${policy}`, { type: 'Bind' }),
  'the identity is no staff any more': ({ network, alice }) =>
    network.must('PATCH', `M:/identities/${alice}`, { roleAttributes: [] }),
  'the service is no printer any more': ({ network, service }) =>
    network.must('PATCH', `M:/services/${service}`, { roleAttributes: ['safes'] }),
  'the service goes': ({ network, service }) => network.must('DELETE', `M:/services/${service}`),
};

for (const [title, lose] of Object.entries(losses)) {
  t.test(`a session ends when ${title}`, async (t) => {
    const w = await world();
    const id = await dial(w);
    await lose(w);
    await isGone(t, w, id);
    t.equal([...w.network.env.store.table(sessionKind).all()].length, 0);
    await w.network.crash();
    await isGone(t, w, id);
    await w.network.stop();
  });
}

async function isGone(t: Test, { network, token }: World, id: string): Promise<void> {
  t.equal((await network.call('GET', `C:/sessions/${id}`, { token })).status, 404);
  t.equal((await network.call('GET', `M:/sessions/${id}`)).status, 404);
  t.equal((await network.call('GET', 'C:/sessions', { token })).pagination?.totalCount, 0);
  t.equal((await network.call('GET', 'M:/sessions')).pagination?.totalCount, 0);
}

t.test('a session stays while another policy gives the right', async (t) => {
  const w = await world();
  const { network } = w;
  await network.create('service-policies', {
    name: 'all dial',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  });
  const id = await dial(w);
  await network.must('DELETE', `M:/service-policies/${w.policy}`);
  t.equal((await network.call('GET', `C:/sessions/${id}`, { token: w.token })).status, 200);
  t.match(await network.must('GET', `M:/sessions/${id}`), {
    servicePolicies: [{ name: 'all dial' }],
  });
  await network.stop();
});

t.test('losing the right to host leaves the right to dial', async (t) => {
  const w = await world();
  const { network } = w;
  const bind = await network.create('service-policies', {
    name: 'host',
    type: 'Bind',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  });
  const [dialing, hosting] = [await dial(w), await dial(w, 'Bind')];
  t.not(dialing, hosting);
  await network.must('DELETE', `M:/service-policies/${bind}`);
  t.equal((await network.call('GET', `C:/sessions/${dialing}`, { token: w.token })).status, 200);
  t.equal((await network.call('GET', `C:/sessions/${hosting}`, { token: w.token })).status, 404);
  await network.stop();
});

t.test('an administrator keeps the session that was made', async (t) => {
  const w = await world();
  const { network } = w;
  await network.must('PATCH', `M:/identities/${w.alice}`, { isAdmin: true });
  const id = await dial(w);
  await network.must('DELETE', `M:/service-policies/${w.policy}`);
  t.equal((await network.call('GET', `C:/sessions/${id}`, { token: w.token })).status, 200);
  const others = { serviceId: w.service, type: 'Bind' };
  const refused = await network.call('POST', 'C:/sessions', { body: others, token: w.token });
  t.equal(refused.status, 404, 'and gets no further ones');
  await network.restart();
  t.equal((await network.call('GET', `C:/sessions/${id}`, { token: w.token })).status, 200);
  await network.stop();
});

t.test('a former administrator loses the sessions that only that role permitted', async (t) => {
  const w = await world();
  const { network } = w;
  await network.must('PATCH', `M:/identities/${w.alice}`, { isAdmin: true });
  const id = await dial(w);
  await network.must('DELETE', `M:/service-policies/${w.policy}`);
  await network.must('PATCH', `M:/identities/${w.alice}`, { isAdmin: false });
  t.equal((await network.call('GET', `C:/sessions/${id}`, { token: w.token })).status, 404);
  await network.stop();
});

t.test('losing the routers ends no session', async (t) => {
  const w = await world();
  const id = await dial(w);
  await w.network.must('DELETE', `M:/edge-routers/${w.router}`);
  t.match(await w.network.must('GET', `C:/sessions/${id}`, undefined, w.token), {
    edgeRouters: [],
  });
  await w.network.stop();
});

t.test('a session names usable routers, connected ones first, at most 25', async (t) => {
  const w = await world();
  const { network } = w;
  await network.create('edge-routers', { name: 'private', roleAttributes: ['private'] });
  const ids: string[] = [];
  for (let i = 0; i < 30; i++) {
    const body = { name: `edge-${100 + i}`, roleAttributes: ['public'] };
    ids.push(await network.create('edge-routers', body));
  }
  network.presence.connect(ids[29] ?? '', 'last.example');
  const id = await dial(w);
  const { edgeRouters } = await network.must<{ edgeRouters: Record<string, unknown>[] }>(
    ...(['GET', `C:/sessions/${id}`, undefined, w.token] as const),
  );
  t.equal(edgeRouters.length, 25);
  t.match(edgeRouters[0], {
    name: 'edge-129',
    hostname: 'last.example',
    isOnline: true,
    syncStatus: 'SYNC_DONE',
    supportedProtocols: { tls: 'tls://last.example:3022' },
    urls: { tls: 'tls://last.example:3022' },
  });
  t.notOk(edgeRouters.some(({ name }) => name === 'private'));
  await network.must('DELETE', `M:/edge-routers/${ids[29]}`);
  const after = await network.must<{ edgeRouters: { name: string }[] }>(
    ...(['GET', `C:/sessions/${id}`, undefined, w.token] as const),
  );
  t.notOk(after.edgeRouters.some(({ name }) => name === 'edge-129'));
  await network.stop();
});

t.test('another API session of the same identity has sessions of its own', async (t) => {
  const w = await world();
  const { network } = w;
  const first = await dial(w);
  const other = await network.login('alice', 'alice-password');
  const second = await dial({ ...w, token: other });
  t.not(first, second);
  t.equal((await network.call('GET', 'C:/sessions', { token: other })).pagination?.totalCount, 2);
  t.equal((await network.call('DELETE', `C:/sessions/${first}`, { token: other })).status, 200);
  await network.stop();
});

t.test('the token of a session says what it is for (behaviour/sessions#token)', async (t) => {
  const w = await world();
  const { network, token, service } = w;
  const made = await network.must<{ id: string; token: string; apiSessionId: string }>(
    ...(['POST', 'C:/sessions', { serviceId: service }, token] as const),
  );
  const [head = '', claims = '', signature = ''] = made.token.split('.');
  const key = createPublicKey(network.core.authority.firstTokenKey);
  const options = { key, dsaEncoding: 'ieee-p1363' } as const;
  const signed = Buffer.from(`${head}.${claims}`);
  t.ok(verify('sha256', signed, options, Buffer.from(signature, 'base64url')));
  t.match(JSON.parse(Buffer.from(head, 'base64url').toString()), { alg: 'ES256', typ: 'JWT' });
  const issuedAt = network.clock.now() / 1000;
  t.match(JSON.parse(Buffer.from(claims, 'base64url').toString()), {
    iss: /^https:\/\/localhost:1280/,
    sub: service,
    aud: ['openziti'],
    jti: made.id,
    z_asid: made.apiSessionId,
    z_iid: w.alice,
    z_st: 'Dial',
    z_t: 's',
    z_leg: true,
    iat: issuedAt,
    exp: issuedAt + 365 * 24 * 3600,
  });
  await network.stop();
});

t.test('a policy that asks for TOTP makes live sessions partial at once', async (t) => {
  const w = await world();
  const { network, token } = w;
  const id = await dial(w);
  await network.must('PATCH', 'M:/auth-policies/default', { secondary: { requireTotp: true } });
  const open = await network.call('GET', 'C:/current-api-session', { token });
  t.match(open, {
    status: 200,
    data: {
      isMfaRequired: false,
      isMfaComplete: false,
      authQueries: [
        { typeId: 'MFA', provider: 'ziti', httpMethod: 'POST', httpUrl: './authenticate/mfa' },
      ],
    },
  });
  for (const path of ['C:/services', 'C:/current-identity', `C:/sessions/${id}`, 'M:/identities']) {
    t.match(
      await network.call('GET', path, { token }),
      { status: 401, code: 'UNAUTHORIZED' },
      path,
    );
  }
  const body = { serviceId: w.service };
  t.equal((await network.call('POST', 'C:/sessions', { body, token })).status, 401);
  // The administrator has the same policy.
  t.equal((await network.call('GET', 'M:/identities')).status, 401);
  const fresh = await network.login('alice', 'alice-password');
  t.equal((await network.call('GET', 'C:/services', { token: fresh })).status, 401);
  t.equal((await network.call('DELETE', 'C:/current-api-session', { token })).status, 200);
  t.equal((await network.call('GET', 'C:/current-api-session', { token })).status, 401);
  await network.stop();
});

t.test('a policy that no longer asks for it makes them full again', async (t) => {
  const w = await world();
  const { network, token, alice } = w;
  const { data } = await network.call('GET', 'M:/auth-policies/default');
  const { primary } = data as { primary: object };
  const strict = await network.create('auth-policies', {
    name: 'strict',
    primary,
    secondary: { requireTotp: true },
  });
  await network.must('PATCH', `M:/identities/${alice}`, { authPolicyId: strict });
  t.equal((await network.call('GET', 'C:/services', { token })).status, 401);
  const fresh = await network.login('alice', 'alice-password');
  t.equal((await network.call('GET', 'C:/services', { token: fresh })).status, 401);
  await network.must('PATCH', `M:/auth-policies/${strict}`, { secondary: { requireTotp: false } });
  t.equal((await network.call('GET', 'C:/services', { token })).status, 200);
  t.equal((await network.call('GET', 'C:/services', { token: fresh })).status, 200);
  await network.stop();
});

// Signers and CAs that a caller who is no administrator wrote admit nobody until an administrator
// confirms them (behaviour/permissions#unconfirmed).

import t, { type Test } from 'tap';
import { claims, jwks, newKey, sign } from '../auth/identity-provider.ts';
import { ScriptedFetch } from '../auth/scripted-fetch.ts';
import { type Answer, bootNetwork, type Network } from '../simulated/network.ts';
import { certificatesIn } from './enrollment/enrolling.ts';
import { anyPrimary, World } from './privileges/callers.ts';
import {
  caBody,
  type KnownCa,
  newCa,
  proof,
  signed,
  verifiedCa,
  wholeName,
} from './privileges/certificates.ts';

const key = await newKey('ES256', 'ec');

/** A network whose administrators log in by passwords only, so no signer has their trust. */
interface Scene {
  readonly world: World;
  readonly network: Network;
  readonly provider: ScriptedFetch;
  /** An identity without rights, whose policy allows every way to log in. */
  readonly plain: string;
  /** The auth policy of `plain`. */
  readonly policy: string;
  /** The caller without administrator rights; it holds what `hold` says. */
  readonly clerk: string;
  hold(...permissions: readonly string[]): Promise<unknown>;
  asClerk(method: string, path: string, body?: unknown): Promise<Answer>;
}

async function setUp(t: Test): Promise<Scene> {
  const provider = new ScriptedFetch();
  provider.body = jwks(key);
  const network = await bootNetwork({ fetch: provider.fetch });
  t.teardown(() => network.stop());
  const extJwt = { allowed: false, allowedSigners: [] };
  await network.must('PATCH', 'M:/auth-policies/default', { primary: { extJwt } });
  const secondary = { requireTotp: false };
  const open = { name: 'open', primary: anyPrimary, secondary };
  const policy = await network.create('auth-policies', open);
  const more = { externalId: 'plain', authPolicyId: policy };
  const plain = await network.createUser('plain', 'plain-password', more);
  const clerk = await network.createUser('clerk', 'clerk-password', { permissions: ['ops.read'] });
  const token = await network.login('clerk', 'clerk-password');
  return {
    world: new World(network),
    network,
    provider,
    plain,
    policy,
    clerk,
    hold: (...permissions) =>
      network.must('PATCH', `M:/identities/${clerk}`, { permissions: [...permissions] }),
    asClerk: (method, path, body) =>
      network.call(method, path, { token, ...(body === undefined ? {} : { body }) }),
  };
}

const signerBody = {
  name: 'company',
  issuer: 'https://idp.example.com',
  audience: 'edge',
  enabled: true,
  jwksEndpoint: 'https://idp.example.com/keys',
};

async function bearer(sub: string): Promise<Readonly<Record<string, string>>> {
  return { authorization: `Bearer ${await sign(key, claims({ sub }))}` };
}

async function logInByJwt({ network, plain }: Scene): Promise<Answer> {
  const headers = await bearer(plain);
  return network.call('POST', 'C:/authenticate?method=ext-jwt', { token: null, headers });
}

/** The id of what was created. */
function idIn(answer: Answer): string {
  return (answer.data as { id: string }).id;
}

async function isUnconfirmed({ network }: Scene, path: string): Promise<boolean> {
  const { isUnconfirmed: is } = await network.must<{ isUnconfirmed?: boolean }>('GET', path);
  return is === true;
}

t.test('external-jwt-signer.create is no key to other identities', async (t) => {
  const scene = await setUp(t);
  const { network, provider } = scene;
  await scene.hold('external-jwt-signer.create');
  const enrolls = { enrollToTokenEnabled: true, enrollAuthPolicyId: scene.policy };
  const body = { ...signerBody, ...enrolls };
  const made = await scene.asClerk('POST', 'M:/external-jwt-signers', body);
  t.equal(made.status, 201);
  const path = `M:/external-jwt-signers/${idIn(made)}`;
  const refused = await logInByJwt(scene);
  t.match(refused, { status: 401, code: 'UNAUTHORIZED' });
  t.equal(refused.headers['www-authenticate'], undefined, 'as if there were no signer');
  const enroll = async () =>
    network.call('POST', 'C:/enroll/token', {
      token: null,
      headers: await bearer('new'),
      body: {},
    });
  t.match(await enroll(), { status: 400, code: 'INVALID_ENROLLMENT_TOKEN' });
  t.same(provider.asked, [], 'its keys are not fetched');
  const listed = () => network.call('GET', 'C:/external-jwt-signers', { token: null });
  t.equal((await listed()).pagination?.totalCount, 0, 'clients are not sent to its provider');
  await network.restart();
  t.match(await logInByJwt(scene), { status: 401 });
  t.same(provider.asked, []);

  await network.must('PATCH', path, {});
  t.match(await logInByJwt(scene), { status: 200 }, 'an administrator confirmed it');
  t.match(await enroll(), { status: 200 });
  t.equal((await listed()).pagination?.totalCount, 1);
});

t.test('external-jwt-signer.update makes no key of the signer of an administrator', async (t) => {
  const changes = {
    jwksEndpoint: 'https://clerk.example.com/keys',
    issuer: 'https://clerk.example.com',
    audience: 'clerk',
    claimsProperty: '/name',
    useExternalId: true,
    enrollToCertEnabled: true,
    externalAuthUrl: 'https://clerk.example.com/login',
  };
  const scene = await setUp(t);
  const { network } = scene;
  await scene.hold('external-jwt-signer.update');
  const signer = await network.create('external-jwt-signers', signerBody);
  const path = `M:/external-jwt-signers/${signer}`;
  for (const [name, value] of Object.entries(changes)) {
    await network.must('PUT', path, signerBody);
    t.match(await logInByJwt(scene), { status: 200 });
    t.match(await scene.asClerk('PATCH', path, { [name]: value }), { status: 200 }, name);
    t.equal(await isUnconfirmed(scene, path), true, name);
    t.match(await logInByJwt(scene), { status: 401 }, name);
    t.match(await scene.asClerk('PUT', path, signerBody), { status: 200 });
    t.match(await logInByJwt(scene), { status: 401 }, 'changing it back does not confirm it');
  }
});

t.test('labels, and what lets fewer in, leave a record confirmed', async (t) => {
  const scene = await setUp(t);
  const { network, world } = scene;
  await scene.hold('external-jwt-signer.update', 'ca.update');
  const enrolls = { enrollToCertEnabled: true, enrollToTokenEnabled: true };
  const body = { ...signerBody, ...enrolls, enrollAuthPolicyId: scene.policy };
  const signer = `M:/external-jwt-signers/${await network.create('external-jwt-signers', body)}`;
  const ca = `M:/cas/${(await newCa(world)).id}`;
  const switches = {
    [signer]: ['enrollToCertEnabled', 'enrollToTokenEnabled', 'enabled'],
    [ca]: ['isAutoCaEnrollmentEnabled', 'isOttCaEnrollmentEnabled', 'isAuthEnabled'],
  };
  for (const [path, names] of Object.entries(switches)) {
    for (const change of [{}, { name: 'renamed' }, { tags: { by: 'clerk' } }]) {
      t.match(await scene.asClerk('PATCH', path, change), { status: 200 });
      t.equal(await isUnconfirmed(scene, path), false, JSON.stringify(change));
    }
    for (const name of names) {
      t.match(await scene.asClerk('PATCH', path, { [name]: false }), { status: 200 });
      t.equal(await isUnconfirmed(scene, path), false, `${name}: false`);
      t.match(await scene.asClerk('PATCH', path, { [name]: true }), { status: 200 });
      t.equal(await isUnconfirmed(scene, path), true, `${name}: true`);
      t.match(await scene.asClerk('PATCH', path, { [name]: false }), { status: 200 });
      t.equal(await isUnconfirmed(scene, path), true, 'switching it off again confirms nothing');
      await network.must('PATCH', path, { [name]: true });
    }
  }
});

t.test('an unconfirmed signer is nobody\u2019s second factor', async (t) => {
  const scene = await setUp(t);
  const { network, plain, policy } = scene;
  await scene.hold('external-jwt-signer.update');
  const signer = await network.create('external-jwt-signers', signerBody);
  const secondary = { requireTotp: false, requireExtJwtSigner: signer };
  await network.must('PATCH', `M:/auth-policies/${policy}`, { secondary });
  const token = await network.login('plain', 'plain-password');
  const headers = await bearer(plain);
  const list = () => network.call('GET', 'C:/services', { token, headers });
  await list();
  t.match(await list(), { status: 200 });
  const path = `M:/external-jwt-signers/${signer}`;
  t.match(await scene.asClerk('PATCH', path, { clientId: 'clerk' }), { status: 200 });
  t.match(await list(), { status: 401 });
  await network.must('PATCH', path, {});
  t.match(await list(), { status: 200 });
});

t.test('a promotion ends sessions of a signer that is unconfirmed by now', async (t) => {
  const scene = await setUp(t);
  const { network, plain } = scene;
  await scene.hold('external-jwt-signer.update');
  const signer = await network.create('external-jwt-signers', signerBody);
  const { headers } = await logInByJwt(scene);
  const token = headers['zt-session'] ?? '';
  const path = `M:/external-jwt-signers/${signer}`;
  t.match(await scene.asClerk('PATCH', path, { clientId: 'clerk' }), { status: 200 });
  const own = () => network.call('GET', 'C:/current-identity', { token });
  t.match(await own(), { status: 200 }, 'the confirmed signer logged it in');
  await network.must('PATCH', `M:/identities/${plain}`, { permissions: ['ops'] });
  t.match(await own(), { status: 401 });
});

async function show(scene: Scene, authority: KnownCa['authority'], name: string, path: string) {
  const leaf = await signed(scene.world, name, 'end', authority);
  const certificates = certificatesIn(leaf.pem).map(({ raw }) => raw);
  return scene.network.call('POST', path, { token: null, certificates });
}

const logInPath = 'C:/authenticate?method=cert';
const enrollPath = 'C:/enroll/ca';

t.test('ca.create and ca.update are no key to other identities', async (t) => {
  const scene = await setUp(t);
  const { world, network } = scene;
  await scene.hold('ca');
  const authority = await signed(world, 'clerk-ca', 'authority');
  const body = { ...caBody(world, authority.pem), externalIdClaim: wholeName };
  const id = idIn(await scene.asClerk('POST', 'M:/cas', body));
  const path = `M:/cas/${id}`;
  const { verificationToken } = await network.must<{ verificationToken: string }>('GET', path);
  const headers = { 'content-type': 'text/plain' };
  const proven = await proof(world, { id, authority, verificationToken });
  const token = await network.login('clerk', 'clerk-password');
  const verify = { token, body: proven, headers };
  t.match(await network.call('POST', `${path}/verify`, verify), { status: 200 });
  t.match(await show(scene, authority, 'plain', logInPath), { status: 401, code: 'INVALID_AUTH' });
  t.match(await show(scene, authority, 'new', enrollPath), {
    status: 400,
    code: 'CERT_FAILED_VALIDATION',
  });
  await network.must('PATCH', path, {});
  t.match(await show(scene, authority, 'plain', logInPath), { status: 200 });
  t.match(await show(scene, authority, 'new', enrollPath), { status: 200 });

  const otherClaim = { ...wholeName, location: 'SAN_EMAIL' };
  const changes = {
    externalIdClaim: otherClaim,
    identityRoles: ['all'],
    identityNameFormat: '[caName]',
  };
  for (const [name, value] of Object.entries(changes)) {
    t.match(await scene.asClerk('PATCH', path, { [name]: value }), { status: 200 }, name);
    t.equal(await isUnconfirmed(scene, path), true, name);
    t.match(await show(scene, authority, 'plain', logInPath), { status: 401 }, name);
    t.match(await show(scene, authority, `new-${name}`, enrollPath), { status: 400 }, name);
    await network.must('PATCH', path, { externalIdClaim: wholeName });
    t.match(await show(scene, authority, 'plain', logInPath), { status: 200 });
  }
});

t.test('a CA is switched off unless an administrator has no other way to log in', async (t) => {
  const scene = await setUp(t);
  const { world, network } = scene;
  await scene.hold('ca');
  const { id } = await verifiedCa(world);
  const path = `M:/cas/${id}`;
  await network.must('PATCH', path, { externalIdClaim: wholeName });
  const filter = encodeURIComponent('isDefaultAdmin = true');
  const admins = await network.must<{ id: string }[]>('GET', `M:/identities?filter=${filter}`);
  await network.must('PATCH', `M:/identities/${admins[0]?.id}`, { externalId: 'boss' });
  const passwords = (allowed: boolean) =>
    network.must('PATCH', 'M:/auth-policies/default', { primary: { updb: { allowed } } });
  await passwords(false);
  const off = { isAuthEnabled: false };
  const last = { status: 400, code: 'NO_ADMIN_LOGIN_LEFT' };
  t.match(await scene.asClerk('PATCH', path, off), last);
  t.match(await network.call('PATCH', path, { body: off }), last);
  t.match(await network.call('PATCH', path, { body: { externalIdClaim: null } }), last);
  t.match(await network.call('DELETE', path), last);
  t.match(await scene.asClerk('PATCH', path, { tags: {} }), { status: 200 });
  const opening = { identityRoles: ['all'] };
  t.match(
    await scene.asClerk('PATCH', path, opening),
    { status: 401 },
    'the administrator relies on it',
  );
  await passwords(true);
  t.match(await scene.asClerk('PATCH', path, off), { status: 200 });
  t.match(
    await scene.asClerk('DELETE', path),
    { status: 401 },
    'it may have credentials of theirs',
  );
  t.match(await network.call('DELETE', path), { status: 200 });
});

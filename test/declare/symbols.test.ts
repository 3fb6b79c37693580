// Names in filters: every published one can be used, directly and through others.

import t from 'tap';
import { DeclarationFault } from '../../src/declare/kinds/cascades.ts';
import { ResourceScope } from '../../src/declare/symbols/symbols.ts';
import { identities } from '../../src/resources/identities/identity.ts';
import { kinds, resources } from '../../src/resources/index.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

/** Public symbols beyond those of every resource (behaviour/filters#symbols), by path. */
const published: Readonly<Record<string, string>> = {
  'api-sessions':
    'token identity lastActivityAt authenticator ipAddress mfaComplete mfaRequired improperClientCertChain',
  'auth-policies':
    'name primary.cert.allowed primary.cert.allowExpiredCerts primary.updb.allowed primary.updb.minPasswordLength primary.updb.requireSpecialChar primary.updb.requireNumberChar primary.updb.requireMixedCase primary.updb.maxAttempts primary.extJwt.allowed secondary.requireTotp secondary.requireExtJwtSigner',
  authenticators: 'method identity certFingerprint certPem updbUsername isIssuedByNetwork',
  cas: 'name fingerprint isVerified verificationToken isAutoCaEnrollmentEnabled isOttCaEnrollmentEnabled isAuthEnabled',
  configs: 'name type',
  'config-types': 'name schema target',
  'edge-routers':
    'name fingerprint cost noTraversal disabled roleAttributes isVerified isTunnelerEnabled online connected configs',
  routers: 'name fingerprint cost noTraversal disabled connected configs',
  'edge-router-policies': 'name semantic identityRoles edgeRouterRoles',
  'service-edge-router-policies': 'name semantic serviceRoles edgeRouterRoles',
  'service-policies':
    'name type semantic identityRoles serviceRoles postureCheckRoles identities services',
  enrollments: 'token identity edgeRouter transitRouter caId method expiresAt',
  'external-jwt-signers':
    'name fingerprint kid issuer certPem commonName notAfter notBefore enabled claimsProperty useExternalId audience clientId targetToken',
  identities: 'name roleAttributes externalId type authPolicyId isAdmin isDefaultAdmin',
  'identity-types': 'name',
  'posture-check-types': 'name',
  'posture-checks': 'name typeId roleAttributes promptOnUnlock promptOnWake',
  services: 'name terminatorStrategy roleAttributes configs',
  sessions: 'token apiSession service type',
  terminators: 'service router binding address instanceId hostId service.name router.name',
};

const base = ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem'];

t.test(
  'every published symbol can be filtered by, and sorted by where it is one value',
  async (t) => {
    const network = await bootNetwork();
    for (const [path, names] of Object.entries(published)) {
      const { scope, resource } = network.env.registry.at(path);
      const missing = [...base, ...names.split(' ')].filter(
        (name) => !resource.symbols?.includes(name),
      );
      t.same(missing, [], `${path}: filterable fields`);
      for (const name of resource.symbols ?? []) {
        const symbol = scope.symbol(name);
        const form = symbol?.form ?? 'map';
        const filter = {
          scalar: `${name} = null`,
          set: `isEmpty(${name})`,
          map: `${name}.some.key = "x"`,
        }[form];
        t.equal((await listed(network, path, { filter })).status, 200, `${path}: ${filter}`);
        const sorted = await listed(network, path, { sort: name });
        const isSortable = symbol?.form === 'scalar' && symbol.type !== 'hashed';
        t.equal(sorted.status, isSortable ? 200 : 400, `${path} by ${name}`);
      }
    }
    t.same(network.logged, []);
    await network.stop();
  },
);

/** What `from` may follow (behaviour/filters#symbols). */
const sets: Readonly<Record<string, string>> = {
  identities:
    'edgeRouterPolicies servicePolicies routers edgeRouters bindServices dialServices enrollments authenticators',
  services:
    'servicePolicies serviceEdgeRouterPolicies edgeRouters terminators dialIdentities bindIdentities configs',
  'edge-routers': 'edgeRouterPolicies serviceEdgeRouterPolicies identities services enrollments',
  'posture-checks': 'servicePolicies',
  'service-policies': 'identities services postureChecks',
  'edge-router-policies': 'identities edgeRouters',
  'service-edge-router-policies': 'services edgeRouters',
};

t.test('every linked set may follow from, be counted, and be asked for its ids', async (t) => {
  const network = await bootNetwork();
  for (const [path, names] of Object.entries(sets)) {
    for (const name of names.split(' ')) {
      for (const filter of [
        `isEmpty(from ${name} where id = "x")`,
        `count(${name}) >= 0`,
        `anyOf(${name}) = "x"`,
      ]) {
        t.equal((await listed(network, path, { filter })).status, 200, `${path}: ${filter}`);
      }
    }
  }
  await network.stop();
});

t.test('what a policy links is found from either end', async (t) => {
  const network = await bootNetwork();
  const ids = {
    alice: await network.createUser('alice', 'alice-pass', { roleAttributes: ['staff'] }),
    barry: await network.createUser('barry', 'barry-pass'),
    printer: await network.create('services', {
      name: 'printer',
      encryptionRequired: true,
      roleAttributes: ['paper'],
    }),
    edge: await network.create('edge-routers', { name: 'edge', roleAttributes: ['near'] }),
  };
  await network.create('service-policies', {
    name: 'dial',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: [`@${ids.printer}`],
  });
  await network.create('edge-router-policies', {
    name: 'near',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    edgeRouterRoles: ['#near'],
  });
  await network.create('service-edge-router-policies', {
    name: 'all',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  const expected: readonly (readonly [string, string, string[]])[] = [
    ['identities', 'not isEmpty(from servicePolicies where type = "Dial")', ['alice']],
    ['identities', `anyOf(dialServices) = "${ids.printer}"`, ['alice']],
    ['identities', 'anyOf(dialServices.name) = "printer"', ['alice']],
    ['identities', 'not isEmpty(bindServices)', []],
    ['identities', 'not isEmpty(from edgeRouters where name = "edge")', ['alice']],
    ['identities', 'not isEmpty(authenticators) sort by name', ['admin', 'alice', 'barry']],
    ['identities', 'type.name = "Default" and authPolicy.name = "none"', []],
    ['services', `anyOf(dialIdentities) = "${ids.alice}"`, ['printer']],
    ['services', `anyOf(dialIdentities) = "${ids.barry}"`, []],
    ['services', 'isEmpty(bindIdentities) and count(edgeRouters) = 1', ['printer']],
    ['edge-routers', `anyOf(identities) = "${ids.alice}"`, ['edge']],
    ['edge-routers', 'not isEmpty(from services where name = "printer")', ['edge']],
    ['service-policies', `anyOf(identities) = "${ids.alice}"`, ['dial']],
    ['service-policies', `anyOf(services) = "${ids.printer}"`, ['dial']],
    ['service-policies', `anyOf(identities) = "${ids.barry}"`, []],
    ['api-sessions', 'identity.name = "alice"', []],
    ['authenticators', 'anyOf(identity.roleAttributes) = "staff" and identity.tags.x = null', ['']],
    ['authenticators', `identity.id = "${ids.alice}" and identity.name = "barry"`, []],
  ];
  for (const [path, filter, names] of expected) {
    const { data } = await listed(network, path, { filter });
    const found = (data as { name?: string }[]).map(({ name = '' }) => name);
    t.same(found, names, `${path}: ${filter}`);
  }
  await network.stop();
});

t.test('an index is used where one serves', async (t) => {
  const network = await bootNetwork();
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) {
    const roleAttributes = n === 7 ? ['rare'] : ['common'];
    const body = { name: `desk-${n}`, type: 'Default', isAdmin: false, roleAttributes };
    ids.push(await network.create('identities', body));
  }
  const plans: { by?: unknown; looked?: unknown }[] = [];
  const value = (plan: object) => plans.push(plan);
  Object.defineProperty(network.env, 'logPlan', { value });
  const expected: readonly (readonly [Record<string, string>, string, number])[] = [
    [{ filter: `id = "${ids[0]}"` }, 'id', 1],
    [{ filter: `id in ["${ids[0]}", "${ids[1]}"]` }, 'id', 2],
    [{ filter: 'name = "desk-3" and isAdmin = false' }, 'unique name', 1],
    [{ filter: 'authPolicy.name = "none"' }, 'unique name behind group authPolicyId', 0],
    [{ filter: 'anyOf(roleAttributes) = "rare"' }, 'role attribute', 1],
    [{ filter: 'anyOf(roleAttributes) = "common"' }, 'all', 13],
    [{ filter: 'anyOf(roleAttributes) = "common"' }, 'remembered', 0],
    [{ roleFilter: '#rare' }, 'role filter', 1],
    [{ sort: 'name desc' }, 'order of name', 0],
    [{ sort: 'createdAt' }, 'order of createdAt', 0],
    [{ filter: 'sort by name, updatedAt' }, 'order of name', 0],
    [{ sort: 'updatedAt' }, 'all', 13],
  ];
  for (const [query, by, looked] of expected) {
    await listed(network, 'identities', query);
    t.match(plans.at(-1), { list: 'identities', by, looked }, JSON.stringify(query));
  }
  await network.stop();
});

t.test('a symbol that means nothing is found at boot', async (t) => {
  const scope = new ResourceScope({
    resource: { ...identities, symbols: ['name', 'nonsense'] },
    kinds,
    resources,
    scopeOf: () => undefined,
  });
  t.throws(() => scope.check(), DeclarationFault);
});

function listed(network: Network, path: string, query: Record<string, string>) {
  return network.call('GET', `M:/${path}?${new URLSearchParams(query)}`);
}

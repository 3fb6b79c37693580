// Stored data comes back unchanged: every resource gives the same answers after a stop or a crash.

import t from 'tap';
import { resources } from '../../src/resources/index.ts';
import { makeCertificate } from '../simulated/certificates.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { exampleBody } from './harness/examples.ts';

/** Every list of both APIs as text, without what only memory knows. */
async function lists(network: Network): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { path, verbs } of resources) {
    if (!verbs.management?.includes('list')) continue;
    const { data } = await network.call('GET', `M:/${path}?limit=-1`);
    found.set(path, JSON.stringify(data, withoutActivity, 1));
  }
  for (const path of ['services', 'sessions']) {
    const { data } = await network.call('GET', `C:/${path}?limit=-1&configTypes=all`);
    found.set(`client ${path}`, JSON.stringify(data, null, 1));
  }
  return found;
}

function withoutActivity(key: string, value: unknown): unknown {
  return key === 'cachedLastActivityAt' || key === 'lastActivityAt' ? undefined : value;
}

/** One record of every resource that can be made, links between them, some changed twice. */
async function furnished(): Promise<Network> {
  const network = await bootNetwork();
  for (const resource of resources) {
    const { path, example, verbs } = resource;
    if (example === undefined || !verbs.management?.includes('create')) continue;
    const tags = { text: 'x', yes: true, nothing: null };
    const body = { ...(await exampleBody(network, resource)), name: `one of ${path}`, tags };
    const id = await network.create(path, body);
    await network.advance(1);
    // Posture checks want to hear their type again.
    const { typeId } = example;
    if (!verbs.management.includes('patch')) continue;
    await network.must('PATCH', `M:/${path}/${id}`, { typeId, tags: { ...tags, again: 'y' } });
  }
  const nowMs = network.clock.now();
  const authority = await makeCertificate({
    name: 'registered',
    as: 'authority',
    keyType: 'ec-p256',
    nowMs,
  });
  await network.create('cas', { ...caBody, certPem: authority.pem });
  const config = await network.must<{ id: string }[]>('GET', 'M:/configs');
  const service = await network.create('services', {
    name: 's',
    encryptionRequired: false,
    configs: [config[0]?.id],
    roleAttributes: ['a'],
  });
  await network.create('edge-routers', { name: 'tunneler', isTunnelerEnabled: true });
  for (const [path, body] of Object.entries(policies)) await network.create(path, body);
  const alice = await network.createUser('alice', 'alice-password', {
    externalId: 'e',
    appData: { deep: { er: [1, null, 'x'] } },
    roleAttributes: ['b', 'a'],
    serviceHostingCosts: { [service]: 7 },
    enrollment: { updb: 'alice-too' },
    serviceHostingPrecedences: { [service]: 'failed' },
  });
  const token = await network.login('alice', 'alice-password', {
    configTypes: ['intercept.v1'],
    envInfo: { os: 'linux' },
    sdkInfo: { type: 't' },
  });
  await network.must('POST', 'C:/sessions', { serviceId: service }, token);
  await network.must('POST', 'C:/sessions', { serviceId: service });
  const idle = await network.createUser('idle', 'idle-password');
  await network.must('POST', `M:/identities/${idle}/disable`, { durationMinutes: 60 });
  await network.must('PATCH', `M:/identities/${alice}`, { defaultHostingCost: 3 });
  return network;
}

const caBody = {
  name: 'c',
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: true,
  isOttCaEnrollmentEnabled: true,
  identityRoles: ['from-ca'],
};

const all = ['#all'];
const policies = {
  'edge-router-policies': {
    name: 'e',
    semantic: 'AllOf',
    identityRoles: all,
    edgeRouterRoles: all,
  },
  'service-edge-router-policies': {
    name: 'e',
    semantic: 'AllOf',
    serviceRoles: all,
    edgeRouterRoles: all,
  },
  'service-policies': {
    name: 'e',
    type: 'Dial',
    semantic: 'AllOf',
    identityRoles: all,
    serviceRoles: all,
  },
};

for (const [title, happen] of Object.entries({
  'a clean stop': (network: Network) => network.restart(),
  'a crash': (network: Network) => network.crash(),
  'a stop after a crash': async (network: Network) => {
    await network.crash();
    await network.restart();
  },
  'two stops': async (network: Network) => {
    await network.restart();
    await network.restart();
  },
})) {
  t.test(`everything is as it was after ${title}`, async (t) => {
    const network = await furnished();
    const before = await lists(network);
    await happen(network);
    const after = await lists(network);
    for (const [path, text] of before) {
      t.ok(text.length > 2, `${path} has something to compare`);
      t.equal(after.get(path), text, path);
    }
    t.same(network.logged, []);
    await network.stop();
  });
}

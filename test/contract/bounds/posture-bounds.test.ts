// Bounds on the data that endpoints submit, and on the part that is shown.

import t from 'tap';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { tokenHash } from '../../../src/records/token-hash.ts';
import type { BoundValues } from '../../../src/settings/bounds.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

interface Scene {
  readonly network: Network;
  readonly alice: string;
  readonly token: string;
}

async function boot(bounds: BoundValues = {}): Promise<Scene> {
  const network = await bootNetwork({ bounds });
  const alice = await network.createUser('alice', 'alice-password');
  return { network, alice, token: await network.login('alice', 'alice-password') };
}

/** Answers with the refusal, or with the status of what was taken. */
async function respond({ network, token }: Scene, body: object): Promise<unknown> {
  const path = Array.isArray(body) ? 'C:/posture-response-bulk' : 'C:/posture-response';
  const answer = await network.call('POST', path, { token, body });
  return answer.status < 300 ? answer.status : { code: answer.code, ...answer.cause };
}

interface Shown {
  readonly domain: { readonly domain: string };
  readonly processes: readonly { readonly postureCheckId: string }[];
  readonly apiSessionPostureData: Readonly<Record<string, unknown>>;
}

const shown = ({ network, alice }: Scene) =>
  network.must<Shown>('GET', `M:/identities/${alice}/posture-data`);

const code = 'COULD_NOT_VALIDATE';
const many = (most: number) => `must have at most ${most} items`;
const domain = { id: 'a', typeId: 'DOMAIN', domain: 'corp.example' };
const process = (id: string, more: object = {}) => ({ id, typeId: 'PROCESS', ...more });

t.test('postureResponsesMax responses in a bulk', async (t) => {
  const scene = await boot({ postureResponsesMax: 2 });
  t.same(await respond(scene, [domain, domain, domain]), {
    code,
    field: 'body',
    reason: many(2),
    value: '3',
  });
  t.equal((await shown(scene)).domain.domain, '', 'none was taken');
  t.equal(await respond(scene, [domain, domain]), 200);
  const endless = Array.from({ length: 2001 }, () => domain);
  t.match(await respond(scene, endless), { code, field: 'body', reason: many(2000) });
  await scene.network.stop();
});

t.test('postureMacAddressesMax addresses, postureSignersMax signers in a response', async (t) => {
  const scene = await boot({ postureMacAddressesMax: 2, postureSignersMax: 1 });
  const mac = (macAddresses: string[]) => ({ id: 'a', typeId: 'MAC', macAddresses });
  const signed = (signerFingerprints: string[]) => process('p', { signerFingerprints });
  t.match(await respond(scene, mac(['0', '1', '2'])), {
    code,
    field: 'macAddresses',
    reason: many(2),
    value: '3',
  });
  t.match(await respond(scene, signed(['aa', 'bb'])), { field: 'signerFingerprints' });
  t.match(await respond(scene, [domain, mac(['0', '1', '2'])]), { field: '1.macAddresses' });
  t.match(await respond(scene, [signed(['aa', 'bb'])]), { field: '0.signerFingerprints' });
  t.equal((await shown(scene)).domain.domain, '', 'none was taken');
  t.equal(await respond(scene, [mac(['0', '1']), signed(['aa'])]), 200);
  await scene.network.stop();
});

t.test('texts are as long as those of checks', async (t) => {
  const scene = await boot();
  const long = (length: number) => 'a'.repeat(length);
  const system = { id: 'a', typeId: 'OS', type: 'Linux', version: '1.0.0' };
  const bounds: [string, number, (text: string) => object][] = [
    ['id', 200, (id) => ({ ...domain, id })],
    ['domain', 1000, (text) => ({ ...domain, domain: text })],
    ['type', 100, (type) => ({ ...system, type })],
    ['version', 1000, (version) => ({ ...system, version })],
    ['build', 1000, (build) => ({ ...system, build })],
    ['path', 4096, (path) => process('p', { path })],
    ['hash', 1000, (hash) => process('p', { hash })],
    ['signerFingerprints.0', 1000, (text) => process('p', { signerFingerprints: [text] })],
    ['macAddresses.0', 100, (text) => ({ id: 'a', typeId: 'MAC', macAddresses: [text] })],
  ];
  for (const [field, most, body] of bounds) {
    t.equal(await respond(scene, body(long(most))), 201, field);
    t.match(await respond(scene, body(long(most + 1))), { code, field });
  }
  await scene.network.stop();
});

t.test('postureProcessesMax processes of an identity are kept, the latest', async (t) => {
  const scene = await boot({ postureProcessesMax: 3 });
  const kept = async () => (await shown(scene)).processes.map((one) => one.postureCheckId).join('');
  t.equal(
    await respond(
      scene,
      ['a', 'b', 'c', 'd'].map((id) => process(id)),
    ),
    200,
  );
  t.equal(await kept(), 'bcd');
  t.equal(await respond(scene, process('b')), 201);
  t.equal(await respond(scene, process('e')), 201);
  t.equal(await kept(), 'dbe', 'what is told again is the latest again');
  await scene.network.stop();
});

t.test('postureProcessCharactersMax characters of them', async (t) => {
  const scene = await boot({ postureProcessCharactersMax: 8200 });
  const kept = async () => (await shown(scene)).processes.map((one) => one.postureCheckId).join('');
  const path = 'p'.repeat(4096);
  t.equal(
    await respond(
      scene,
      ['a', 'b'].map((id) => process(id, { path })),
    ),
    200,
  );
  t.equal(await kept(), 'ab');
  t.equal(await respond(scene, process('c', { hash: 'aa'.repeat(4) })), 201);
  t.equal(await kept(), 'bc');
  t.equal(await respond(scene, process('b', { path })), 201);
  t.equal(await kept(), 'cb', 'the same text again takes no more room');
  await scene.network.stop();
});

t.test('postureSessionsShownMax API sessions are shown, the newest', async (t) => {
  const scene = await boot({ postureSessionsShownMax: 2 });
  const { network } = scene;
  const newest: string[] = [];
  for (let i = 0; i < 2; i++) {
    await network.advance(1000);
    const token = await network.login('alice', 'alice-password');
    const row = network.env.store.table(apiSessionKind).findBy('tokenHash', tokenHash(token));
    newest.push(row?.record.id ?? '');
  }
  t.same(Object.keys((await shown(scene)).apiSessionPostureData).sort(), newest.sort());
  await network.stop();
});

t.test('a refusal is remembered in as much text as failedRequestCharactersMax', async (t) => {
  const scene = await boot({ failedRequestCharactersMax: 8192 });
  const { network, alice, token } = scene;
  const macAddresses = Array.from({ length: 300 }, (_, i) => i.toString(16).padStart(12, '0'));
  const check = (name: string) =>
    network.create('posture-checks', { name, typeId: 'MAC', macAddresses });
  const checks = [await check('first'), await check('second'), await check('third')];
  const service = await network.create('services', { name: 's', encryptionRequired: true });
  const all = { semantic: 'AnyOf', type: 'Dial', identityRoles: ['#all'], serviceRoles: ['#all'] };
  const postureCheckRoles = checks.map((id) => `@${id}`);
  for (const name of ['a', 'b', 'c']) {
    await network.create('service-policies', { ...all, name, postureCheckRoles });
  }
  const body = { serviceId: service };
  const refused = await network.call('POST', 'C:/sessions', { token, body });
  t.equal(refused.code, 'INVALID_POSTURE');
  t.equal(Object.keys(refused.cause?.['data'] as object).length, 3, 'its caller is told all');
  const [request] = await network.must<FailedRequest[]>(
    ...(['GET', `M:/identities/${alice}/failed-service-requests`] as const),
  );
  t.ok(JSON.stringify(request).length <= 8192);
  const shown = request?.policyFailures.map(({ checks: told }) => told.length);
  t.same(shown, [1, 0, 0], 'each list of addresses has 4,500 characters');
  await network.stop();
});

interface FailedRequest {
  readonly policyFailures: readonly { readonly checks: readonly unknown[] }[];
}

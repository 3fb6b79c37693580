// What an explanation says that POST /sessions would answer is what it answers, over random
// networks.

import t from 'tap';
import type { Explanation } from '../../src/explain/schema.ts';
import { isNightly } from '../campaigns.ts';
import * as fc from '../properties.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const word = fc.constantFrom('#a', '#b', '#c');
const attributes = fc.subarray(['a', 'b', 'c']);
const semantic = fc.constantFrom('AllOf', 'AnyOf');
const roles = fc.oneof(
  { weight: 3, arbitrary: fc.uniqueArray(word, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constant(['#all']) },
);
/** Names of entities; `@name` stands for the id. */
const rolesWithIds = (names: readonly string[]) =>
  fc.oneof(
    roles,
    fc.constantFrom(...names).map((name) => [`@${name}`]),
  );

const people = ['alice', 'root'];
const things = ['printer', 'camera'];
const checks = ['domain', 'mac', 'mfa'];

const world = fc.record({
  seed: fc.nat(),
  identities: fc.tuple(attributes, attributes),
  services: fc.tuple(attributes, attributes),
  routers: fc.tuple(attributes, attributes),
  policies: fc.array(
    fc.record({
      type: fc.constantFrom('Dial', 'Bind'),
      semantic,
      identityRoles: rolesWithIds(people),
      serviceRoles: rolesWithIds(things),
      postureCheckRoles: fc.oneof(
        fc.constant([]),
        fc.constantFrom(...checks).map((name) => [`@${name}`]),
        fc.subarray(['#a', '#b']),
      ),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  edgeRouterPolicies: fc.array(
    fc.record({ semantic, identityRoles: rolesWithIds(people), edgeRouterRoles: roles }),
    { minLength: 1, maxLength: 2 },
  ),
  serviceEdgeRouterPolicies: fc.array(
    fc.record({ semantic, serviceRoles: rolesWithIds(things), edgeRouterRoles: roles }),
    { minLength: 1, maxLength: 2 },
  ),
  domains: fc.tuple(fc.constantFrom('', 'corp'), fc.constantFrom('', 'corp')),
  /** Policies that go when sessions are there. */
  removed: fc.subarray([0, 1, 2, 3, 4]),
  /** Sessions that were there before stay. */
  keeps: fc.boolean(),
  isDisabled: fc.boolean(),
});

type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

interface Built {
  readonly network: Network;
  readonly ids: ReadonlyMap<string, string>;
  readonly policyIds: readonly string[];
  readonly tokens: ReadonlyMap<string, string>;
}

async function build(made: World): Promise<Built> {
  const network = await bootNetwork({ seed: made.seed });
  const ids = new Map<string, string>();
  const make = async (plural: string, body: { readonly name: string }) => {
    ids.set(body.name, await network.create(plural, body));
  };
  for (const [i, name] of people.entries()) {
    const more = { roleAttributes: made.identities[i] ?? [], isAdmin: name === 'root' };
    ids.set(name, await network.createUser(name, 'a-password', more));
  }
  for (const [i, name] of things.entries()) {
    const service = { encryptionRequired: true, roleAttributes: made.services[i] ?? [] };
    await make('services', { name, ...service });
  }
  for (const [i, roleAttributes] of made.routers.entries()) {
    await make('edge-routers', { name: `router-${i}`, roleAttributes } as { name: string });
  }
  const checked = { domain: { typeId: 'DOMAIN', domains: ['corp'], roleAttributes: ['a'] } };
  await make('posture-checks', { name: 'domain', ...checked.domain });
  const mac = { typeId: 'MAC', macAddresses: ['00'], roleAttributes: ['b'] };
  await make('posture-checks', { name: 'mac', ...mac });
  const mfa = { typeId: 'MFA' };
  await make('posture-checks', { name: 'mfa', ...mfa });
  const named = (list: readonly string[]) =>
    list.map((role) => (role.startsWith('@') ? `@${ids.get(role.slice(1))}` : role));
  const policyIds: string[] = [];
  for (const [plural, policies] of [
    ['service-policies', made.policies],
    ['edge-router-policies', made.edgeRouterPolicies],
    ['service-edge-router-policies', made.serviceEdgeRouterPolicies],
  ] as const) {
    for (const [i, policy] of policies.entries()) {
      const lists = Object.fromEntries(
        Object.entries(policy).map(([key, value]) => [
          key,
          Array.isArray(value) ? named(value) : value,
        ]),
      );
      const id = await network.create(plural, { name: `policy-${i}`, ...lists });
      if (plural === 'service-policies') policyIds.push(id);
    }
  }
  const tokens = new Map<string, string>();
  for (const [i, name] of people.entries()) {
    const token = await network.login(name, 'a-password');
    tokens.set(name, token);
    const domain = made.domains[i] ?? '';
    if (domain === '') continue;
    const response = { id: ids.get('domain'), typeId: 'DOMAIN', domain };
    await network.must('POST', 'C:/posture-response', response, token);
  }
  return { network, ids, policyIds, tokens };
}

/** What an explanation and the answer differ in, for everybody, everything and both types. */
async function differences(
  { network, ids, tokens }: Built,
  keeps: boolean,
  outcomes: Set<string>,
): Promise<string[]> {
  const found: string[] = [];
  for (const person of people) {
    for (const thing of things) {
      for (const type of ['Dial', 'Bind'] as const) {
        const serviceId = ids.get(thing) ?? '';
        const told = await network.must<Explanation>(
          ...(['GET', `M:/identities/${ids.get(person)}/services/${serviceId}/explain`] as const),
        );
        const { sessionCreate, isAllowed } = type === 'Dial' ? told.dial : told.bind;
        const answer = await network.call('POST', 'C:/sessions', {
          body: { serviceId, type },
          token: tokens.get(person) ?? null,
        });
        const is = `${answer.status} ${answer.code ?? null}`;
        outcomes.add(is);
        const said =
          sessionCreate === null
            ? '401 UNAUTHORIZED'
            : `${sessionCreate.status} ${sessionCreate.code}`;
        const held = told.sessions.shown.some((session) => session.type === type);
        if (said !== is) found.push(`${person} ${type} ${thing}: said ${said}, is ${is}`);
        if (!held && isAllowed !== (answer.status === 201)) {
          found.push(`${person} ${type} ${thing}: allowed ${isAllowed}, is ${is}`);
        }
        if (answer.status !== 201 || keeps) continue;
        await network.must('DELETE', `M:/sessions/${(answer.data as { id: string }).id}`);
      }
    }
  }
  return found;
}

t.test('explanations agree with POST /sessions', async (t) => {
  const seed = Number(process.env['EDGE_SEED'] ?? 20261121);
  const outcomes = new Set<string>();
  const property = fc.asyncProperty(world, async (made) => {
    const built = await build(made);
    const { network, ids, policyIds } = built;
    const found = await differences(built, made.keeps, outcomes);
    for (const at of made.removed) {
      const id = policyIds[at];
      if (id !== undefined) await network.must('DELETE', `M:/service-policies/${id}`);
    }
    if (made.isDisabled) {
      const path = `M:/identities/${ids.get('alice')}/disable`;
      await network.must('POST', path, { durationMinutes: 0 });
    }
    found.push(...(await differences(built, made.keeps, outcomes)));
    await network.stop();
    if (found.length > 0) throw new Error(found.join('\n'));
  });
  const replay = `replay: EDGE_SEED=${seed} npm test test/resources/explain-agreement.test.ts`;
  const result = await fc.check(property, { seed, numRuns: isNightly ? 60 : 30 });
  t.notOk(result.failed, `${replay}\n${result.failed ? fc.defaultReportMessage(result) : ''}`);
  const all = [
    '201 null',
    '400 COULD_NOT_VALIDATE',
    '400 INVALID_POSTURE',
    '400 NO_EDGE_ROUTERS_AVAILABLE',
    '401 UNAUTHORIZED',
    '404 NOT_FOUND',
  ];
  t.same([...outcomes].sort(), all, 'every outcome was among them');
});

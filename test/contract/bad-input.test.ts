// Strange values in every place of a valid body: refused with a reason, or accepted, without a
// fault.

import t from 'tap';
import { operations } from '../../src/assembly/operations.ts';
import type { Kind } from '../../src/declare/kinds/kind.ts';
import type { Resource } from '../../src/declare/resources/resource.ts';
import { resources } from '../../src/resources/index.ts';
import { type Answer, bootNetwork, type Network, prefixes } from '../simulated/network.ts';
import { exampleBody } from './harness/examples.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const strange: readonly Json[] = [
  null,
  true,
  -1,
  0.5,
  1e308,
  70_000,
  '',
  ' ',
  'text',
  '@',
  '#',
  'x'.repeat(5000),
  '\u0000\ud800',
  [],
  [null],
  [[]],
  ['', ''],
  [7, {}],
  [{}],
  {},
  { a: { b: [1] } },
  { '': '' },
  { $ref: '#/nowhere' },
  { type: 'object', properties: { a: { pattern: '(' } } },
];

/** Every place in a value, by its path. */
function* placesOf(value: Json, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield [...path, key];
    yield* placesOf(inner as Json, [...path, key]);
  }
}

/** A copy of `value` with `put` at `path`. */
function replaced(value: Json, [key, ...rest]: readonly string[], put: Json): Json {
  if (key === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((entry, i) =>
      String(i) === key ? replaced(entry as Json, rest, put) : entry,
    );
  }
  const fields = value as { readonly [key: string]: Json };
  return { ...fields, [key]: replaced(fields[key] ?? null, rest, put) };
}

function without(value: Json, path: readonly string[]): Json {
  const last = path.at(-1) ?? '';
  const outer = path
    .slice(0, -1)
    .reduce<Json>((at, key) => (at as Record<string, Json>)[key] ?? null, value);
  if (Array.isArray(outer)) return replaced(value, path.slice(0, -1), []);
  const { [last]: _, ...rest } = outer as Record<string, Json>;
  return replaced(value, path.slice(0, -1), rest);
}

/** What is wrong with the answer to a strange request. */
function faultOf({ status, code, cause, body }: Answer): string | undefined {
  if (status === 200 || status === 201) return undefined;
  const text = `${status} ${body.toString().slice(0, 400)}`;
  if (![400, 404, 409].includes(status)) return text;
  const isNamed = typeof cause?.['field'] === 'string' && typeof cause['reason'] === 'string';
  const isCoded = code !== 'COULD_NOT_VALIDATE' || isNamed;
  if (!isCoded) return `no field and reason: ${text}`;
  return body.length > 2000 ? `echoes too much: ${text}` : undefined;
}

/** Bodies that only differ in one place from a good one, and where. */
function* bodiesOf(good: Json): Generator<readonly [string, Json]> {
  yield* strange.map((value) => ['the body', value] as const);
  const places = [...placesOf(good), ['tags'], ['tags', 'key'], ['unknown']];
  for (const path of places) {
    if (path[0] === 'tags' && path.length > 1) {
      for (const value of strange)
        yield [`tags ${JSON.stringify(value)}`, { ...(good as object), tags: { key: value } }];
      continue;
    }
    for (const value of strange) {
      yield [
        `${path.join('.')} ${JSON.stringify(value)?.slice(0, 40)}`,
        replaced(good, path, value),
      ];
    }
    if (placesIn(good, path)) yield [`no ${path.join('.')}`, without(good, path)];
  }
}

function placesIn(value: Json, path: readonly string[]): boolean {
  return [...placesOf(value)].some((place) => place.join('\n') === path.join('\n'));
}

/** More of each resource's fields than its example shows. */
const richer: Readonly<Record<string, object>> = {
  identities: {
    appData: { a: 1 },
    defaultHostingCost: 1,
    defaultHostingPrecedence: 'default',
    serviceHostingCosts: {},
    serviceHostingPrecedences: {},
    externalId: 'x',
    authPolicyId: 'default',
    enrollment: { ott: false },
  },
  services: { configs: [], maxIdleTimeMillis: 1, terminatorStrategy: 'random' },
  'edge-routers': { cost: 1, noTraversal: true, disabled: false, appData: {} },
  'service-policies': { postureCheckRoles: [] },
  'config-types': { target: 'service' },
};

for (const resource of resources) {
  const { path, example, kind, verbs } = resource;
  // Without changes there are too few bodies, and cases show those.
  if (example === undefined || !verbs.management?.includes('update')) continue;
  t.test(path, async (t) => {
    const network = await bootNetwork();
    const body = await exampleBody(network, resource);
    const good = { ...body, ...richer[path] } as unknown as Json;
    t.equal(
      (await network.call('POST', `M:/${path}`, { body: good })).status,
      201,
      'the example is fine',
    );
    let tried = 0;
    let taken = 0;
    for (const method of ['POST', 'PUT', 'PATCH']) {
      for (const [what, body] of bodiesOf(good)) {
        const id = method === 'POST' ? undefined : await fresh(network, resource, good);
        const url = id === undefined ? `M:/${path}` : `M:/${path}/${id}`;
        const named = method === 'POST' ? body : renamed(body, good, kind, `-${id}`);
        const answer = await network.call(method, url, { body: JSON.stringify(named) });
        const fault = faultOf(answer);
        if (fault !== undefined) t.fail(`${method} ${what}: ${fault}`);
        const isChanged = id !== undefined && answer.status < 300;
        const read = isChanged ? await network.call('GET', url) : undefined;
        if (read !== undefined && read.status !== 200)
          t.fail(`GET after ${method} ${what}: ${read.status}`);
        tried++;
        if (answer.status < 300) taken++;
      }
    }
    t.equal((await network.call('GET', `M:/${path}?limit=-1`)).status, 200);
    t.same(network.logged.slice(0, 3), [], 'no request failed unexpectedly');
    await network.restart();
    t.equal((await network.call('GET', `M:/${path}?limit=-1`)).status, 200);
    t.ok(taken > 50 && tried - taken > 50, `of ${tried} bodies ${taken} were taken`);
    await network.stop();
  });
}

/** The one record that put and patch work on. */
async function fresh(network: Network, { path, kind }: Resource, good: Json): Promise<string> {
  const kept = targets.get(network);
  if (kept !== undefined && network.env.store.tableNamed(kind.kind).find(kept) !== undefined) {
    return kept;
  }
  const id = await network.create(path, renamed(good, good, kind, `-${counter++}`) as object);
  targets.set(network, id);
  return id;
}

const targets = new WeakMap<Network, string>();
let counter = 0;

/** Put and patch must not stumble over the name of the example itself, or what else is unique. */
function renamed(body: Json, good: Json, { fields }: Kind, ending: string): Json {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const copy: Record<string, Json> = { ...(body as { readonly [key: string]: Json }) };
  for (const [name, { unique }] of Object.entries(fields)) {
    const value = (good as { readonly [key: string]: Json })[name];
    if (unique && typeof value === 'string' && copy[name] === value) copy[name] = value + ending;
  }
  return copy;
}

t.test('strange queries', async (t) => {
  const network = await bootNetwork();
  const queries = [
    'limit=',
    'limit=%',
    'offset=%00',
    'limit=1&limit=2',
    '=&=',
    '&&&',
    'filter=',
    'x'.repeat(9000),
  ];
  for (const { apis, path, method, errors } of operations) {
    if (method !== 'GET' || path.includes('{') || apis.length === 0) continue;
    // The caller has no MFA.
    const statuses = errors.includes(404) ? [404] : [200, 400];
    for (const query of queries) {
      const answer = await network.call('GET', `${prefixes[apis[0] ?? 'client']}${path}?${query}`);
      t.ok(statuses.includes(answer.status), `${path}?${query.slice(0, 20)}: ${answer.status}`);
    }
  }
  t.same(network.logged, []);
  await network.stop();
});

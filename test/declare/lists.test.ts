// Lists by index, by kept order and from memory: each gives the same answer as a scan of all rows.

import t from 'tap';
import { wholeValues } from '../../src/declare/resources/bodies.ts';
import { compareValues } from '../../src/filter/order.ts';
import { type IdentityRecord, identityKind } from '../../src/records/identity.ts';
import * as fc from '../properties.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

/** A condition as a filter says it, and as a test can say it. */
interface Condition {
  readonly text: string;
  holds(record: IdentityRecord): boolean;
}

const attributes = ['staff', 'hall', 'all', 'Ünö'];
const names = Array.from({ length: 25 }, (_, i) => `${i % 2 ? 'desk' : 'Door'}-${i}`);
const ids = Array.from({ length: 25 }, (_, i) => `id${i}`);

const attribute = fc.constantFrom(...attributes);
const simple: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom('1', 'desk', '-2', 'x').map((part) => ({
    text: `name contains "${part}"`,
    holds: ({ name }: IdentityRecord) => name.includes(part),
  })),
  fc.constantFrom(...names).map((wanted) => ({
    text: `name = "${wanted}"`,
    holds: ({ name }: IdentityRecord) => name === wanted,
  })),
  fc.subarray(ids, { minLength: 1, maxLength: 4 }).map((wanted) => ({
    text: `id in [${wanted.map((id) => `"${id}"`).join(', ')}]`,
    holds: ({ id }: IdentityRecord) => wanted.includes(id),
  })),
  attribute.map((wanted) => ({
    text: `anyOf(roleAttributes) = "${wanted}"`,
    holds: ({ roleAttributes }: IdentityRecord) => roleAttributes.includes(wanted),
  })),
  fc.constantFrom('default', 'none').map((wanted) => ({
    text: `authPolicyId = "${wanted}"`,
    holds: ({ authPolicyId }: IdentityRecord) => authPolicyId === wanted,
  })),
  fc.constant({
    text: 'not isEmpty(from dialServices where name = "printer")',
    // The one policy there is lets staff dial the one service.
    holds: ({ roleAttributes }: IdentityRecord) => roleAttributes.includes('staff'),
  }),
  fc.constant({
    text: 'externalId != null',
    holds: ({ externalId }: IdentityRecord) => externalId !== undefined,
  }),
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  simple,
  fc.tuple(simple, simple).map(([a, b]) => ({
    text: `(${a.text}) and (${b.text})`,
    holds: (record: IdentityRecord) => a.holds(record) && b.holds(record),
  })),
  fc.tuple(simple, simple).map(([a, b]) => ({
    text: `(${a.text}) or ${b.text}`,
    holds: (record: IdentityRecord) => a.holds(record) || b.holds(record),
  })),
);

interface Key {
  readonly name: 'id' | 'name' | 'createdAt' | 'externalId';
  readonly isDescending: boolean;
}

const key: fc.Arbitrary<Key> = fc.record({
  name: fc.constantFrom('id', 'name', 'createdAt', 'externalId'),
  isDescending: fc.boolean(),
});

const ask = fc.record({
  kind: fc.constant('ask' as const),
  condition: fc.option(condition, { nil: undefined }),
  sort: fc.array(key, { maxLength: 2 }),
  roles: fc.option(fc.subarray(attributes.filter((name) => name !== 'all')), { nil: undefined }),
  isAnyOf: fc.boolean(),
  limit: fc.constantFrom(-1, 3, 10),
  offset: fc.constantFrom(0, 2, 9),
});

const write = fc.record({
  kind: fc.constant('write' as const),
  id: fc.constantFrom(...ids),
  deletes: fc.boolean(),
  fails: fc.boolean(),
  name: fc.constantFrom(...names),
  roleAttributes: fc.subarray(attributes),
  externalId: fc.option(fc.constantFrom('e1', 'e2', 'E3'), { nil: undefined }),
  createdAt: fc.integer({ min: 1, max: 4 }),
});

t.test('each list is what looking at every row would give, between any writes', async (t) => {
  const steps = fc.array(fc.oneof({ weight: 3, arbitrary: write }, { weight: 2, arbitrary: ask }), {
    minLength: 30,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(1, 5000), async (all, orderRowsAtOnceMax) => {
      // With the lesser one, orders are built in slices while lists wait, or done without.
      const network = await bootNetwork({ freeze: false, bounds: { orderRowsAtOnceMax } });
      await network.create('services', { name: 'printer', encryptionRequired: true });
      const policy = { name: 'p', type: 'Dial', semantic: 'AnyOf' };
      const roles = { identityRoles: ['#staff'], serviceRoles: ['#all'] };
      await network.create('service-policies', { ...policy, ...roles });
      for (const step of all) {
        if (step.kind === 'write') apply(network, step);
        else await check(network, step);
      }
      t.same(network.logged, []);
      await network.stop();
    }),
    { numRuns: 25 },
  );
});

t.test(
  'an answer depends on all records that decided it, also if it comes from memory',
  async (t) => {
    const network = await bootNetwork();
    const { store } = network.env;
    const policy = { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#x'] };
    const writes = {
      identity: () => network.create('identities', { name: 'i', type: 'Default', isAdmin: false }),
      service: () => network.create('services', { name: 's', encryptionRequired: true }),
      servicePolicy: () => network.create('service-policies', { ...policy, serviceRoles: ['#x'] }),
    };
    const paths = {
      identity: 'identities',
      service: 'services',
      servicePolicy: 'service-policies',
    };
    const restsOn: readonly (readonly [keyof typeof writes, string])[] = [
      ['identity', 'identities?filter=name="nobody"'],
      ['identity', 'identities?filter=name+contains+"x"'],
      ['identity', 'identities?filter=anyOf(roleAttributes)="x"'],
      ['identity', 'identities?roleFilter=%23x'],
      ['identity', 'identities?sort=updatedAt'],
      ['identity', 'identity-role-attributes?filter=id="x"'],
      ['identity', 'service-policies?filter=isEmpty(from+identities+where+isAdmin)'],
      ['identity', 'api-sessions?filter=identity.name="nobody"'],
      ['servicePolicy', 'identities?filter=isEmpty(dialServices)'],
      ['servicePolicy', 'identities?filter=isEmpty(servicePolicies)'],
      ['service', 'identities?filter=isEmpty(from+bindServices+where+true)'],
    ];
    const standing = { ...policy, name: 'standing', serviceRoles: ['#x'] };
    await network.create('service-policies', standing);
    for (const [kind, path] of restsOn) {
      const id = await writes[kind]();
      const { lastLsn } = store.tableNamed(kind);
      for (let round = 0; round < 2; round++) {
        t.equal((await network.call('GET', `M:/${path}`)).status, 200, path);
        t.ok(store.fence.lsn >= lastLsn, `${path} rests on the last change of ${kind}`);
      }
      await network.must('DELETE', `M:/${paths[kind]}/${id}`);
    }
    await network.stop();
  },
);

t.test('what links lead to is bounded by steps, not by chance', async (t) => {
  const network = await bootNetwork({ limits: { filterStepsMax: 10_000 } });
  const people = { type: 'Default', isAdmin: false, roleAttributes: ['staff'] };
  for (let n = 0; n < 40; n++) {
    await network.create('identities', { name: `desk-${n}`, ...people });
    const roleAttributes = ['paper'];
    const printer = { name: `printer-${n}`, encryptionRequired: true, roleAttributes };
    await network.create('services', printer);
  }
  for (let n = 0; n < 10; n++) {
    await network.create('service-policies', {
      name: `p${n}`,
      type: n % 2 === 0 ? 'Dial' : 'Bind',
      semantic: 'AnyOf',
      identityRoles: ['#staff'],
      serviceRoles: ['#paper'],
    });
  }
  const ask = (path: string, filter: string) =>
    network.call('GET', `M:/${path}?${new URLSearchParams({ filter })}`);
  // In the number of rows times what one of them links to, or more.
  for (const [path, filter] of [
    ['services', 'anyOf(dialIdentities.name) = "nobody"'],
    ['services', 'allOf(dialIdentities.name) != "nobody"'],
    ['services', 'anyOf(dialIdentities.dialServices.dialIdentities.name) = "nobody"'],
    ['services', `anyOf(${'dialIdentities.dialServices.'.repeat(30)}name) = "nobody"`],
    ['services', 'isEmpty(from dialIdentities where isEmpty(from dialServices where isSystem))'],
    ['service-policies', 'anyOf(identities.servicePolicies.name) = "nobody"'],
    ['auth-policies', 'anyOf(identities.servicePolicies.services.name) = "nobody"'],
    ['identities', 'count(dialServices.name) > 39'],
    ['identities', `name contains "a"${' or name contains "b"'.repeat(499)}`],
  ] as const) {
    const refused = { status: 400, code: 'INVALID_FILTER', cause: { field: 'filter' } };
    const answer = await ask(path, filter);
    t.match(answer, refused, filter);
    t.match((answer.cause as { reason: string }).reason, /more than 10000 steps/);
  }
  // In the number of rows alone.
  for (const [path, filter, total] of [
    ['services', 'isEmpty(dialIdentities)', 0],
    ['services', 'not isEmpty(from bindIdentities where true)', 40],
    ['services', 'count(dialIdentities) > 39', 40],
    ['services', 'count(servicePolicies) = 10', 40],
    ['services', 'not isEmpty(servicePolicies.name)', 40],
    ['services', 'anyOf(dialIdentities.name) contains "desk"', 40],
    ['services', 'allOf(dialIdentities.name) contains "door"', 0],
    ['identities', 'isEmpty(dialServices) or isEmpty(servicePolicies)', 1],
    ['identities', 'not isEmpty(from dialServices where name contains "printer")', 40],
    ['service-policies', 'count(identities) = 40 and count(services) = 40', 10],
  ] as const) {
    const { status, pagination } = await ask(path, filter);
    t.same({ status, total: pagination?.totalCount }, { status: 200, total }, filter);
  }
  t.same(network.logged, []);
  await network.stop();
});

type Write = Parameters<Parameters<typeof write.map>[0]>[0];
type Ask = Parameters<Parameters<typeof ask.map>[0]>[0];

function apply({ env }: Network, { id, deletes, fails, ...fields }: Write): void {
  const table = env.store.table(identityKind);
  const cause = { actor: 'test', requestId: 'r', operation: 'write' };
  try {
    env.store.transact(cause, (tx) => {
      if (deletes) tx.delete(table, id);
      else {
        const { name, roleAttributes, externalId, createdAt } = fields;
        const values = wholeValues(identityKind.fields, { isAdmin: false, name }, undefined);
        const base = { id, createdAt, updatedAt: tx.now, tags: {}, isSystem: undefined };
        const more = { state: 'enabled', roleAttributes, externalId };
        tx.put(table, { ...base, ...values, ...more } as unknown as IdentityRecord);
      }
      if (fails) throw new Error('taken back');
    });
  } catch {
    // Taken back, or a name that is taken.
  }
}

async function check(network: Network, asked: Ask): Promise<void> {
  const { condition, sort, limit, offset } = asked;
  const keys = sort.map(({ name, isDescending }) => `${name}${isDescending ? ' desc' : ''}`);
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  if (condition !== undefined) query.set('filter', condition.text);
  if (keys.length > 0) query.set('sort', keys.join(', '));
  for (const name of asked.roles ?? []) query.append('roleFilter', `#${name}`);
  if (asked.isAnyOf) query.set('roleSemantic', 'anyof');
  const path = `M:/identities?${query}`;
  const expected = naive(network, asked);
  // Twice: the second answer may come from memory.
  for (let round = 0; round < 2; round++) {
    const answer = await network.call('GET', path);
    const found = (answer.data as { id: string }[] | undefined)?.map(({ id }) => id);
    const total = answer.pagination?.totalCount;
    const is = JSON.stringify({ found, total });
    if (is !== JSON.stringify(expected)) {
      throw new Error(`${path}: ${is} instead of ${JSON.stringify(expected)}`);
    }
  }
}

function naive({ env }: Network, asked: Ask): { found: string[]; total: number } {
  const { condition, sort, roles = [], isAnyOf, limit, offset } = asked;
  const records = [...env.store.table(identityKind).all()].map((row) => row.record);
  const matching = records.filter(({ roleAttributes, ...rest }) => {
    const record = { roleAttributes, ...rest } as IdentityRecord;
    const has = (name: string) => roleAttributes.includes(name);
    const isSelected = roles.length === 0 || (isAnyOf ? roles.some(has) : roles.every(has));
    return isSelected && (condition?.holds(record) ?? true);
  });
  matching.sort((a, b) => {
    for (const { name, isDescending } of sort) {
      const order = compareValues(a[name], b[name]);
      if (order !== 0) return isDescending ? -order : order;
    }
    return compareValues(a.id, b.id);
  });
  const page = matching.slice(offset, limit === -1 ? undefined : offset + limit);
  return { found: page.map(({ id }) => id), total: matching.length };
}

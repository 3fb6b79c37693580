// Access of the new home against the links that the peer has stored: no pair may differ unseen.

import { t } from 'tap';
import type { ConvertedRecord } from '../../../src/migrate/convert/conversion.ts';
import { type AccessProof, compareAccess } from '../../../src/migrate/proof/access-proof.ts';
import { detachedAccess } from '../../../src/resources/detached-store.ts';
import { edgeRouter, identity, service } from '../convert/converted.ts';
import { smallNetwork } from '../home/small-network.ts';
import { counted, type DatabaseContent, int, map, set } from '../peer/database.ts';
import { proven } from './proven.ts';

type Kinds = NonNullable<DatabaseContent['kinds']>;

function proofOf(
  kinds: Kinds = smallNetwork(),
  change?: (record: ConvertedRecord) => ConvertedRecord,
): AccessProof & { readonly compared: number } {
  const { network, store, clock } = proven(kinds, change);
  let compared = 0;
  const proof = compareAccess({
    network,
    store,
    access: detachedAccess(store, clock),
    compared: () => {
      compared += 1;
    },
  });
  return { ...proof, compared };
}

/** Differences in short. */
function pairs({ differences }: AccessProof): string[] {
  return differences.shown.map(
    ({ link, from, to, linkedBy }) => `${link}: ${from.id} ${to.id} ${linkedBy}`,
  );
}

/** The small network with other fields of some identity or service. */
function changed(
  kind: 'identities' | 'services',
  id: string,
  fields: Kinds[string][string],
): Kinds {
  const kinds = smallNetwork();
  const entities = kinds[kind] ?? {};
  return { ...kinds, [kind]: { ...entities, [id]: { ...entities[id], ...fields } } };
}

/** Another value in a field of a record. */
function patched(kind: string, id: string, field: string, value: unknown) {
  return (converted: ConvertedRecord): ConvertedRecord => {
    const { record } = converted;
    if (converted.kind !== kind || record.id !== id) return converted;
    return { kind, record: { ...record, [field]: value } };
  };
}

t.test('a network whose access is as it was', (t) => {
  const proof = proofOf();
  t.match(proof, { identities: 3, services: 1, pairs: 5, compared: 4 });
  t.same(proof.differences, { shown: [], furtherCount: 0 });
  t.end();
});

t.test('a link that only the database has, of each sort', (t) => {
  const printer = counted({ printer: int(1) });
  const cases: readonly (readonly [Kinds, string])[] = [
    [changed('identities', 'phone', { dialServices: printer }), 'dial: phone printer peer'],
    [changed('identities', 'desk', { bindServices: printer }), 'bind: desk printer peer'],
  ];
  for (const [kinds, expected] of cases) t.same(pairs(proofOf(kinds)), [expected]);
  t.end();
});

t.test('a link that only the new home has, of each sort', (t) => {
  const none = map({});
  const cases: readonly (readonly [Kinds, string])[] = [
    [changed('identities', 'desk', { dialServices: none }), 'dial: desk printer home'],
    [changed('identities', 'phone', { routers: none }), 'router of identity: phone north home'],
    [
      changed('services', 'printer', { edgeRouters: none }),
      'router of service: printer north home',
    ],
  ];
  for (const [kinds, expected] of cases) t.same(pairs(proofOf(kinds)), [expected]);
  t.end();
});

t.test('mistakes of a conversion', (t) => {
  const mistakes: readonly (readonly [ReturnType<typeof patched>, readonly string[]])[] = [
    [patched('servicePolicy', 'prints', 'identityRoles', []), ['dial: desk printer peer']],
    [patched('identity', 'desk', 'roleAttributes', []), ['dial: desk printer peer']],
    [patched('identity', 'phone', 'roleAttributes', ['staff']), ['dial: phone printer home']],
    [
      patched('servicePolicy', 'prints', 'type', 'Bind'),
      ['dial: desk printer peer', 'bind: desk printer home'],
    ],
    [
      patched('serviceEdgeRouterPolicy', 'everything', 'edgeRouterRoles', []),
      ['router of service: printer north peer'],
    ],
  ];
  for (const [mistake, expected] of mistakes) {
    t.same(pairs(proofOf(smallNetwork(), mistake)), expected);
  }
  t.end();
});

t.test('a fabric-only service that became an ordinary one is found out', (t) => {
  const kinds = smallNetwork();
  const { printer = {} } = kinds['services'] ?? {};
  const all = {
    ...kinds['servicePolicies']?.['prints'],
    serviceRoles: set(['#all']),
    identityRoles: set(['#all']),
  };
  const links = { dialServices: counted({ printer: int(1) }), routers: counted({ north: int(1) }) };
  const names = ['admin', 'desk', 'phone'];
  const identities = names.map((name) => [name, identity(name, links)] as const);
  const network = {
    ...kinds,
    identities: Object.fromEntries(identities),
    services: { printer, fabric: service('fabric') },
    servicePolicies: { prints: all },
  };
  const found = pairs(proofOf(network));
  t.same(
    found.filter((pair) => pair.startsWith('dial: ')),
    names.map((name) => `dial: ${name} fabric home`),
  );
  t.end();
});

t.test('what is not in the new home is no difference: the report names it elsewhere', (t) => {
  const links = counted({ gone: int(1), printer: int(1) });
  t.same(pairs(proofOf(changed('identities', 'desk', { dialServices: links }))), []);
  t.end();
});

t.test('routers that are no edge routers carry no links', (t) => {
  const kinds = smallNetwork();
  const routers = { ...kinds['routers'], transit: edgeRouter('transit') };
  const { edge, ...transit } = routers.transit;
  t.same(pairs(proofOf({ ...kinds, routers: { ...routers, transit } })), []);
  t.end();
});

t.test('links of older schemas stand below the service', (t) => {
  const { edgeRouters, ...printer } = smallNetwork()['services']?.['printer'] ?? {};
  const kinds = { ...smallNetwork(), services: { printer } };
  const below = { ...printer, edge: map({ edgeRouters: counted({ north: int(1) }) }) };
  t.same(pairs(proofOf(kinds)), ['router of service: printer north home']);
  t.same(pairs(proofOf({ ...kinds, services: { printer: below } })), []);
  t.end();
});

t.test('the list of differences is bounded', (t) => {
  const identities = Object.fromEntries(
    Array.from({ length: 1001 }, (_, at) => [`id-${String(at).padStart(6, '0')}`, at] as const).map(
      ([id]) => [id, identity(id)] as const,
    ),
  );
  const { differences } = proofOf({ ...smallNetwork(), identities });
  t.equal(differences.shown.length, 1000);
  t.equal(differences.furtherCount, 1);
  t.end();
});

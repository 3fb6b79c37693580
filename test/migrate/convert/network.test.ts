// The network as a whole: built-in records, order, unique keys, unknown content, damage, stops.

import t from 'tap';
import { conversions } from '../../../src/migrate/convert/index.ts';
import { SourceRefused } from '../../../src/migrate/source-problem.ts';
import { builtInRecords } from '../../../src/resources/configs/built-in/index.ts';
import { boltBucket } from '../bolt/bolt-writer.ts';
import { entity, flag, int, map, nil, type PeerValues, set, text } from '../peer/database.ts';
import { converted, identity, nowMs, remarksOn, reportOn, service } from './converted.ts';

t.test('an empty network gets all built-in records, and nobody can log in', (t) => {
  const { records, report, book } = converted({});
  const ids = (all: readonly { kind: string; record: { id: string } }[]) =>
    all.map(({ kind, record }) => `${kind} ${record.id}`).toSorted();
  t.same(ids(records), ids(builtInRecords));
  for (const { record } of records) t.match(record, { createdAt: nowMs, tags: {} });
  t.match(report.stops, [
    {
      what: 'administrator',
      isAgreed: false,
      shown: ['No administrator of the network could log in to the new home.'],
    },
  ]);
  t.equal(book.isStopped, true);
  t.equal(converted({}, { agreed: ['administrator'] }).book.isStopped, false);
  t.end();
});

t.test('what a record refers to comes before it, but for circles', (t) => {
  const order = conversions.map(({ kind }) => kind.kind);
  for (const { kind } of conversions) {
    for (const { relation } of kind.relations) {
      const [own, other] = [order.indexOf(kind.kind), order.indexOf(relation.kind)];
      // A signer may name the policy of those it enrolls, and a policy its signers.
      if (kind.kind === 'externalJwtSigner' && relation.kind === 'authPolicy') continue;
      t.ok(other <= own, `${kind.kind} refers to ${relation.kind}`);
    }
  }
  t.end();
});

t.test('built-in records of the network stay, and names that are taken give way', (t) => {
  const { record, store, report } = converted({
    kinds: {
      authPolicies: {
        default: entity({ name: text('Default'), isSystem: flag(true), tags: map({ a: nil() }) }),
      },
      configTypes: { mine: entity({ name: text('proxy.v1') }) },
    },
  });
  t.match(record('authPolicy', 'default'), { isSystem: true, tags: { a: null } });
  t.match(record('configType', 'mine'), { name: 'proxy.v1' });
  t.match(record('configType', 'proxy.v1'), { name: 'proxy.v1 (proxy.v1)' });
  t.equal([...store.tableNamed('authPolicy').all()].length, 1);
  t.same(remarksOn({ report }, 'configTypes', 'kept'), [
    'proxy.v1: The built-in record with this id becomes "proxy.v1 (proxy.v1)": its name is taken.',
  ]);
  t.end();
});

t.test('ids that ours never makes are kept, and others left out', (t) => {
  const names = ['-63w5SELEa', '.7Dw5dEL2a', '407', 'a'.repeat(200)];
  const others = ['a'.repeat(201), 'line\nbreak', '\u001b[2J'];
  const all = [...names, ...others].map((id, n) => [id, identity(`n${n}`)] as const);
  const { record, report } = converted({ kinds: { identities: Object.fromEntries(all) } });
  for (const id of names) t.match(record('identity', id), { id });
  for (const id of others) t.equal(record('identity', id), undefined);
  t.equal(reportOn({ report }, 'identities').leftOut, 3);
  t.end();
});

t.test('names that ours would refuse are kept and named', (t) => {
  const odd = ['two\nlines', '\u001b[2J', 'x'.repeat(10_000), '  '];
  const all = odd.map((name, n) => [`id${n}`, service(name)] as const);
  const kinds = { services: { ...Object.fromEntries(all), none: service('', { name: nil() }) } };
  const { record, report } = converted({ kinds });
  odd.forEach((name, n) => {
    t.equal(record('service', `id${n}`)?.['name'], name);
  });
  t.match(record('service', 'none'), { name: 'none' });
  const kept = remarksOn({ report }, 'services', 'kept');
  t.match(kept, [
    /^id0: Its name is kept, although it is refused at a write: /,
    /^id1/,
    /^id2/,
    /^id3/,
  ]);
  const [{ name } = {}] = reportOn({ report }, 'services').keptRemarks.shown.slice(2);
  t.equal(name?.length, 1000, 'the report cuts what it shows');
  t.same(remarksOn({ report }, 'services', 'changed'), [
    'none: It has no name, and gets its id as the name.',
  ]);
  t.end();
});

t.test('of two with one unique key the second is left out, which has to be agreed to', (t) => {
  const twins: PeerValues = { externalId: text('one') };
  const enrollment = (token: string): PeerValues => ({
    method: text('ott'),
    identity: text('a'),
    token: text(token),
    jwt: text('j'),
    expiresAt: identity('')['createdAt'] ?? nil(),
  });
  const kinds = {
    identities: {
      a: identity('same', twins),
      b: identity('same'),
      c: identity('other', twins),
      d: identity('fourth'),
    },
    enrollments: { x: enrollment('secret token'), y: enrollment('secret token') },
  };
  const { records, report, book } = converted({ kinds });
  t.same(
    records.filter(({ kind }) => kind === 'identity').map(({ record }) => record.id),
    ['a', 'd'],
  );
  t.same(remarksOn({ report }, 'identities', 'leftOut'), [
    'b: Its name "same" is also that of "a", which was read before and stays.',
    'c: Its externalId "one" is also that of "a", which was read before and stays.',
  ]);
  const [stop] = report.stops;
  t.match(stop, { what: 'duplicate-key', isAgreed: false });
  t.match(stop?.shown, [/^identities "b": Its name/, /^identities "c"/, /^enrollments "y"/]);
  t.notMatch(JSON.stringify(report), 'secret token');
  t.equal(book.isStopped, true);
  const agreed = converted({ kinds }, { agreed: ['duplicate-key', 'administrator'] });
  t.equal(agreed.book.isStopped, false);
  t.end();
});

t.test('unknown buckets and fields are named, and known ones counted', (t) => {
  const { report } = converted({
    kinds: {
      identities: {
        a: identity('a', { shoeSize: int(43), dialServices: set(['x']) }),
        b: identity('b', { shoeSize: int(44) }),
      },
      sessions: { one: {}, two: {} },
      revocations: { one: {} },
      dragons: { one: {} },
    },
    ziti: {
      indexes: map({ identities: map({}) }),
      metadata: map({
        clusterId: text('c'),
        entityChangeEvents: boltBucket([[Buffer.of(1, 0), map({})]]),
        moon: text('full'),
      }),
    },
    root: { cellar: map({}), zdb: map({}) },
  });
  t.same(report.unknownBuckets, { shown: ['cellar', 'dragons'], furtherCount: 0 });
  t.same(reportOn({ report }, 'identities').unknownFields, { shoeSize: 2 });
  t.same(reportOn({ report }, 'metadata').unknownFields, { moon: 1 });
  t.match(reportOn({ report }, 'sessions'), {
    read: 2,
    taken: 0,
    leftOut: 2,
    reason: 'Clients ask for new service sessions when they need them.',
  });
  t.match(reportOn({ report }, 'revocations'), { read: 1, leftOut: 1 });
  t.match(reportOn({ report }, 'indexes'), { read: 0, reason: /rebuilt/ });
  t.end();
});

t.test('entities that cannot be read are all named, and fail the migration', (t) => {
  const { records, report, book } = converted({
    kinds: {
      identities: {
        a: identity('a', { isAdmin: text('yes') }),
        b: identity('b', { name: Buffer.of(8, 1) }),
        c: identity('c', { roleAttributes: text('x') }),
        d: identity('d'),
      },
    },
  });
  t.equal(book.damagedCount, 3);
  t.same(
    records.filter(({ kind }) => kind === 'identity').map(({ record }) => record.id),
    ['d'],
  );
  t.match(remarksOn({ report }, 'identities', 'damaged'), [
    /^a: Field isAdmin of identities a in the database is a text instead of a bool/,
    /^b: Field name of identities b .* unknown type 8/,
    /^c: Field roleAttributes of identities c .* single value instead of a bucket/,
  ]);
  t.match(reportOn({ report }, 'identities'), { read: 4, taken: 1, leftOut: 0 });
  t.end();
});

t.test('schemas', (t) => {
  for (const schema of [0, 35]) {
    t.throws(() => converted({ schema }), SourceRefused);
    t.throws(() => converted({ schema }), { message: /upgrade the network with OpenZiti first/ });
  }
  const stops = (schema: number) => converted({ schema }).report.stops.map(({ what }) => what);
  t.same(stops(36), ['administrator']);
  t.same(stops(49), ['administrator']);
  t.same(stops(50), ['newer-schema', 'administrator']);
  t.end();
});

t.test('who can log in', (t) => {
  const hash = 'pe11EySk5TaGfaQkIleTx0jncNmcISXyTq+PUdosohE=';
  const password = entity({
    method: text('updb'),
    identity: text('admin'),
    updbUsername: text('admin'),
    updbPassword: text(hash),
    updbSalt: text('/vYPyRcQ9TqmEQ=='),
  });
  const print = entity({
    method: text('cert'),
    identity: text('admin'),
    certFingerprint: text('ab'),
    isIssuedByNetwork: flag(true),
  });
  const policy = (fields: PeerValues) => entity({ name: text('mine'), ...fields });
  const signer = (fields: PeerValues = {}) =>
    entity({ name: text('idp'), issuer: text('idp'), enabled: flag(true), ...fields });
  const allows = (way: string) => policy({ [`primary.${way}.allowed`]: flag(true) });
  const canLogIn = (
    kinds: Readonly<Record<string, Readonly<Record<string, PeerValues>>>>,
    fields: PeerValues = {},
  ) => {
    const admin = identity('admin', { isAdmin: flag(true), ...fields });
    return converted({ kinds: { identities: { admin }, ...kinds } }).report.stops.length === 0;
  };
  const mine = { authPolicyId: text('mine') };
  const authenticators = { password };
  t.equal(canLogIn({ authenticators }), true);
  t.equal(canLogIn({}), false);
  const disabled = { disabledAt: identity('')['createdAt'] ?? nil() };
  t.equal(canLogIn({ authenticators }, disabled), false);
  t.equal(canLogIn({ authenticators }, { isAdmin: flag(false) }), false);
  const defaultAdmin = { isAdmin: flag(false), isDefaultAdmin: flag(true) };
  t.equal(canLogIn({ authenticators }, defaultAdmin), true);
  t.equal(canLogIn({ authenticators, authPolicies: { mine: allows('cert') } }, mine), false);
  t.equal(canLogIn({ authenticators, authPolicies: { mine: allows('updb') } }, mine), true);
  t.equal(canLogIn({ authenticators: { print } }), true);
  t.equal(
    canLogIn({ authenticators: { print }, authPolicies: { mine: allows('updb') } }, mine),
    false,
  );
  const withSigner = (fields: PeerValues) => ({ externalJwtSigners: { idp: signer(fields) } });
  t.equal(canLogIn(withSigner({})), true);
  t.equal(canLogIn(withSigner({ enabled: flag(false) })), false);
  t.equal(canLogIn(withSigner({ useExternalId: flag(true) })), false);
  t.equal(canLogIn(withSigner({ useExternalId: flag(true) }), { externalId: text('x') }), true);
  const demanding = policy({
    'primary.updb.allowed': flag(true),
    'secondary.requireExtJwtSigner': text('idp'),
  });
  const asked = { authenticators, authPolicies: { mine: demanding } };
  t.equal(canLogIn({ ...asked, ...withSigner({}) }, mine), true);
  t.equal(canLogIn({ ...asked, ...withSigner({ enabled: flag(false) }) }, mine), false);
  t.end();
});

// Config types and configs of the peer: whose schema counts, and data of any depth.

import t from 'tap';
import { isShipped, ownSchemaOf } from '../../../src/migrate/convert/built-in-schemas.ts';
import { builtInRecords } from '../../../src/resources/configs/built-in/index.ts';
import { entity, int, json, list, map, nil, type PeerValues, text } from '../peer/database.ts';
import { converted, remarksOn } from './converted.ts';

const type = (name: string, schema: unknown, fields: PeerValues = {}) =>
  entity({
    name: text(name),
    schema: text(JSON.stringify(schema)),
    target: text('service'),
    ...fields,
  });

const own = { type: 'object', properties: { n: { type: 'integer' } } };

t.test('types of users keep schema and target', (t) => {
  const { record, report } = converted({
    kinds: {
      configTypes: {
        a: type('a', own),
        b: type('b', own, { target: text('router') }),
        c: type('c', own, { target: text('planet') }),
        d: type('d', own, { schema: nil() }),
        e: type('e', own, { schema: text('[]') }),
        f: type('f', { type: 'object', properties: { a: { pattern: '(?=a)' } } }),
        g: type('all', own),
      },
    },
  });
  t.match(record('configType', 'a'), { name: 'a', schema: own, target: 'service' });
  t.match(record('configType', 'b'), { target: 'router' });
  t.match(record('configType', 'c'), { target: 'other' });
  t.strictSame(record('configType', 'd')?.['schema'], {});
  t.strictSame(record('configType', 'e')?.['schema'], {});
  t.match(record('configType', 'f'), { schema: { properties: { a: {} } } });
  t.same(remarksOn({ report }, 'configTypes', 'changed'), [
    'c: Its target "planet" is not known, and becomes other.',
    'e: Its schema is no JSON object, and is dropped: any data is valid.',
  ]);
  t.match(remarksOn({ report }, 'configTypes', 'kept'), [
    /^f: Its schema is kept, although no data can be checked by it, /,
    'g: Its name "all" is kept, although it is reserved.',
  ]);
  t.end();
});

t.test('below schema 45 a type has no target', (t) => {
  const { record } = converted({ schema: 44, kinds: { configTypes: { a: type('a', own) } } });
  t.match(record('configType', 'a'), { target: 'service' });
  t.end();
});

t.test('a built-in type gets our schema, unless somebody changed theirs', (t) => {
  const ours = ownSchemaOf('host.v2') ?? {};
  const reordered = Object.fromEntries(Object.entries(ours).toReversed());
  const changed = { type: 'object', title: 'mine' };
  const { record, report } = converted({
    kinds: {
      configTypes: {
        'host.v2': type('host.v2', reordered),
        'proxy.v1': type('proxy.v1', changed),
        'l2.host.v1': type('l2.host.v1', changed),
      },
    },
  });
  t.strictSame(record('configType', 'host.v2')?.['schema'], ours);
  t.strictSame(record('configType', 'proxy.v1')?.['schema'], changed);
  t.strictSame(record('configType', 'l2.host.v1')?.['schema'], changed);
  t.same(remarksOn({ report }, 'configTypes', 'kept'), [
    'proxy.v1: Its schema is none that a known release of the peer shipped, and is kept.',
  ]);
  const names = builtInRecords.filter(({ kind }) => kind === 'configType');
  for (const { record: one } of names) t.match(record('configType', one.id), { name: one.name });
  t.end();
});

t.test('a schema is known by its content, not by the order of its properties', (t) => {
  const hostV1 = 'NH5p4FpGR';
  const ours = ownSchemaOf(hostV1) ?? {};
  const reordered = Object.fromEntries(Object.entries(ours).toReversed());
  t.equal(isShipped(hostV1, reordered), true);
  t.equal(isShipped('host.v2', reordered), false);
  t.equal(isShipped('constructor', reordered), false);
  t.equal(isShipped('constructor', {}), false);
  t.end();
});

t.test('data keep lists, nulls and fractions, also where their type refuses them', (t) => {
  const deep = { n: 3, deep: { list: [1, 'a', null, { x: 1.5 }], none: {} }, ['__proto__']: 'own' };
  const config = (fields: PeerValues) => entity({ type: text('own'), data: map({}), ...fields });
  const members = Object.entries(deep).map(([name, value]) => [name, json(value)] as const);
  const { record, report } = converted({
    kinds: {
      configTypes: { own: type('own.v1', own), broken: type('broken', { type: 'nothing' }) },
      configs: {
        a: config({ name: text('a'), data: map(Object.fromEntries(members)) }),
        b: config({ name: text('b'), data: map({ n: text('three') }) }),
        c: config({ name: text('c'), data: map({ n: int(2 ** 31 - 1), long: list([]) }) }),
        d: config({ name: text('d'), type: text('gone') }),
        e: config({ name: text('e'), type: nil() }),
        f: config({ name: text('f'), type: text('broken') }),
      },
    },
  });
  t.strictSame(JSON.stringify(record('config', 'a')?.['data']), JSON.stringify(sorted(deep)));
  t.strictSame(record('config', 'c')?.['data'], { n: 2 ** 31 - 1, long: [] });
  t.match(record('config', 'b'), { configTypeId: 'own', data: { n: 'three' } });
  t.match(remarksOn({ report }, 'configs', 'kept'), [
    /^b: Its data are kept, although its config type refuses them at a write: The member "n" /,
    /^f: Its data are kept, .*its schema cannot be used/,
  ]);
  t.same(remarksOn({ report }, 'configs', 'leftOut'), [
    'd: Its configTypeId names the config type "gone", which is not in the home.',
    'e: It names no config type.',
  ]);
  t.end();
});

/** Names in the order of their bytes, as a file has them. */
function sorted(value: object): object {
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

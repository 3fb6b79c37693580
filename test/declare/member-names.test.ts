// Member names of bodies in any case: a body means the same however its members are spelled.

import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import type { TSchema } from 'typebox';
import { operations } from '../../src/assembly/operations.ts';
import { checkBody } from '../../src/declare/resources/validate.ts';
import * as fc from '../properties.ts';
import { adminPassword, adminUser, bootNetwork } from '../simulated/network.ts';
import { type Described, jsonArbitrary } from './arbitrary.ts';

type Members = Readonly<Record<string, unknown>>;

/** The JSON bodies of all operations; of several shapes each one. */
const bodies = operations.flatMap(({ id, body, bodyType }) => {
  if (body === undefined || bodyType !== undefined) return [];
  const { anyOf: shapes = [body] } = body as Described;
  return shapes.map((shape): [string, TSchema, TSchema] => [id, body, shape]);
});

/** A name in cases chosen at random. */
const spelling = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((ups) =>
      [...name].map((sign, at) => (ups[at] ? sign.toUpperCase() : sign.toLowerCase())).join(''),
    );

/** The same value with other spellings of the names that the schema declares. */
function respelled(schema: TSchema, value: unknown): fc.Arbitrary<unknown> {
  const { properties, items, anyOf } = schema as Described;
  if (Array.isArray(value) && items !== undefined) {
    return fc.tuple(...value.map((item) => respelled(itemShape(items, item), item)));
  }
  if (properties === undefined || anyOf !== undefined || value === null) {
    return fc.constant(value);
  }
  const members = Object.entries(value as Members).map(([name, inner]) => {
    const property = properties[name];
    return property === undefined
      ? fc.constant([name, inner] as const)
      : fc.tuple(spelling(name), respelled(property, inner));
  });
  return fc.tuple(...members).map((pairs) => Object.fromEntries(pairs) as unknown);
}

function itemShape(items: TSchema, item: unknown): TSchema {
  const { anyOf: shapes = [items] } = items as Described;
  const typeOf = (shape: TSchema) => (shape as Described).properties?.['typeId'] as Described;
  const type = (item as Members)['typeId'];
  return shapes.find((shape) => typeOf(shape)?.const === type) ?? items;
}

t.test('every body of every operation', async (t) => {
  t.ok(bodies.length > 50, `${bodies.length} bodies`);
  for (const [id, body, shape] of bodies) {
    const property = fc.property(
      jsonArbitrary(shape).chain((json) => fc.tuple(fc.constant(json), respelled(shape, json))),
      ([json, other]) => isDeepStrictEqual(outcome(body, other), outcome(body, json)),
    );
    t.doesNotThrow(() => fc.assert(property, { numRuns: 20 }), id);
  }
});

/** The checked body, or the refusal. */
function outcome(schema: TSchema, json: unknown): unknown {
  try {
    return checkBody(schema, JSON.parse(JSON.stringify(json)));
  } catch (error) {
    return (error as { cause?: unknown }).cause;
  }
}

t.test('no schema declares two names that differ in case only', async (t) => {
  for (const [id, , shape] of bodies) {
    for (const names of namesIn(shape)) {
      const folded = new Set(names.map((name) => name.toLowerCase()));
      t.equal(folded.size, names.length, `${id}: ${names.join(' ')}`);
    }
  }
});

function namesIn(schema: TSchema): string[][] {
  const { properties = {}, items } = schema as Described;
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items])];
  return [Object.keys(properties), ...inner.flatMap(namesIn)];
}

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    list: { type: 'array', items: { type: 'object', properties: { typeId: { type: 'string' } } } },
    map: { type: 'object', patternProperties: { '^.*$': {} } },
    open: { type: 'object', properties: {}, additionalProperties: true },
  },
} as TSchema;

t.test('the exact name wins, else the last spelling; maps keep their keys', async (t) => {
  const rows: readonly (readonly [string, unknown])[] = [
    ['{"name": "a", "NAME": "b"}', { name: 'a' }],
    ['{"NAME": "b", "name": "a", "Name": "c"}', { name: 'a' }],
    ['{"NAME": "b", "Name": "c"}', { name: 'c' }],
    ['{"Name": "c", "NAME": "b"}', { name: 'b' }],
    ['{"NAME": "b", "Name": null}', {}],
    ['{"name": null, "NAME": "b"}', {}],
    ['{"names": "b", "nam": "c"}', {}],
    ['{"LIST": [{"TYPEID": "x"}, {"typeid": null}, {}]}', { list: [{ typeId: 'x' }, {}, {}] }],
    ['{"Map": {"Name": {"NAME": 1}, "name": null}}', { map: { Name: { NAME: 1 }, name: null } }],
    ['{"OPEN": {"Name": 1, "TypeID": null}}', { open: { Name: 1, TypeID: null } }],
    ['{"__proto__": {"name": "a"}, "__PROTO__": 1, "constructor": 2}', {}],
  ];
  for (const [json, expected] of rows) {
    const body = checkBody(schema, JSON.parse(json)) as object;
    t.strictSame(body, expected, json);
    t.equal(Object.getPrototypeOf(body), Object.prototype);
  }
});

t.test('a refusal names the declared member', async (t) => {
  t.throws(() => checkBody(schema, { NAME: 5 }), { cause: { field: 'name' } });
  t.throws(() => checkBody(schema, { List: [{ TYPEid: 5 }] }), {
    cause: { field: 'list.0.typeId' },
  });
});

t.test('a login, and posture checks as the command line sends them', async (t) => {
  const network = await bootNetwork();
  const login = { Username: adminUser, PASSWORD: adminPassword };
  const url = 'M:/authenticate?method=password';
  t.equal((await network.call('POST', url, { token: null, body: login })).status, 200);
  const created = await network.call('POST', 'M:/posture-checks', {
    body: {
      Name: 'os',
      typeID: 'OS',
      operatingSystems: [{ Type: 'Windows', Versions: ['>=10.0.17763'] }],
    },
  });
  t.equal(created.status, 201);
  const { id } = created.data as { id: string };
  t.match((await network.call('GET', `M:/posture-checks/${id}`)).data, {
    name: 'os',
    typeId: 'OS',
    operatingSystems: [{ type: 'Windows', versions: ['>=10.0.17763'] }],
  });
  await network.stop();
});

// The OpenAPI documents: valid, whole, and what is served.

import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { operations } from '../../src/assembly/operations.ts';
import { Components } from '../../src/declare/openapi/components.ts';
import { type ApiName, apiNames } from '../../src/declare/operations/apis.ts';
import { bootNetwork, prefixes } from '../simulated/network.ts';
import { documents } from './harness/described.ts';
import { keyOf, publishedByKey } from './harness/published.ts';

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: unknown;
  readonly responses: Json;
}

/** Parameters without a place in a document. */
const parameterGaps: ReadonlySet<string> = new Set([
  // OpenAPI wants this header described as a security scheme (3.1.0, "Parameter Object").
  'header Authorization false',
  'header Authorization true',
]);

/** Path, method and description of every operation. */
function describedOf(api: ApiName): [string, string, Described][] {
  const paths = documents[api]['paths'] as Readonly<Record<string, Record<string, Described>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): [string, string, Described] => [
      path,
      method.toUpperCase(),
      one,
    ]),
  );
}

/** Every object in a document. */
function* objectsOf(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const inner of Object.values(value)) yield* objectsOf(inner);
}

for (const api of apiNames) {
  t.test(`the ${api} document is valid OpenAPI 3.1`, async (t) => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(documents[api]));
    t.same(result, { valid: true });
    t.equal(validator.version, '3.1');
  });

  t.test(`the ${api} document refers to what it holds, and holds what it refers to`, (t) => {
    const { schemas } = documents[api]['components'] as { schemas: Json };
    const named = Object.keys(schemas).map((name) => `#/components/schemas/${name}`);
    const referred = new Set([...objectsOf(documents[api])].flatMap(({ $ref }) => $ref ?? []));
    t.same([...referred].sort(), named.sort());
    t.end();
  });

  t.test(`the ${api} document lists the words of a choice in an enum`, (t) => {
    const isWord = (one: unknown) => (one as Json)['const'] !== undefined;
    const choices = [...objectsOf(documents[api])].filter(({ anyOf, oneOf }) =>
      [anyOf, oneOf].some((shapes) => Array.isArray(shapes) && shapes.some(isWord)),
    );
    t.same(choices, [], 'generated clients take each constant for the only one');
    t.end();
  });

  t.test(`the ${api} document names each operation and each parameter once`, (t) => {
    const described = describedOf(api);
    const ids = described.map(([, , { operationId }]) => operationId);
    t.equal(new Set(ids).size, ids.length);
    for (const [path, method, { parameters = [] }] of described) {
      const names = parameters.map((one) => `${one.in} ${one.name}`);
      t.equal(new Set(names).size, names.length, `${method} ${path}`);
      const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      const inTemplate = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      t.same(inPath, inTemplate, `${method} ${path}`);
    }
    t.end();
  });

  t.test(`the ${api} document describes every operation, with every status`, (t) => {
    const described = new Map(describedOf(api).map(([path, method, one]) => [method + path, one]));
    const served = operations.filter((operation) => operation.apis.includes(api));
    t.equal(described.size, served.length);
    for (const { method, path, success, errors, body } of served) {
      const one = described.get(method + path);
      const statuses = [success, ...errors].map(String).sort();
      t.same(Object.keys(one?.responses ?? {}), [...statuses, 'default'], `${method} ${path}`);
      t.equal(one?.requestBody !== undefined, body !== undefined, `${method} ${path}`);
    }
    t.end();
  });

  t.test(`the ${api} document names the parameters that clients know`, (t) => {
    for (const [path, method, { parameters = [] }] of describedOf(api)) {
      const theirs = publishedByKey.get(keyOf(method, api, path));
      if (theirs === undefined) continue;
      const known = [
        ...theirs.query.map(({ name, required }) => `query ${name} ${required}`),
        ...theirs.headers.map(({ name, required }) => `header ${name} ${required}`),
      ];
      const ours = parameters.map((one) => `${one.in} ${one.name} ${one.required}`);
      t.same(
        known.filter((one) => !ours.includes(one) && !parameterGaps.has(one)),
        [],
        `${method} ${path}`,
      );
    }
    t.end();
  });

  t.test(`the ${api} document is the one that is served`, async (t) => {
    const network = await bootNetwork();
    const specs = api === 'fabric' ? [] : [`/specs/edge-${api}/spec`];
    for (const path of [...specs, '/swagger.json']) {
      const answer = await network.call('GET', prefixes[api] + path, { token: null });
      t.same(answer.json(), documents[api], path);
    }
    await network.stop();
  });
}

t.test('schemas with a title stand apart, under one name each', (t) => {
  const components = new Components();
  const inner = { title: 'inner', type: 'object', properties: { title: { type: 'string' } } };
  const reference = { $ref: '#/components/schemas/inner' };
  t.same(components.shared({ type: 'array', items: inner }), { type: 'array', items: reference });
  t.same(components.shared({ const: inner }), { const: inner }, 'values are left alone');
  t.same(components.shared(inner), reference, 'the same again is fine');
  t.throws(() => components.shared({ title: 'inner', type: 'string' }), /two schemas are named/);
  t.match(components.document(), { schemas: { inner: { type: 'object' } } });
  t.end();
});

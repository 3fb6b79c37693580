// Types that are printed: which types documents have, what is refused, and when they are printed.

import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { clientTypes } from '../../.ci/generate/client-types.ts';
import { messageTypes } from '../../.ci/generate/messages.ts';
import { printTypes } from '../../.ci/printed-types.ts';

const [apiTypes] = clientTypes;
if (apiTypes === undefined) throw new Error('no API has types');

/** An API with one schema, and one operation where there is one. */
function documentOf(schema: object, operation?: object): string {
  const paths = operation === undefined ? {} : { '/things/{id}': { get: operation } };
  return JSON.stringify({ paths, components: { schemas: { thing: schema } } });
}

/** The type of a schema, in one line. */
function typeOf(schema: object): string {
  const text = apiTypes?.print([documentOf(schema)]).replaceAll(/\s+/g, ' ') ?? '';
  return /schemas: \{ thing: (.*?); \}; responses/.exec(text)?.[1] ?? text;
}

t.test('the type of each form of a schema', async (t) => {
  const forms: readonly (readonly [object, string])[] = [
    [{}, 'unknown'],
    [{ type: 'string', minLength: 1, format: 'date-time' }, 'string'],
    [{ type: 'integer', minimum: 0 }, 'number'],
    [{ type: ['number', 'null'] }, 'number | null'],
    [{ type: 'array', items: { anyOf: [{ type: 'boolean' }, {}] } }, '(boolean | unknown)[]'],
    [{ type: ['array', 'null'], items: { type: 'string' } }, 'string[] | null'],
    [{ enum: ['a', '"b"'] }, '"a" | "\\"b\\""'],
    [{ type: 'string', const: 'OS' }, '"OS"'],
    [{ $ref: '#/components/schemas/link' }, 'components["schemas"]["link"]'],
    [{ type: 'object', properties: {} }, 'Record<string, never>'],
    [{ type: 'object', properties: {}, additionalProperties: true }, '{ [key: string]: unknown }'],
    [
      { type: 'object', patternProperties: { '^.*$': { type: 'number' } } },
      '{ [key: string]: number }',
    ],
    [
      {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, 'is-on': { type: 'boolean' } },
        additionalProperties: true,
      },
      '{ id: string; "is-on"?: boolean; } & { [key: string]: unknown }',
    ],
  ];
  for (const [schema, type] of forms) t.equal(typeOf(schema), type, JSON.stringify(schema));
  const described = { properties: { id: { type: 'string', description: 'An id */' } } };
  t.match(typeOf({ type: 'object', ...described }), '{ /** An id *\\/ */ id?: string; }');
});

t.test('the type of an operation', async (t) => {
  const name = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const limit = { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/thing' } } };
  const operation = {
    operationId: 'detailThing',
    summary: 'A thing',
    parameters: [name, limit],
    requestBody: { required: false, content },
    responses: {
      200: { description: 'Success', content },
      default: { description: 'No', content },
    },
  };
  const text = apiTypes.print([documentOf({ type: 'string' }, operation)]);
  for (const part of [
    '"/things/{id}": {\n\t\tparameters: {',
    '/** A thing */\n\t\tget: {',
    'query?: { limit?: number; };',
    'path: { id: string; };',
    'requestBody?: { content: { "application/json": components["schemas"]["thing"]; } };',
    '/** Success */\n\t\t\t\t200: {',
    'headers: { [name: string]: unknown; };',
  ]) {
    t.ok(text.includes(part), part);
  }
});

t.test('a word that is not known is an error', async (t) => {
  for (const [schema, message] of [
    [{ type: 'string', contentEncoding: 'base64' }, 'thing: the word contentEncoding is not known'],
    [{ allOf: [] }, 'thing: the word allOf is not known'],
    [{ type: 'file' }, 'thing: the type file is not known'],
    [{ anyOf: [{ type: 'string' }], type: 'string' }, 'thing: the word type is not known'],
    [{ $ref: '#/definitions/link' }, 'thing: #/definitions/link leads to no schema'],
    [
      { type: 'object', properties: { a: { type: 'array', items: { not: {} } } } },
      'thing.a: the word not is not known',
    ],
  ] as const) {
    t.throws(() => typeOf(schema), { message });
  }
  const text = documentOf({}, { summary: '', responses: {}, callbacks: {} });
  t.throws(() => apiTypes.print([text]), {
    message: 'get /things/{id}: the word callbacks is not known',
  });
});

t.test('the types of messages', async (t) => {
  const text = messageTypes.print([
    `syntax = "proto3"; package a;
    enum Kind { ONE = 0; TWO = 1; }
    message Outer { message Inner { double d = 1; } Inner inner = 1; Kind kind = 2; }
    message All {
      repeated Outer.Inner list = 1; map<uint32, bytes> data = 2; bool is = 3; int64 at = 4;
    }`,
  ]);
  for (const part of [
    'type Kind = 0 | 1;',
    'interface Outer { inner?: a.Outer.Inner.$Properties | null; kind: a.Kind; }',
    'namespace Inner { interface $Properties { d?: number | null; } }',
    'list: a.Outer.Inner.$Properties[];',
    'data?: { [key: string]: Uint8Array } | null;',
    'is: boolean;',
    'at?: number | null;',
    'readonly Kind: { readonly ONE: 0; readonly TWO: 1; };',
    'readonly All: Codec<a.All.$Properties, a.All>;',
  ]) {
    t.ok(text.includes(part), part);
  }
  t.throws(
    () => messageTypes.print(['syntax = "proto3"; message A { oneof b { bool c = 1; } }']),
    /\.A\.c is one of several/,
  );
});

t.test('types are printed when their source has changed', async (t) => {
  const [source = ''] = apiTypes.sources;
  const root = t.testdir({ docs: { generated: {} } });
  const target = join(root, apiTypes.file);
  const write = (schema: object, writtenAt: number) => {
    writeFileSync(join(root, source), documentOf(schema));
    utimesSync(join(root, source), writtenAt, writtenAt);
  };
  printTypes(root);
  t.throws(() => readFileSync(target), 'there is no source');
  write({ type: 'string' }, 1_000_000_000);
  printTypes(root);
  t.match(readFileSync(target, 'utf8'), 'thing: string;');
  writeFileSync(target, 'marked');
  printTypes(root);
  t.equal(readFileSync(target, 'utf8'), 'marked', 'they are up to date');
  write({ type: 'boolean' }, 1_000_000_002);
  utimesSync(target, 1_000_000_001, 1_000_000_001);
  printTypes(root);
  t.match(readFileSync(target, 'utf8'), 'thing: boolean;');
  rmSync(target);
  printTypes(root);
  t.match(readFileSync(target, 'utf8'), 'thing: boolean;');
});

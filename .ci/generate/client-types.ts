// src/client/generated/: the types of all APIs for the client, printed from their OpenAPI
// documents in the form that openapi-fetch reads.

import { apiNames } from '../../src/declare/operations/apis.ts';
import { membersOf, type PrintedTypes } from './declarations.ts';

/** The types of all APIs. */
export const clientTypes: readonly PrintedTypes[] = apiNames.map((api) => ({
  file: `src/client/generated/${api}.d.ts`,
  sources: [`docs/generated/openapi-${api}.json`],
  printer: import.meta.filename,
  print: ([document = '']) => printed(JSON.parse(document)),
}));

interface OpenApiDocument {
  readonly paths: Named<Named<Operation>>;
  readonly components: { readonly schemas: Named<Schema> };
}

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Named<Answer>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Answer {
  readonly description: string;
  readonly headers?: Named<{ readonly description: string; readonly schema: Schema }>;
  readonly content: Content;
}

type Content = Named<{ readonly schema?: Schema }>;

interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Named<Schema>;
  readonly required?: readonly string[];
  readonly patternProperties?: Named<Schema>;
  readonly additionalProperties?: boolean;
  readonly description?: string;
}

type Named<Value> = Readonly<Record<string, Value>>;

/** @throws Error for a word that is not known here */
function printed({ paths, components }: OpenApiDocument): string {
  const pathTypes = Object.entries(paths).map(([path, operations]) =>
    member(path, pathType(path, operations)),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    member(name, typeOf(schema, name), schema),
  );
  const none = ['responses', 'parameters', 'requestBodies', 'headers', 'pathItems'];
  const parts = [
    member('schemas', membersOf(schemas)),
    ...none.map((name) => member(name, 'never')),
  ];
  return `// Made from the OpenAPI document by .ci/generate/client-types.ts. Do not edit.
export interface paths ${membersOf(pathTypes)}
export interface components ${membersOf(parts)}
`;
}

function pathType(path: string, operations: Named<Operation>): string {
  expectWords(operations, ['get', 'put', 'post', 'patch', 'delete'], path);
  const types = Object.entries(operations).map(([method, operation]) =>
    member(method, operationType(operation, `${method} ${path}`), {
      description: operation.summary,
    }),
  );
  return membersOf([member('parameters', parametersType([], path)), ...types]);
}

function operationType(operation: Operation, at: string): string {
  const texts = ['operationId', 'summary', 'security', 'x-permissions'];
  expectWords(operation, [...texts, 'parameters', 'requestBody', 'responses'], at);
  const { parameters = [], requestBody: body, responses } = operation;
  if (body !== undefined) expectWords(body, ['required', 'content'], at);
  const answers = Object.entries(responses).map(([status, answer]) =>
    member(status, answerType(answer, `${at}: ${status}`), answer),
  );
  return membersOf([
    member('parameters', parametersType(parameters, at)),
    body === undefined
      ? member('requestBody', 'never', { isOptional: true })
      : member('requestBody', `{ content: ${contentType(body.content, at)} }`, {
          isOptional: !body.required,
        }),
    member('responses', membersOf(answers)),
  ]);
}

function parametersType(all: readonly Parameter[], at: string): string {
  for (const one of all) expectWords(one, ['name', 'in', 'required', 'description', 'schema'], at);
  const places = ['query', 'header', 'path', 'cookie'].map((place) => {
    const present = all.filter((one) => one.in === place);
    if (present.length === 0) return member(place, 'never', { isOptional: true });
    const types = present.map(({ name, required, description, schema }) =>
      member(name, typeOf(schema, `${at}: ${name}`), { isOptional: !required, description }),
    );
    return member(place, membersOf(types), { isOptional: !present.some((one) => one.required) });
  });
  return membersOf(places);
}

function answerType(answer: Answer, at: string): string {
  expectWords(answer, ['description', 'headers', 'content'], at);
  const { headers = {}, content } = answer;
  const types = Object.entries(headers).map(([name, { description, schema }]) =>
    member(name, typeOf(schema, `${at}: ${name}`), { isOptional: true, description }),
  );
  return membersOf([
    member('headers', membersOf([...types, '[name: string]: unknown;'])),
    member('content', contentType(content, at)),
  ]);
}

function contentType(content: Content, at: string): string {
  const types = Object.entries(content).map(([type, media]) => {
    expectWords(media, ['schema'], at);
    return member(type, typeOf(media.schema ?? {}, at));
  });
  return membersOf(types);
}

/** A word that a type is made from, and those that may stand beside it. */
interface Shape {
  readonly word: string;
  readonly beside: readonly string[];
  print(schema: Schema, at: string): string;
}

const shapes: readonly Shape[] = [
  { word: '$ref', beside: [], print: referredType },
  {
    word: 'anyOf',
    beside: [],
    print: ({ anyOf = [] }, at) => anyOf.map((one) => typeOf(one, at)).join(' | '),
  },
  { word: 'const', beside: ['type'], print: (schema) => JSON.stringify(schema.const) },
  {
    word: 'enum',
    beside: ['type'],
    print: (schema) => (schema.enum ?? []).map((one) => JSON.stringify(one)).join(' | '),
  },
  {
    word: 'type',
    beside: ['items', 'properties', 'required', 'patternProperties', 'additionalProperties'],
    print: (schema, at) => {
      const types = [schema.type ?? []].flat();
      return types.map((type) => namedType(type, schema, at)).join(' | ');
    },
  },
];

/** Words of a schema that make no difference to its type. */
const remarks =
  'description format pattern minLength maxLength minimum maximum minItems maxItems x-blank x-aliases x-discriminator'.split(
    ' ',
  );

function typeOf(schema: Schema, at: string): string {
  const shape = shapes.find(({ word }) => word in schema);
  const words = shape === undefined ? [] : [shape.word, ...shape.beside];
  expectWords(schema, [...words, ...remarks], at);
  return shape?.print(schema, at) ?? 'unknown';
}

function referredType({ $ref = '' }: Schema, at: string): string {
  const name = /^#\/components\/schemas\/(\w+)$/.exec($ref)?.[1];
  if (name === undefined) throw new Error(`${at}: ${$ref} leads to no schema`);
  return `components["schemas"]["${name}"]`;
}

function namedType(type: string, schema: Schema, at: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayType(schema, at);
    case 'object':
      return objectType(schema, at);
    default:
      throw new Error(`${at}: the type ${type} is not known`);
  }
}

function arrayType({ items = {} }: Schema, at: string): string {
  const type = typeOf(items, at);
  return type.includes(' | ') ? `(${type})[]` : `${type}[]`;
}

/** Names that are declared, and any others. */
function objectType(schema: Schema, at: string): string {
  const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema;
  const members = Object.entries(properties).map(([name, property]) =>
    member(name, typeOf(property, `${at}.${name}`), {
      ...property,
      isOptional: !required.includes(name),
    }),
  );
  const others = Object.values(patternProperties).map((property) => typeOf(property, at));
  if (additionalProperties === true) others.push('unknown');
  const types = members.length === 0 ? [] : [membersOf(members)];
  if (others.length > 0) types.push(`{ [key: string]: ${others.join(' | ')} }`);
  return types.length === 0 ? 'Record<string, never>' : types.join(' & ');
}

/** A member of a type, with what is said about it. */
function member(
  name: string,
  type: string,
  { isOptional = false, description = '' }: { isOptional?: boolean; description?: string } = {},
): string {
  const comment = description === '' ? '' : `/** ${description.replaceAll('*/', '*\\/')} */\n`;
  const key = /^(\d+|[A-Za-z_]\w*)$/.test(name) ? name : JSON.stringify(name);
  return `${comment}${key}${isOptional ? '?' : ''}: ${type};`;
}

function expectWords(value: object, words: readonly string[], at: string): void {
  const unknown = Object.keys(value).find((word) => !words.includes(word));
  if (unknown !== undefined) throw new Error(`${at}: the word ${unknown} is not known`);
}

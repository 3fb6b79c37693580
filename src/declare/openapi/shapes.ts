// The shapes that many operations share: envelopes, pages, and parameters of lists.

import type { AnyOperation, BareAnswer } from '../operations/operation.ts';
import { linksSchema } from '../resources/answers.ts';
import { type Components, type Json, plainMeta } from './components.ts';

/** `content` of an operation's success. */
export function successContent(operation: AnyOperation, components: Components): Json {
  const { answer, success, isList, rawAnswers } = operation;
  if (typeof answer === 'object' && 'bare' in answer) return bareContent(answer);
  const meta = components.named(isList ? 'listMeta' : 'meta', isList ? listMeta : plainMeta);
  const given = typeof answer === 'function' ? answer() : answer;
  const data = given ?? (success === 201 ? createdSchema : emptySchema);
  const properties = { data: components.shared(data), meta };
  return {
    'application/json': {
      schema: { type: 'object', required: ['data', 'meta'], properties },
    },
    ...rawContent(rawAnswers),
  };
}

/** `content` of bodies and answers without envelope, by content type. */
export function rawContent(types: readonly string[] = []): Json {
  return Object.fromEntries(types.map((type) => [type, { schema: text }]));
}

/** The content of such answers is defined by their type. */
function bareContent({ bare }: BareAnswer): Json {
  const types = typeof bare === 'string' ? [bare] : bare;
  return Object.fromEntries(types.map((type) => [type, bareMedia(type)]));
}

function bareMedia(type: string): Json {
  // OpenAPI 3.1 cannot describe a stream of events: a schema would apply to each event.
  if (type === 'text/event-stream') return {};
  const isJson = type.includes('json');
  return { schema: isJson ? { type: 'object', additionalProperties: true } : text };
}

const text = { type: 'string' };
const integer = { type: 'integer' };

/** The parameters of every list (behaviour/lists). */
export const listParameters: readonly (Json & { readonly name: string })[] = [
  {
    name: 'limit',
    in: 'query',
    required: false,
    schema: integer,
    description: 'Rows of a page; -1 for all of them',
  },
  {
    name: 'offset',
    in: 'query',
    required: false,
    schema: integer,
    description: 'Rows to pass over before the page',
  },
  {
    name: 'filter',
    in: 'query',
    required: false,
    schema: text,
    description: 'A condition on `filterableFields`, as in `name contains "x" sort by name`',
  },
  {
    name: 'sort',
    in: 'query',
    required: false,
    schema: text,
    description: 'The order: fields, each with `asc` or `desc`',
  },
];

/** `{}`: the answer of updates, deletions and most actions. */
const emptySchema = { title: 'empty', type: 'object', properties: {} };

/** The answer of a creation. */
const createdSchema = {
  title: 'created',
  type: 'object',
  required: ['_links', 'id'],
  properties: { _links: linksSchema, id: text },
};

const listMeta = {
  ...plainMeta,
  required: [...plainMeta.required, 'filterableFields', 'pagination'],
  properties: {
    ...plainMeta.properties,
    filterableFields: { type: 'array', items: text },
    pagination: {
      type: 'object',
      required: ['limit', 'offset', 'totalCount'],
      properties: { limit: integer, offset: integer, totalCount: integer },
    },
  },
};

// The OpenAPI 3.1 document of an API, made from the declared operations.

import type { TSchema } from 'typebox';
import { version } from '../version.ts';
import { type ApiName, basePaths, type Operation } from './operation.ts';

type Json = Readonly<Record<string, unknown>>;

/** The document of one API; plain JSON. */
export function openApiOf(api: ApiName, operations: readonly Operation[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    if (!operation.apis.includes(api)) continue;
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = operationOf(operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `Edge Control ${api} API`,
      version,
      description: `The ${api} API of an Edge Control controller.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePaths[api] }],
    paths,
    components: {
      securitySchemes: {
        ztSession: { type: 'apiKey', in: 'header', name: 'zt-session' },
        netSession: { type: 'apiKey', in: 'header', name: 'net-session' },
      },
      schemas: { error: errorSchema },
    },
  };
}

function operationOf(operation: Operation): Json {
  const responses: Record<string, Json> = {
    [operation.success]: { description: 'Success', content: successContent(operation) },
  };
  for (const status of operation.errors) responses[status] = errorResponse;
  // Statuses that no list names (decision 31).
  responses['default'] = errorResponse;
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.access === 'public'
      ? { security: [] }
      : { security: [{ ztSession: [] }, { netSession: [] }] }),
    ...parametersOf(operation),
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            required: !operation.bodyOptional,
            content: { [operation.bodyType ?? 'application/json']: { schema: operation.body } },
          },
        }),
    responses,
  };
}

function parametersOf({ path, query, isList }: Operation): Json {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const paging: Readonly<Record<string, Json>> = isList
    ? { limit: integerSchema, offset: integerSchema }
    : {};
  const inQuery = Object.entries<TSchema | Json>({ ...paging, ...query }).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
  }));
  const parameters = [...inPath, ...inQuery];
  return parameters.length === 0 ? {} : { parameters };
}

function successContent({ answer, isList }: Operation): Json {
  if (answer !== undefined && 'bare' in answer) {
    return { [String(answer.bare)]: { schema: {} } };
  }
  const meta = isList ? listMetaSchema : metaSchema;
  const data = answer ?? { type: 'object' };
  return {
    'application/json': {
      schema: { type: 'object', required: ['data', 'meta'], properties: { data, meta } },
    },
  };
}

const integerSchema = { type: 'integer' };
const text = { type: 'string' };

const metaSchema = {
  type: 'object',
  properties: { apiEnrollmentVersion: text, apiVersion: text },
};

const listMetaSchema = {
  type: 'object',
  properties: {
    ...metaSchema.properties,
    filterableFields: { type: 'array', items: text },
    pagination: {
      type: 'object',
      required: ['limit', 'offset', 'totalCount'],
      properties: { limit: integerSchema, offset: integerSchema, totalCount: integerSchema },
    },
  },
};

const errorSchema = {
  type: 'object',
  required: ['error', 'meta'],
  properties: {
    error: {
      type: 'object',
      properties: { code: text, message: text, requestId: text, cause: { type: 'object' } },
    },
    meta: metaSchema,
  },
};

const errorResponse = {
  description: 'Refused',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/error' } } },
};

// The OpenAPI 3.1 document of an API, made from the declared operations.

import type { TSchema } from 'typebox';
import { version } from '../../platform/version.ts';
import { type ApiName, basePaths } from '../operations/apis.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { Components, type Json } from './components.ts';
import { listParameters, rawContent, successContent } from './shapes.ts';

/** The document of one API; plain JSON. @throws Error when two schemas share a name. */
export function openApiOf(api: ApiName, operations: readonly AnyOperation[]): Json {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    if (!operation.apis.includes(api)) continue;
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = operationOf(operation, components, api);
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
    components: components.document(),
  };
}

function operationOf(operation: AnyOperation, components: Components, api: ApiName): Json {
  const { id, summary, access, success, errors, body, bodyOptional, bodyType } = operation;
  const responses: Record<string, Json> = {
    [success]: { description: 'Success', content: successContent(operation, components) },
  };
  for (const status of errors) responses[status] = components.refusal(status);
  // Statuses that no list names (behaviour/errors#undeclared-statuses).
  responses['default'] = components.refusal();
  const parameters = parametersOf(operation, components);
  const content = {
    [bodyType ?? 'application/json']: { schema: components.shared(body ?? {}) },
    ...rawContent(operation.rawTypes),
  };
  return {
    operationId: id,
    summary,
    // Either of the two headers is sufficient (behaviour/api-sessions#tokens).
    security: access === 'public' ? [] : [{ ztSession: [] }, { netSession: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: !bodyOptional, content } }),
    responses,
    ...rightsOf(operation, api),
  };
}

/** The permissions that open an operation for administrators (behaviour/permissions#operations). */
function rightsOf({ access, openedBy }: AnyOperation, api: ApiName): Json {
  if (access !== 'admin' && access !== 'admin-or-403') return {};
  return { 'x-permissions': api === 'client' ? [] : openedBy };
}

function parametersOf(operation: AnyOperation, components: Components): Json[] {
  const { path, query = {}, queryRequired = [], headers = {}, isList } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries<TSchema | Json>(query).map(([name, schema]) => ({
    name,
    in: 'query',
    required: queryRequired.includes(name),
    schema: components.shared(schema),
  }));
  const inHeaders = Object.entries(headers).map(([name, schema]) => ({
    name,
    in: 'header',
    required: false,
    schema: components.shared(schema),
  }));
  const ofLists = isList === true ? listParameters.filter(({ name }) => !(name in query)) : [];
  return [...inPath, ...ofLists, ...inQuery, ...inHeaders];
}

// Checks answers against our own OpenAPI documents.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { operations } from '../../../src/assembly/operations.ts';
import { openApiOf } from '../../../src/declare/openapi/openapi.ts';
import { type ApiName, perApi } from '../../../src/declare/operations/apis.ts';
import type { AnyOperation } from '../../../src/declare/operations/operation.ts';
import type { Answer } from '../../simulated/network.ts';

type Json = Readonly<Record<string, unknown>>;

/** The documents, as they are served. */
export const documents: Readonly<Record<ApiName, Json>> = perApi(
  (api) => JSON.parse(JSON.stringify(openApiOf(api, operations))) as Json,
);

const ajv = new Ajv2020({
  strict: false,
  allowUnionTypes: true,
  verbose: true,
  // A validator sees a few answers: optimizing it takes longer.
  code: { optimize: false },
});
formats.default(ajv);
for (const [api, document] of Object.entries(documents)) {
  ajv.addSchema(closed(document) as Json, api);
}

const compiled = new Map<string, ValidateFunction>();

/** What is wrong with an answer by the response that the document declares for its status. */
export function descriptionProblem(
  api: ApiName,
  { method, path }: AnyOperation,
  { status, headers, json }: Pick<Answer, 'status' | 'headers' | 'json'>,
): string | undefined {
  const at = ['paths', path, method.toLowerCase(), 'responses'];
  const responses = valueAt(documents[api], at) as Json;
  const name = String(status) in responses ? String(status) : 'default';
  const type = headers['content-type'] ?? '';
  const content = valueAt(responses, [name, 'content']) as Json;
  if (!(type in content)) return `${type} is not declared for ${status}`;
  if (!type.includes('json')) return undefined;
  const pointer = [...at, name, 'content', type, 'schema'].map(escaped).join('/');
  const validate = validatorOf(`${api}#/${pointer}`);
  if (validate(json())) return undefined;
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message, params, data }) =>
      `${instancePath} ${message} ${JSON.stringify(params)}: ${JSON.stringify(data)?.slice(0, 200)}`,
  );
  return `not as described: ${problems.slice(0, 5).join('\n')}`;
}

function validatorOf(reference: string): ValidateFunction {
  let validate = compiled.get(reference);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: reference });
    compiled.set(reference, validate);
  }
  return validate;
}

/** A segment of a JSON pointer within a URI fragment (RFC 6901 §6). */
function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Json)[key], value);
}

/**
 * The same document whose objects hold what is listed and nothing else, so that a field nobody
 * described is found.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  const isOpen = 'additionalProperties' in copy || 'patternProperties' in copy;
  return copy['type'] !== 'object' || isOpen ? copy : { ...copy, additionalProperties: false };
}

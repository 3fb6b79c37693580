// The published API as data: its operations, and the form of their answers.

import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { ApiName } from '../../../src/declare/operations/apis.ts';

/** A parameter of an operation. */
export interface PublishedParameter {
  readonly name: string;
  readonly required: boolean;
}

/** One operation as `api/operations.json` describes it, as far as tests read it. */
export interface PublishedOperation {
  readonly api: ApiName;
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly access: 'public' | 'client-cert' | 'session-partial' | 'session' | 'admin';
  readonly query: readonly PublishedParameter[];
  readonly headers: readonly PublishedParameter[];
  readonly responses: Readonly<Record<string, { readonly schema?: object | null }>>;
  /** Statuses that the specification names; empty beyond it. */
  readonly seedStatuses?: readonly string[];
}

/** The orders to a cluster are refused with 400 for whatever reason (behaviour/fabric). */
const unlikeInClusters: ReadonlySet<string> = new Set(['404', '500']);

const apiFile = (name: string) => new URL(`../api/${name}`, import.meta.url);
const json = (name: string): unknown => JSON.parse(readFileSync(apiFile(name), 'utf8'));

/**
 * Every published operation. In the fabric API every status but 503 is one of the specification:
 * nothing that a request asks for leads to that.
 */
export const published: readonly PublishedOperation[] = [
  ...(json('operations.json') as readonly PublishedOperation[]),
  ...(json('fabric-operations.json') as readonly PublishedOperation[]).map((one) => {
    const isOfCluster = one.path.startsWith('/cluster/');
    const seedStatuses = Object.keys(one.responses).filter(
      (status) => status !== '503' && !(isOfCluster && unlikeInClusters.has(status)),
    );
    return { ...one, seedStatuses };
  }),
];

/**
 * `GET management /identities/{}`: what an operation is found by, whatever its parameters' names.
 */
export function keyOf(method: string, api: ApiName, path: string): string {
  return `${method} ${api} ${path.replace(/\{[^}]+\}/g, '{}')}`;
}

/** Every published operation by its key. */
export const publishedByKey: ReadonlyMap<string, PublishedOperation> = new Map(
  published.map((one) => [keyOf(one.method, one.api, one.path), one]),
);

const details = '#/definitions/dataIntegrityCheckDetails';

/** What succeeds with another schema than the published one. */
const answeredAs: Readonly<Record<string, object>> = {
  // Newer clients know a third one (behaviour/information#capabilities).
  listEnumeratedCapabilities: {
    type: 'object',
    required: ['data', 'meta'],
    properties: {
      data: {
        type: 'array',
        items: { enum: ['OIDC_AUTH', 'HA_CONTROLLER', 'OIDC_AUTH_WITH_CSR'] },
      },
      meta: { $ref: '#/definitions/meta' },
    },
  },
  // Published with service policies, which have a path of their own here (behaviour/policies).
  listEdgeRouterServiceEdgeRouterPolicies: {
    $ref: '#/definitions/listServiceEdgeRouterPoliciesEnvelope',
  },
  // Published with times that there are always; before they have come they are left out
  // (behaviour/database#integrity).
  dataIntegrityResults: {
    type: 'object',
    required: ['data', 'meta'],
    properties: {
      data: {
        type: 'object',
        required: ['error', 'fixingErrors', 'inProgress', 'results', 'tooManyErrors'],
        properties: Object.fromEntries(
          [
            'endTime',
            'error',
            'fixingErrors',
            'inProgress',
            'results',
            'startTime',
            'tooManyErrors',
          ].map((name) => [name, { $ref: `${details}/properties/${name}` }]),
        ),
      },
      meta: { $ref: '#/definitions/meta' },
    },
  },
};

interface Definition {
  readonly properties: Readonly<Record<string, object>>;
}

/** A list that was never set (behaviour/records#lists-that-were-never-set). */
const listOrNull = { type: ['array', 'null'], items: { type: 'string' } };

/** Properties that the peer answers with more values than are published. */
const widened: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  // Published without `other` (behaviour/configs#targets).
  configTypeDetail: { target: { enum: ['service', 'router', 'other'] } },
  // Published as a text, which a router without a certificate does not have
  // (behaviour/routers#one-space).
  routerDetail: { fingerprint: { type: ['string', 'null'] }, configs: listOrNull },
  edgeRouterDetail: { configs: listOrNull },
  serviceDetail: { configs: listOrNull },
  caDetail: { identityRoles: listOrNull },
  servicePolicyDetail: {
    identityRoles: listOrNull,
    serviceRoles: listOrNull,
    postureCheckRoles: listOrNull,
  },
  edgeRouterPolicyDetail: { identityRoles: listOrNull, edgeRouterRoles: listOrNull },
  serviceEdgeRouterPolicyDetail: { edgeRouterRoles: listOrNull, serviceRoles: listOrNull },
};

/** The published definitions, with those properties in place of the published ones. */
function readDefinitions(): object {
  const { definitions: all, ...rest } = json('schemas.json') as {
    readonly definitions: Readonly<Record<string, Definition>>;
  };
  const replaced = Object.entries(widened).map(([name, properties]) => {
    const { [name]: published } = all;
    return [name, { ...published, properties: { ...published?.properties, ...properties } }];
  });
  return { ...rest, definitions: { ...all, ...Object.fromEntries(replaced) } };
}

/** What is null for want of a value, which the fabric's definitions do not say. */
const nullableInFabric: ReadonlySet<string> = new Set([
  'path',
  'configs',
  'errors',
  'fingerprint',
  'values',
]);

/** The definitions of the fabric API, which have names in common with the others. */
function readFabricDefinitions(): object {
  const text = readFileSync(apiFile('fabric-schemas.json'), 'utf8');
  return JSON.parse(text, (name, value) => {
    // A word of OpenAPI that JSON Schema does not have.
    if (name === 'nullable') return undefined;
    // Lists are shown as such (behaviour/fabric#inspections).
    if (name === 'value' && Array.isArray(value?.type)) return {};
    // Published as objects, while tags are texts and flags.
    if (name === 'subTags') return { type: 'object' };
    const isNullable = nullableInFabric.has(name) && typeof value?.type === 'string';
    return isNullable ? { ...value, type: [value.type, 'null'] } : value;
  }) as object;
}

const definitions = readDefinitions();
const ajv = new Ajv({
  discriminator: true,
  allowUnionTypes: true,
  strict: false,
  verbose: true,
  // A validator sees a few answers: optimizing it takes longer.
  code: { optimize: false },
});
formats.default(ajv);
// Links are relative (behaviour/answers#links), which `uri` of RFC 3986 does not take.
ajv.addFormat('uri', formats.default.get('uri-reference'));
// A signer without a log-in page must show one, by edge-api, and may not show null.
ajv.addFormat('url', formats.default.get('uri-reference'));
ajv.addVocabulary(['x-seed', 'x-beyondSeeds', 'x-discriminator', 'x-ghostRequired', 'x-source']);
ajv.addSchema(definitions, 'edge');
ajv.addSchema(readFabricDefinitions(), 'fabric');

const compiled = new WeakMap<object, ValidateFunction>();

/** What is wrong with an answer's body, by the schema of its operation and status. */
export function answerProblem(
  operation: PublishedOperation,
  status: number,
  body: unknown,
): string | undefined {
  const { api, operationId, responses } = operation;
  const schema = answeredAs[operationId] ?? responses[String(status)]?.schema;
  if (schema === null) return undefined;
  if (schema === undefined) return `status ${status} has no schema`;
  return schemaProblem(schema, body, api === 'fabric' ? 'fabric' : 'edge');
}

/** What is wrong with a value by a definition of `api/schemas.json`, wherever it is answered. */
export function definitionProblem(name: string, value: unknown): string | undefined {
  let schema = references.get(name);
  if (schema === undefined) {
    schema = { $ref: `#/definitions/${name}` };
    references.set(name, schema);
  }
  return schemaProblem(schema, value);
}

const references = new Map<string, object>();

function schemaProblem(
  schema: object,
  body: unknown,
  family: 'edge' | 'fabric' = 'edge',
): string | undefined {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    const text = JSON.stringify(schema).replaceAll('"#/definitions/', `"${family}#/definitions/`);
    validate = ajv.compile(JSON.parse(text) as object);
    compiled.set(schema, validate);
  }
  if (validate(body)) return undefined;
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message, params, data }) =>
      `${instancePath} ${message} ${JSON.stringify(params)}: ${JSON.stringify(data)?.slice(0, 200)}`,
  );
  return problems.slice(0, 5).join('\n');
}

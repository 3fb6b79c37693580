// Public information: version, capabilities, protocols, API descriptions (behaviour/information).

import Type from 'typebox';
import { openApiOf } from '../../declare/openapi/openapi.ts';
import { apiNames, basePaths, oidcPath } from '../../declare/operations/apis.ts';
import { detail, type Reply } from '../../declare/operations/operation.ts';
import { baseProperties } from '../../declare/resources/answers.ts';
import { isoTime } from '../../declare/resources/view.ts';
import { notFound } from '../../errors/errors.ts';
import { buildDate, version } from '../../platform/version.ts';
import { apiSessionKind, keepsJwts } from '../../records/api-session.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { routerCapabilities } from '../routers/presence.ts';

const both = ['client', 'management'] as const;

const open = (id: string, path: string, summary: string) =>
  ({
    id,
    apis: both,
    path,
    answered: 'own',
    access: 'public',
    summary,
    errors: [],
  }) as const;

const versionSchema = Type.Object({
  apiVersions: Type.Record(Type.String(), Type.Unknown()),
  buildDate: Type.String(),
  capabilities: Type.Array(Type.String()),
  revision: Type.String(),
  runtimeVersion: Type.String(),
  version: Type.String(),
});

const specSchema = Type.Object({ ...baseProperties, name: Type.String() }, { title: 'specDetail' });

/**
 * The capabilities that a controller of this API may announce (behaviour/information#capabilities).
 */
const knownCapabilities = '["OIDC_AUTH","HA_CONTROLLER","OIDC_AUTH_WITH_CSR"]';

/** The capabilities that a router may announce (behaviour/information#capabilities). */
const knownRouterCapabilities = JSON.stringify([...routerCapabilities.values()]);

/** The operations. */
export const information: readonly Operation[] = [
  operation({
    ...open('listVersion', '/version', 'Version of the controller and its APIs'),
    answer: versionSchema,
    decide: versionReply,
  }),
  operation({
    ...open('listRoot', '/', 'Version of the controller and its APIs'),
    answer: versionSchema,
    decide: versionReply,
  }),
  operation({
    ...open('listEnumeratedCapabilities', '/enumerated-capabilities', 'Known capabilities'),
    answer: Type.Array(Type.String()),
    decide: () => detail([knownCapabilities]),
  }),
  operation({
    id: 'listEnumeratedRouterCapabilities',
    apis: both,
    path: '/enumerated-router-capabilities',
    answered: 'here',
    access: 'full',
    summary: 'Known capabilities of routers',
    answer: Type.Array(Type.String()),
    errors: [401],
    decide: () => detail([knownRouterCapabilities]),
  }),
  operation({
    ...open('listProtocols', '/protocols', 'Where the API is served, by protocol'),
    apis: ['client'],
    answer: Type.Record(Type.String(), Type.Object({ address: Type.String() })),
    errors: [429],
    decide: (context) => {
      const address = JSON.stringify(context.env.addresses.authority);
      return detail([`{"https":{"address":${address}}}`]);
    },
  }),
  operation({
    ...open('listSpecs', '/specs', 'Descriptions of this API'),
    answer: Type.Array(specSchema),
    isList: true,
    decide(context) {
      const text = specText(context);
      const list = { limit: 1, offset: 0, totalCount: 1, filterableFields: ['id'] };
      return { form: 'data', status: 200, data: [`[${text}]`], list };
    },
  }),
  operation({
    ...open('detailSpec', '/specs/{id}', 'One description of this API'),
    answer: specSchema,
    errors: [404],
    decide(context) {
      requireSpec(context);
      return detail([specText(context)]);
    },
  }),
  operation({
    ...open('detailSpecBody', '/specs/{id}/spec', 'The OpenAPI document'),
    answer: { bare: ['application/json', 'text/yaml'] },
    errors: [404],
    decide(context) {
      requireSpec(context);
      // JSON is YAML 1.2 (yaml.org/spec/1.2.2 §1.2), so one text serves both.
      return documentReply(context, asksForYaml(context) ? 'text/yaml' : 'application/json');
    },
  }),
  operation({
    ...open('swaggerDocument', '/swagger.json', 'The OpenAPI document'),
    apis: apiNames,
    answer: { bare: 'application/json' },
    decide: (context) => documentReply(context),
  }),
];

const versionTexts = new WeakMap<object, Record<'announced' | 'silent', string>>();

function versionReply(context: Context): Reply {
  const { addresses } = context.env;
  let texts = versionTexts.get(addresses);
  if (texts === undefined) {
    const { url } = addresses;
    texts = { announced: versionText(url, true), silent: versionText(url, false) };
    versionTexts.set(addresses, texts);
  }
  return detail([announcesOidc(context) ? texts.announced : texts.silent]);
}

/** Whether clients of the API of a request are told of OIDC (behaviour/oidc#announcing). */
export function announcesOidc({ env, api }: Pick<Context, 'env' | 'api'>): boolean {
  const { announce } = env.config.oidc;
  // While a cluster is upgraded, nodes of the former release could not read what a login writes.
  if (!keepsJwts(env.store.table(apiSessionKind))) return false;
  return announce === 'all' || (announce === 'management' && api === 'management');
}

function versionText(url: string, isOidcAnnounced: boolean): string {
  const entry = (path: string, base = `${url}${path}`) => ({
    v1: { apiBaseUrls: [base], path, version: 'v1' },
  });
  return JSON.stringify({
    apiVersions: {
      edge: entry(basePaths.client),
      'edge-client': entry(basePaths.client),
      'edge-management': entry(basePaths.management),
      // Clients append the path themselves here (behaviour/fabric#where-it-is).
      fabric: entry(basePaths.fabric, url),
      ...(isOidcAnnounced ? { 'edge-oidc': entry(oidcPath) } : {}),
    },
    buildDate,
    capabilities: isOidcAnnounced ? ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'] : [],
    revision: `v${version}`,
    runtimeVersion: `node ${process.version}`,
    version: `v${version}`,
  });
}

function specId(context: Context): string {
  return `edge-${context.api}`;
}

function specText(context: Context): string {
  const id = specId(context);
  const at = isoTime(context.env.addresses.startedAt);
  const self = `./specs/${id}`;
  return JSON.stringify({
    _links: { self: { href: self }, spec: { href: `${self}/spec` } },
    createdAt: at,
    id,
    name: id,
    tags: {},
    updatedAt: at,
  });
}

function requireSpec(context: Context): void {
  const id = context.params['id'] ?? '';
  if (id !== specId(context)) throw notFound('spec', id);
}

/** Whether `Accept` names YAML and not JSON. */
function asksForYaml({ request }: Context): boolean {
  const accept = request.header('accept').toLowerCase();
  return accept.includes('yaml') && !accept.includes('json');
}

const documents = new Map<string, string>();

function documentReply(context: Context, contentType = 'application/json'): Reply {
  let body = documents.get(context.api);
  if (body === undefined) {
    body = JSON.stringify(openApiOf(context.api, context.env.registry.operations));
    documents.set(context.api, body);
  }
  return { form: 'bare', status: 200, contentType, body };
}

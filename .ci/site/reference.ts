// The reference of an API, made from its OpenAPI document: a page of all operations, a page per
// resource, and a page of the schemas.

import type { ApiName } from '../../src/declare/operations/apis.ts';
import { bodyCheckOf } from './body-check.ts';
import type { Example, ExamplesOf } from './examples.ts';
import { addressOf, escaped, table } from './html.ts';
import { codeBlock } from './markdown.ts';
import type { Content, OpenApi, Operation, Schema } from './openapi.ts';
import {
  fieldsTable,
  hasFields,
  inProse,
  requiredMark,
  type SchemaAddress,
  typeOf,
} from './schema.ts';
import type { Heading, SitePage } from './site-page.ts';

/** An API with its document. */
export interface DescribedApi {
  readonly name: ApiName;
  readonly document: OpenApi;
  readonly examplesOf: ExamplesOf;
}

interface Described {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly example: Example | undefined;
}

/** All pages of the reference, the one of all operations first. */
export function referencePages(api: DescribedApi): readonly SitePage[] {
  const isFitting = bodyCheckOf(api.document);
  const byResource = new Map<string, Described[]>();
  for (const [path, operations] of Object.entries(api.document.paths)) {
    const resource = resourceOf(path);
    const all = byResource.get(resource) ?? [];
    for (const [name, operation] of Object.entries(operations)) {
      const method = name.toUpperCase();
      const examples = api.examplesOf(api.name, method, path);
      const example = examples.find(({ request }) => isFitting(operation, request));
      all.push({ method, path, operation, example });
    }
    byResource.set(resource, all);
  }
  for (const operations of byResource.values()) operations.sort(inOrder);
  const resources = [...byResource].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    overviewPage(api, resources),
    ...resources.map(([resource, operations]) => resourcePage(api, resource, operations)),
    schemasPage(api),
  ];
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function inOrder(a: Described, b: Described): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return methods.indexOf(a.method) - methods.indexOf(b.method);
}

/** The first part of a path, without the dot of a hidden file; `root` for `/`. */
function resourceOf(path: string): string {
  const [, first = ''] = path.split('/');
  return first.replace(/^\./, '') || 'root';
}

function fileOf({ name }: DescribedApi, page: string): string {
  return `api/${name}/${page}.html`;
}

function schemaAddress(api: DescribedApi, page: string): SchemaAddress {
  return (name) => addressOf(page, `${fileOf(api, schemasName)}#${name}`);
}

/** Not the name of a resource. */
const schemasName = 'all-schemas';

type Resources = readonly (readonly [string, readonly Described[]])[];

function overviewPage(api: DescribedApi, resources: Resources): SitePage {
  const { info, servers } = api.document;
  const base = servers[0]?.url ?? '';
  const file = fileOf(api, 'index');
  const parts = resources.map(([resource, operations]) => {
    const rows = operations.map(({ method, path, operation }) => {
      const address = escaped(`${resource}.html#${operation.operationId}`);
      return [
        method,
        `<code>${escaped(path)}</code>`,
        `<a href="${address}">${escaped(operation.summary)}</a>`,
      ];
    });
    const title = `<a href="${escaped(resource)}.html">${escaped(resource)}</a>`;
    const head = ['method', 'path', 'operation'];
    return `<h2 id="${escaped(resource)}">${title}</h2>\n${table(head, rows)}`;
  });
  const to = (path: string) => addressOf(file, path);
  const source = `docs/generated/openapi-${api.name}.json`;
  const body = `<h1>${escaped(info.title)}</h1>
<p>${escaped(info.description)} All paths begin with <code>${escaped(base)}</code>. Version
${escaped(info.version)}. The same as an <a href="${to(source)}">OpenAPI document</a>, which a
controller also serves at <code>${escaped(base)}/swagger.json</code>.</p>
<p>Rules that all operations share: <a href="${to('docs/behaviour/requests.html')}">requests</a>,
<a href="${to('docs/behaviour/answers.html')}">answers</a>,
<a href="${to('docs/behaviour/lists.html')}">lists</a> and
<a href="${to('docs/behaviour/filters.html')}">filters</a>. Codes of refusals:
<a href="${to('docs/generated/errors.html')}">errors</a>. The fields of requests and answers:
<a href="${schemasName}.html">schemas</a>.</p>
${parts.join('')}`;
  const headings = resources.map(([text]) => ({ id: text, text, depth: 2 }));
  return { file, source, title: 'All operations', headings, body, linked: [source] };
}

function resourcePage(
  api: DescribedApi,
  resource: string,
  operations: readonly Described[],
): SitePage {
  const file = fileOf(api, resource);
  const parts = operations.map((one) => operationPart(api, file, one));
  const title = `${resource}, ${api.name} API`;
  return {
    file,
    source: `docs/generated/openapi-${api.name}.json`,
    title: resource,
    headings: operations.map(({ operation: { operationId: id, summary: text } }) => {
      return { id, text, depth: 2 };
    }),
    body: `<h1>${escaped(title)}</h1>\n${parts.join('')}`,
    linked: [],
  };
}

function operationPart(api: DescribedApi, file: string, described: Described): string {
  const { method, path, operation, example } = described;
  const { operationId, summary, parameters = [], requestBody } = operation;
  const base = api.document.servers[0]?.url ?? '';
  const to = schemaAddress(api, file);
  const rows = parameters.map(({ name, in: place, required, description, schema }) => [
    `<code>${escaped(name)}</code>`,
    place,
    typeOf(schema, to) + (required ? requiredMark : ''),
    inProse(description),
  ]);
  const self = `<a class="self" href="#${operationId}" aria-label="Link to this heading">#</a>`;
  const title = `<h2 id="${operationId}">${escaped(summary)} ${self}</h2>`;
  return [
    `${title}\n<p class="request"><b>${method}</b> <code>${escaped(base + path)}</code></p>\n`,
    `<p>${callersOf(operation, file)}</p>\n`,
    rows.length === 0 ? '' : part('Parameters', table(parameterHead, rows)),
    requestBody === undefined ? '' : bodyPart(requestBody, to),
    part('Answers', answersTable(operation, file, to)),
    dataPart(operation, to),
    example === undefined ? '' : examplePart(described, base, example),
  ].join('');
}

const parameterHead = ['parameter', 'in', 'type', 'meaning'];

function part(title: string, html: string): string {
  return `<h3>${title}</h3>\n${html}`;
}

function callersOf({ security, 'x-permissions': permissions }: Operation, file: string): string {
  if (security.length === 0) return 'Needs no API session.';
  if (permissions === undefined) return 'Needs an API session (<code>zt-session</code>).';
  const names = permissions.map((name) => `<code>${escaped(name)}</code>`).join(', ');
  const address = addressOf(file, 'docs/behaviour/permissions.html');
  const others =
    names === ''
      ? ''
      : `, or of an identity with one of the <a href="${address}">permissions</a> ${names}`;
  return `Needs an API session of an administrator${others}.`;
}

function bodyPart(body: NonNullable<Operation['requestBody']>, to: SchemaAddress): string {
  const title = body.required ? 'Body' : 'Body, which may be left out';
  const parts = Object.entries(body.content).map(([type, { schema = {} }]) => {
    return `<p><code>${escaped(type)}</code></p>\n${fieldsTable(schema, to)}`;
  });
  return part(title, parts.join(''));
}

function answersTable({ responses }: Operation, file: string, to: SchemaAddress): string {
  const errors = addressOf(file, 'docs/generated/errors.html');
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    const isRefusal = !/^[123]/.test(status);
    const meaning = isRefusal
      ? `${inProse(description)} (<a href="${errors}">codes</a>)`
      : inProse(description);
    return [status, meaning, contentOf(content, to)];
  });
  return table(['status', 'meaning', 'content'], rows);
}

/** The schema of `data`: the envelope around it is the same in every answer. */
function contentOf(content: Content | undefined, to: SchemaAddress): string {
  return Object.entries(content ?? {})
    .map(([type, { schema = {} }]) => {
      const { data } = schema.properties ?? {};
      if (type !== 'application/json') return `<code>${escaped(type)}</code>`;
      return data === undefined ? typeOf(schema, to) : `<code>data</code>: ${typeOf(data, to)}`;
    })
    .join('<br>');
}

/** The fields of `data`, where the document gives them no name. */
function dataPart({ responses }: Operation, to: SchemaAddress): string {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const { schema } = success?.content?.['application/json'] ?? {};
  const { data } = schema?.properties ?? {};
  if (data === undefined || !hasFields(data)) return '';
  return `<p><code>data</code> of the answer:</p>\n${fieldsTable(data, to)}`;
}

function examplePart({ method, path }: Described, base: string, example: Example): string {
  const { request, status, answer } = example;
  const sent = `${method} ${base}${path}${request === '' ? '' : `\n\n${request}`}`;
  const data = answer === '' ? '' : `\n\n"data": ${answer}`;
  const note = 'A request of the tests, with the part of the answer that they check.';
  return part(
    'Example',
    `<p>${note}</p>\n${codeBlock(sent, 'json')}${codeBlock(`${status}${data}`, 'text')}`,
  );
}

function schemasPage(api: DescribedApi): SitePage {
  const file = fileOf(api, schemasName);
  const all: readonly (readonly [string, Schema])[] = Object.entries(
    api.document.components.schemas,
  ).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = all.map(([name, schema]) => {
    const self = `<a class="self" href="#${name}" aria-label="Link to this heading">#</a>`;
    const about = schema.description === undefined ? '' : `<p>${inProse(schema.description)}</p>\n`;
    const fields = fieldsTable(schema, schemaAddress(api, file));
    return `<h2 id="${name}">${escaped(name)} ${self}</h2>\n${about}${fields}`;
  });
  const headings: Heading[] = all.map(([name]) => ({ id: name, text: name, depth: 2 }));
  return {
    file,
    source: `docs/generated/openapi-${api.name}.json`,
    title: 'Schemas',
    headings,
    body: `<h1>Schemas of the ${api.name} API</h1>\n${parts.join('')}`,
    linked: [],
  };
}

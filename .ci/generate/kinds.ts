// src/commands/network/kinds/kind-rows.ts: the kinds that the command line knows, from the
// resources that declare them, so that no command has to load the controller's code.

import { sectionRowOf } from '../../src/commands/declarative/section-declarations.ts';
import { type Section, sectionNames, sectionOf } from '../../src/commands/declarative/sections.ts';
import type {
  FieldReference,
  FieldRow,
  KindRow,
  KindVerb,
  ValueType,
} from '../../src/commands/network/kinds/kind.ts';
import type { Field } from '../../src/declare/kinds/field.ts';
import type { DefinedResource } from '../../src/resources/context.ts';
import { fabricResources, resources } from '../../src/resources/index.ts';
import type { GeneratedPage } from './page.ts';

/** As declared: the generated rows may be of before a change. */
const sections = sectionNames.map((name) => sectionOf(sectionRowOf(name)));

/** Short forms of names that are typed often. */
const shortNames: Readonly<Record<string, string>> = {
  identity: 'id',
  service: 'svc',
  'edge-router': 'er',
  'transit-router': 'tr',
  'service-policy': 'sp',
  'edge-router-policy': 'erp',
  'service-edge-router-policy': 'serp',
  'posture-check': 'pc',
  'external-jwt-signer': 'signer',
};

/** Resources of the fabric API that the management API has no view of. */
const fabricPaths: ReadonlySet<string> = new Set(['circuits', 'links', 'routers']);

/** The rows, in the order of their names. */
export function kindRows(): readonly KindRow[] {
  const managed = resources.filter(
    ({ verbs, path }) => verbs.management?.includes('list') && path !== 'routers',
  );
  const fabric = fabricResources.filter(({ path }) => fabricPaths.has(path));
  const rows = [
    ...managed.map((resource) => rowOf(resource, 'management')),
    ...fabric.map((resource) => rowOf(resource, 'fabric')),
  ];
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The page. */
export const kindsPage: GeneratedPage = {
  file: 'src/commands/network/kinds/kind-rows.ts',
  make: () =>
    [
      '// The kinds for commands. Made from src/resources/ by npm run generate. Do not edit.',
      '',
      "import type { KindRow } from './kind.ts';",
      '',
      '/** Every kind, in the order of their names. */',
      'export const kindRows: readonly KindRow[] = [',
      ...kindRows().map((row) => `  ${JSON.stringify(row)},`),
      '];',
      '',
    ].join('\n'),
};

function rowOf(resource: DefinedResource, api: KindRow['api']): KindRow {
  const name = kebab(resource.title);
  const short = shortNames[name];
  return {
    name,
    plural: resource.path,
    ...(short !== undefined && { short }),
    title: resource.title,
    api,
    path: `/${resource.path}`,
    verbs: verbsOf(resource, api),
    isNamed: resource.symbols.includes('name'),
    fields: fieldRows(resource),
  };
}

function verbsOf(resource: DefinedResource, api: KindRow['api']): KindVerb[] {
  const declared = new Set<string>(resource.verbs[api] ?? []);
  for (const { method } of ownOperations(resource)) declared.add(method.toLowerCase());
  const found: KindVerb[] = ['list', 'get'];
  if (declared.has('create')) found.push('create');
  if (declared.has('patch')) found.push('update');
  if (declared.has('delete')) found.push('delete');
  return found;
}

/** Operations of the fabric that are declared beside the verbs: a link has a patch of its own. */
function ownOperations(resource: DefinedResource) {
  const { operations, path } = resource;
  if (!fabricResources.includes(resource)) return [];
  return operations.filter((operation) => operation.path === `/${path}/{id}`);
}

function fieldRows(resource: DefinedResource): FieldRow[] {
  const section = sections.find(({ path }) => path === `/${resource.path}`);
  const inputs = Object.entries(resource.inputs?.create ?? {})
    .filter(([name]) => !Object.hasOwn(resource.fields, name))
    .map(([name, schema]): FieldRow => {
      const isRequired = !('~optional' in schema);
      return {
        ...named(name, section),
        ...valueTypeOf(schema),
        ...(!Object.hasOwn(resource.inputs?.patch ?? {}, name) || section?.fixed.has(name) === true
          ? { isFixed: true }
          : {}),
        ...(isRequired && { isRequired }),
      };
    });
  const declared = Object.entries(resource.fields)
    .filter(([, { write }]) => write !== 'never')
    .map(([name, field]) => fieldRow(field.as ?? name, field, section));
  const patched = ownOperations(resource)
    .filter(({ method }) => method === 'PATCH')
    .flatMap(({ body }) => Object.entries((body as JsonSchema | undefined)?.properties ?? {}))
    .map(([name, schema]): FieldRow => ({ ...named(name, section), ...valueTypeOf(schema) }));
  return [...inputs, ...declared, ...patched];
}

function fieldRow(body: string, field: Field, section: Section | undefined): FieldRow {
  const names = named(body, section, field.relations.length > 0);
  const value = valueTypeOf(field.schema, field);
  const references = referencesOf(names.name, field, section, value.type);
  return {
    ...names,
    ...value,
    ...(field.write === 'create' && { isFixed: true }),
    ...(field.required && { isRequired: true }),
    ...(references.length > 0 && { references }),
  };
}

/** A file of `apply` calls fields as commands do; references and types go without their `Id`. */
function named(body: string, section: Section | undefined, isReference = false) {
  for (const [name, renamed] of Object.entries(section?.renamed ?? {})) {
    if (renamed.body === body) return { name, ...renamed };
  }
  const name = isReference || body === 'typeId' ? body.replace(/Id$/, '') : body;
  return { name, body, detail: body };
}

function referencesOf(
  name: string,
  { relations }: Field,
  section: Section | undefined,
  type: ValueType,
): FieldReference[] {
  const declared = (section?.references ?? []).filter(({ path }) => path[0] === name);
  if (declared.length > 0) {
    return declared.map(({ path, to, form }) => ({
      path: path.slice(1),
      to: kindOf(sectionRowOf(to).path),
      form,
    }));
  }
  return relations.map(({ kind }) => ({
    path: [],
    to: kindNameOf(kind),
    form: type === 'roles' ? 'roles' : type === 'list' ? 'many' : 'one',
  }));
}

/** The name in commands of the resource with a path. */
function kindOf(path: string): string {
  const resource = resources.find((one) => `/${one.path}` === path);
  if (resource === undefined) throw new Error(`${path} is no resource`);
  return kebab(resource.title);
}

/** The name in commands of a kind of records; a router is named as the management API lists all. */
function kindNameOf(kind: string): string {
  if (kind === 'router') return 'transit-router';
  const resource = resources.find((one) => one.kind.kind === kind);
  if (resource === undefined) throw new Error(`no resource shows ${kind}`);
  return kebab(resource.title);
}

function valueTypeOf(schema: object, field?: Field): Pick<FieldRow, 'type' | 'choices'> {
  const { type, enum: words, anyOf } = schema as JsonSchema;
  if (words !== undefined) {
    return { type: 'text', choices: words.map(String).filter((word) => word !== '') };
  }
  const first = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  switch (first) {
    case 'string':
      return { type: 'text' };
    case 'integer':
    case 'number':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'array':
      return { type: listTypeOf(schema, field) };
    case 'object':
      return { type: 'object' };
    default: {
      const inner = anyOf?.find((one) => one.type !== 'null');
      return inner === undefined ? { type: 'any' } : valueTypeOf(inner, field);
    }
  }
}

/** Roles and role attributes are the lists of texts that have the schema of `field.ts`. */
function listTypeOf(schema: object, field: Field | undefined): ValueType {
  const { items } = schema as JsonSchema;
  if (items?.format !== 'plain-text' || items.maxLength !== 1000) return 'list';
  return field !== undefined && field.relations.length > 0 ? 'roles' : 'attributes';
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, object>>;
  readonly format?: string;
  readonly maxLength?: number;
}

function kebab(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

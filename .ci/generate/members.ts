// test/commands/network/members.txt: the members of each kind's JSON. Scripts read them, so this
// page only grows: `test/commands/network/members.test.ts` fails when a member is gone.

import { operations } from '../../src/assembly/operations.ts';
import type { KindRow } from '../../src/commands/network/kinds/kind.ts';
import { openApiOf } from '../../src/declare/openapi/openapi.ts';
import { kindRows } from './kinds.ts';
import type { GeneratedPage } from './page.ts';

/** The page. */
export const membersPage: GeneratedPage = {
  file: 'test/commands/network/members.txt',
  make: (present) => `${[...new Set([...linesOf(present), ...members()])].sort().join('\n')}\n`,
};

/** The lines of the page, without an empty last one. */
export function linesOf(page: string): string[] {
  return page.split('\n').filter((line) => line !== '');
}

/** The members of all kinds today: `identity.authPolicy.name`. */
export function members(): string[] {
  const documents = {
    management: openApiOf('management', operations),
    fabric: openApiOf('fabric', operations),
  };
  return kindRows().flatMap(({ name, api, path }) => {
    const schema = new Described(documents[api]).shown({ path });
    return [...new Set(schema)].map((member) => `${name}.${member}`);
  });
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
}

/** The parts of a document that say what an entity looks like. */
interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly responses: Responses } }>>;
}

type Responses = Readonly<
  Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
>;

/** Objects in objects, so that what `--columns` and scripts name is there. */
const depthMax = 3;

class Described {
  readonly #document: Document;

  constructor(document: unknown) {
    this.#document = document as Document;
  }

  /** The members of an entity as one request shows it. */
  shown({ path }: Pick<KindRow, 'path'>): string[] {
    const responses = this.#document.paths[`${path}/{id}`]?.get?.responses;
    const schema = responses?.['200']?.content?.['application/json']?.schema;
    if (schema === undefined) throw new Error(`${path} has no description`);
    const members = this.#below(schema, depthMax + 1);
    return members.filter((one) => /^data\.(?!_links)/.test(one)).map((one) => one.slice(5));
  }

  #below(schema: Schema, depth: number): string[] {
    if (depth === 0) return [];
    const { properties = {}, anyOf = [], oneOf = [], allOf = [], items } = this.#resolved(schema);
    const own = Object.entries(properties).flatMap(([name, inner]) => [
      name,
      ...this.#below(inner, depth - 1).map((member) => `${name}.${member}`),
    ]);
    const others = [...anyOf, ...oneOf, ...allOf, ...(items === undefined ? [] : [items])];
    return [...own, ...others.flatMap((one) => this.#below(one, depth))].filter(
      (member) => !member.includes('_links'),
    );
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const names = schema.$ref.slice(2).split('/');
    const found = names.reduce<unknown>(
      (at, name) => (at as Readonly<Record<string, unknown>>)[name],
      this.#document,
    );
    return this.#resolved(found as Schema);
  }
}

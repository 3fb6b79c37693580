// JSON schemas of answers, derived from fields and joined fields.

import Type, { type TSchema } from 'typebox';
import type { Field } from '../kinds/field.ts';
import type { Resource } from './resource.ts';

const time = Type.String({ format: 'date-time' });
const link = Type.Object({ href: Type.String(), method: Type.Optional(Type.String()) });

/** `_links` of any entity. A `title` is a schema's name in the OpenAPI documents. */
export const linksSchema = Type.Record(Type.String(), link, { title: 'links' });

/** A reference to an entity (behaviour/answers#references). */
export const entityRefSchema = Type.Object(
  {
    _links: linksSchema,
    entity: Type.String(),
    id: Type.String(),
    name: Type.Optional(Type.String()),
  },
  { title: 'entityRef' },
);

/** One entry of a `…RolesDisplay` list. */
export const rolesDisplaySchema = Type.Array(
  Type.Object({ name: Type.String(), role: Type.String() }, { title: 'namedRole' }),
);

/** Fields of every entity (behaviour/answers#base-fields). */
export const baseProperties = {
  _links: linksSchema,
  createdAt: time,
  id: Type.String(),
  tags: Type.Record(Type.String(), Type.Unknown()),
  updatedAt: time,
};

/** The schema of one record of a resource in answers. */
export function answerOf(
  options: Pick<Resource, 'fields' | 'title' | 'hidden' | 'joined' | 'isBare'>,
): TSchema {
  const { id } = baseProperties;
  const properties: Record<string, TSchema> = options.isBare ? { id } : { ...baseProperties };
  for (const [name, field] of Object.entries(options.fields)) {
    if (field.show === 'never' || options.hidden?.includes(name)) continue;
    const schema = field.answerSchema ?? field.schema;
    const shown = field.as ?? name;
    if (field.show === 'present') properties[shown] = Type.Optional(schema);
    else properties[shown] = mayBeNull(field) ? orNull(schema) : schema;
  }
  for (const [name, joined] of Object.entries(options.joined ?? {})) {
    properties[name] = Type.Optional(joined.schema);
  }
  return Type.Object(properties, { title: schemaName(options.title) });
}

/** A field that is required may be null only if it has a form of its own for that in answers. */
function mayBeNull({ required, nullable, fallback }: Field): boolean {
  return fallback === undefined && (!required || nullable === 'whole');
}

/** `edge router` becomes `edgeRouterDetail`. */
function schemaName(title: string): string {
  const words = title.toLowerCase().split(' ');
  const camel = words.map((word, i) => (i === 0 ? word : word.replace(/^./, upperCase)));
  return `${camel.join('')}Detail`;
}

const upperCase = (letter: string): string => letter.toUpperCase();

function orNull(schema: TSchema): TSchema {
  return Type.Union([schema, Type.Null()]);
}

// Lists of the role attributes in use, one list per kind of member (behaviour/lists).

import Type from 'typebox';
import type { MemberSpace } from '../../declare/kinds/access-vocabulary.ts';
import type { Reply } from '../../declare/operations/operation.ts';
import type { PermissionEntity } from '../../declare/resources/permission-names.ts';
import { valueListReply } from '../../declare/resources/value-list.ts';
import type { Scope } from '../../filter/scope.ts';
import { type Context, type Operation, operation } from '../context.ts';

/** The members that have attributes; a space is named like the kind of its records. */
export interface Holders {
  readonly space: MemberSpace;
  readonly path: string;
  readonly name: string;
  readonly title: string;
  readonly permission: PermissionEntity;
}

/** The four kinds of members. */
export const holders: readonly Holders[] = [
  {
    space: 'identity',
    path: 'identity',
    name: 'Identity',
    title: 'identity',
    permission: 'identity',
  },
  { space: 'service', path: 'service', name: 'Service', title: 'service', permission: 'service' },
  {
    space: 'router',
    path: 'edge-router',
    name: 'EdgeRouter',
    title: 'edge router',
    permission: 'router',
  },
  {
    space: 'postureCheck',
    path: 'posture-check',
    name: 'PostureCheck',
    title: 'posture check',
    permission: 'posture-check',
  },
];

/** The four lists. */
export const roleAttributes: readonly Operation[] = holders.map((of) =>
  operation({
    id: `list${of.name}RoleAttributes`,
    path: `/${of.path}-role-attributes`,
    answered: 'here',
    permission: of.permission,
    summary: `List the role attributes that some ${of.title} has`,
    answer: Type.Array(Type.String()),
    isList: true,
    errors: [400, 401, 429],
    decide: (context) => attributesReply(context, of),
  }),
);

/** An attribute is its own `id` and has no other symbol. */
const scope = scopeOf(['id']);

/** Tools order these lists by the name, as they do with those of records. */
const sortScope = scopeOf(['id', 'name']);

function scopeOf(names: readonly string[]): Scope<string, undefined> {
  const attribute = { form: 'scalar', type: 'string', read: (text: string) => text } as const;
  return {
    symbol: (name) => (names.includes(name) ? attribute : undefined),
    linked: () => undefined,
  };
}

function attributesReply(context: Context, { space }: Holders): Reply {
  const { access, store } = context.env;
  store.fence.note(store.tableNamed(space).lastLsn);
  return valueListReply(context, {
    things: access.attributesOf(space).map(({ name }) => name),
    scope,
    sortScope,
    isWholeWithoutLimit: true,
    filterableFields: ['id'],
    text: (attribute) => JSON.stringify(attribute),
  });
}

// The operation that shows which records policies bring together with a record: who may use it, and
// what it may use.

import Type from 'typebox';
import {
  type AccessType,
  familySides,
  type MemberSpace,
} from '../../../declare/kinds/access-vocabulary.ts';
import type { Kind } from '../../../declare/kinds/kind.ts';
import { detail } from '../../../declare/operations/operation.ts';
import { notFound } from '../../../errors/errors.ts';
import { noteFamily } from '../../../resources/policies/access-rows.ts';
import { boundsOf } from '../../../settings/bounds.ts';
import type { Row } from '../../../store/record.ts';
import { type AccessGroup, accessGroupSchema } from '../../messages.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { relationBounds } from './relations.ts';

/** `GET /inspect/machines/{kind}/instances/{id}/access` */
export const instanceAccess: Operation = operation({
  id: 'listInspectedAccess',
  path: '/inspect/machines/{kind}/instances/{id}/access',
  answered: 'leader',
  permission: 'admin_readonly',
  summary: 'List the records that policies bring together with a record, by kind and way',
  answer: Type.Array(accessGroupSchema),
  errors: [401, 404],
  decide(context) {
    const { env, params } = context;
    const { kind: name = '', id = '' } = params;
    const kind = env.registry.kinds.get(name);
    if (kind === undefined) throw notFound('kind', name);
    const row = env.store.tableNamed(name).find(id);
    if (row === undefined) throw notFound(name, id);
    return detail([JSON.stringify(groupsOf(context, kind, row))]);
  },
});

function groupsOf(context: Context, kind: Kind, row: Row): AccessGroup[] {
  const { policy, member } = kind;
  if (policy !== undefined) return selectedOf(context, policy, row);
  if (member?.attributes(row.record) === undefined) return [];
  const families = [...context.env.registry.kinds.values()].filter(
    (one) => one.policy !== undefined && member.space in one.policy.sides,
  );
  return families.flatMap((family) => linkedBy(context, family, member.space, row));
}

/** The members that a policy selects. */
function selectedOf(
  context: Context,
  { family }: NonNullable<Kind['policy']>,
  { slot }: Row,
): AccessGroup[] {
  noteFamily(context, family);
  return familySides[family].map((side) => {
    const slots = context.env.access.membersOf(family, slot, side);
    return groupOf(context, 'selects', side, slots);
  });
}

/** The policies of a family that select a member, and the members that they link it with. */
function linkedBy(
  context: Context,
  { kind, policy }: Kind,
  space: MemberSpace,
  { slot }: Row,
): AccessGroup[] {
  if (policy === undefined) return [];
  const { access, store } = context.env;
  const { family, type: typeOf } = policy;
  noteFamily(context, family);
  const policies = access.policiesOf(space, slot, family);
  const others = familySides[family].filter((side) => side !== space);
  const table = store.tableNamed(kind);
  const linked = (way: AccessGroup['way'], of: readonly number[]) =>
    others.map((side) => groupOf(context, way, side, access.membersOfAny(family, of, side)));
  const ofType = (type: AccessType) =>
    policies.filter((at) => {
      const record = table.at(at)?.record;
      return record !== undefined && typeOf?.(record) === type;
    });
  return [
    groupOf(context, 'selectedBy', kind, policies),
    ...(typeOf === undefined
      ? linked('linked', policies)
      : [...linked('dial', ofType('Dial')), ...linked('bind', ofType('Bind'))]),
  ];
}

/**
 * The number of the records, and the names of the first few.
 * @param kind of the records; that of the members of a space has the name of the space
 */
function groupOf(
  { env }: Context,
  way: AccessGroup['way'],
  kind: string,
  slots: ArrayLike<number>,
): AccessGroup {
  const { inspectSomeMax } = boundsOf(relationBounds, env.bounds);
  const table = env.store.tableNamed(kind);
  const some = [];
  for (let at = 0; at < Math.min(slots.length, inspectSomeMax); at++) {
    const row = table.at(slots[at] ?? -1);
    if (row !== undefined) {
      some.push({ id: row.id, name: env.inspection.names.of(kind, row.record) });
    }
  }
  return { way, kind, total: slots.length, some };
}

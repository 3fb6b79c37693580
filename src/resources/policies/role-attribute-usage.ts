// Lists of the role attributes that members have or policies name, and how many of each do
// (behaviour/lists#usage-of-role-attributes).

import Type from 'typebox';
import {
  familySides,
  type MemberSpace,
  type PolicyFamily,
  policyFamilies,
  roleAll,
} from '../../declare/kinds/access-vocabulary.ts';
import { refusing } from '../../declare/lists/list-query.ts';
import type { Reply } from '../../declare/operations/operation.ts';
import { valueListReply } from '../../declare/resources/value-list.ts';
import { compareBytes } from '../../filter/order.ts';
import type { Budget, Scope } from '../../filter/scope.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { type Holders, holders } from './role-attributes.ts';

/** The names of members and policies in the answer. */
const sourceNames: Readonly<Record<MemberSpace | PolicyFamily, string>> = {
  identity: 'identities',
  service: 'services',
  router: 'edgeRouters',
  postureCheck: 'postureChecks',
  servicePolicy: 'servicePolicies',
  edgeRouterPolicy: 'edgeRouterPolicies',
  serviceEdgeRouterPolicy: 'serviceEdgeRouterPolicies',
};

const usageSchema = Type.Object(
  {
    roleAttribute: Type.String(),
    usage: Type.Record(
      Type.String(),
      Type.Object({
        count: Type.Integer(),
        ids: Type.Union([Type.Array(Type.String()), Type.Null()]),
      }),
    ),
  },
  { title: 'roleAttributeUsage' },
);

/** The four lists. */
export const roleAttributeUsage: readonly Operation[] = holders.map((of) =>
  operation({
    id: `list${of.name}RoleAttributeUsage`,
    path: `/${of.path}-role-attribute-usage`,
    answered: 'here',
    permission: of.permission,
    summary: `Count by role attribute each ${of.title} that has it, and policies that name it`,
    answer: Type.Array(usageSchema),
    isList: true,
    query: { withIds: Type.Boolean() },
    errors: [400, 401, 429],
    decide: (context) => usageReply(context, of),
  }),
);

/** One attribute. */
interface Usage {
  readonly name: string;
  readonly members: number;
  /** Ids of the policies that name it. */
  readonly policies: Map<PolicyFamily, string[]>;
}

/** An attribute is its own `id` and has no other symbol. */
const scope: Scope<Usage, undefined> = {
  symbol: (name) =>
    name === 'id' ? { form: 'scalar', type: 'string', read: (usage) => usage.name } : undefined,
  linked: () => undefined,
};

function usageReply(context: Context, { space }: Holders): Reply {
  const withIds = ['true', '1'].includes(context.query.get('withIds') ?? '');
  const families = policyFamilies.filter((family) => familySides[family].includes(space));
  return valueListReply(context, {
    things: usageOf(context, space, families),
    scope,
    sortScope: 'ignored',
    isWholeWithoutLimit: true,
    filterableFields: ['id'],
    text: (usage) => usageText(context, space, { usage, families, withIds }),
  });
}

/** In byte order. @throws ApiError INVALID_FILTER for policies with too many roles to count. */
function usageOf(
  context: Context,
  space: MemberSpace,
  families: readonly PolicyFamily[],
): readonly Usage[] {
  const { access, store } = context.env;
  const found = new Map<string, Usage>();
  const add = (name: string, members: number): Usage => {
    const usage = { name, members, policies: new Map<PolicyFamily, string[]>() };
    found.set(name, usage);
    return usage;
  };
  store.fence.note(store.tableNamed(space).lastLsn);
  for (const { name, members } of access.attributesOf(space)) add(name, members);
  for (const family of families) {
    forEachNamed(context, family, space, (name, id) => {
      const { policies } = found.get(name) ?? add(name, 0);
      const ids = policies.get(family);
      if (ids === undefined) policies.set(family, [id]);
      else ids.push(id);
    });
  }
  return [...found.values()].sort((left, right) => compareBytes(left.name, right.name));
}

/** Visits each attribute that policies name on this side, with the id of the policy. */
function forEachNamed(
  context: Context,
  family: PolicyFamily,
  space: MemberSpace,
  visit: (name: string, id: string) => void,
): void {
  const { registry, store } = context.env;
  const field = registry.kinds.get(family)?.policy?.sides[space] ?? '';
  counting(context, (budget) =>
    store.tableNamed(family).each(({ record }) => {
      const values: Readonly<Record<string, unknown>> = record;
      const roles = (values[field] ?? []) as readonly string[];
      budget.spend(1 + roles.length);
      for (const role of roles) {
        if (role.startsWith('#') && role !== roleAll) visit(role.slice(1), record.id);
      }
    }),
  );
}

/** The work counts like that of a filter. @throws ApiError INVALID_FILTER for too much of it. */
function counting<T>(context: Context, work: (budget: Budget) => T): T {
  const filter = context.query.get('filter') ?? '';
  return refusing('INVALID_FILTER', 'filter', filter, () => work(context.filterBudget()));
}

interface Shown {
  readonly usage: Usage;
  readonly families: readonly PolicyFamily[];
  readonly withIds: boolean;
}

function usageText(context: Context, space: MemberSpace, shown: Shown): string {
  const { name, members, policies } = shown.usage;
  const own = shown.withIds ? memberIds(context, space, name) : null;
  const usage: Record<string, { readonly count: number; readonly ids: readonly string[] | null }> =
    {
      [sourceNames[space]]: { count: own?.length ?? members, ids: own },
    };
  for (const family of shown.families) {
    const ids = policies.get(family) ?? [];
    usage[sourceNames[family]] = { count: ids.length, ids: shown.withIds ? ids : null };
  }
  return JSON.stringify({ roleAttribute: name, usage });
}

function memberIds(context: Context, space: MemberSpace, attribute: string): string[] {
  const { access, registry, store } = context.env;
  const table = store.tableNamed(space);
  const { member } = registry.kinds.get(space) ?? {};
  return counting(context, (budget) => {
    const ids: string[] = [];
    for (const slot of access.select(space, 'AnyOf', [`#${attribute}`])) {
      budget.spend(1);
      const record = table.at(slot)?.record;
      // An attribute may be named like the role of every member.
      if (record && member?.attributes(record)?.includes(attribute)) ids.push(record.id);
    }
    return ids;
  });
}

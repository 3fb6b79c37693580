// Lookups in access for filters, computed as they are read; each step is charged before it is
// taken.

import type { AccessType, MemberSpace, PolicyFamily } from '../declare/kinds/access-vocabulary.ts';
import { bitOf } from '../declare/kinds/access-vocabulary.ts';
import type { PolicyLookups } from '../declare/lists/access-lookups.ts';
import type { Budget } from '../filter/scope.ts';
import type { ClassPolicyCache } from './class-policies.ts';
import type { MemberClass } from './member-class.ts';
import type { MemberTable } from './members.ts';
import type { PolicySide, PolicyTable } from './policies.ts';
import type { Selection } from './selection.ts';
import { countSelected, mostSelected, rarestAttribute, selectsClass } from './selection.ts';

/** The parts of access that the lookups read. */
interface LookupSources {
  readonly members: Readonly<Record<MemberSpace, MemberTable>>;
  readonly policies: Readonly<Record<PolicyFamily, PolicyTable>>;
  readonly classPolicies: ClassPolicyCache;
}

/** The steps of a budget that a policy or a class takes on the way to members. */
const stepsOnTheWay = 2;

/**
 * Policies and members one by one, for filters. Each is computed when it is read, and the budget is
 * charged for every step before it is taken. They come in no order, and must be read before the
 * next change.
 */
export class AccessLookups implements PolicyLookups {
  readonly #sources: LookupSources;

  constructor(sources: LookupSources) {
    this.#sources = sources;
  }

  /** Slots of the family's policies that select the member, each once; of one type where given. */
  *policiesOf(
    space: MemberSpace,
    slot: number,
    family: PolicyFamily,
    budget: Budget,
    type?: AccessType,
  ): Generator<number> {
    const { flags } = this.#sources.policies[family];
    const { own, everyone } = this.#selecting(space, slot, family, budget);
    for (const policies of [own, everyone]) {
      for (const policy of policies) {
        budget.spend(stepsOnTheWay);
        if (type === undefined || ((flags[policy] ?? 0) & bitOf(type)) !== 0) yield policy;
      }
    }
  }

  /** How many policies of the family select the member. */
  countPolicies(space: MemberSpace, slot: number, family: PolicyFamily, budget: Budget): number {
    const { own, count } = this.#selecting(space, slot, family, budget);
    return own.length + count;
  }

  /** Slots of the members that some of these policies select on that side, each once. */
  *membersOf(
    family: PolicyFamily,
    policies: Iterable<number>,
    side: MemberSpace,
    budget: Budget,
  ): Generator<number> {
    // A member that a policy mentions has a class of its own, so no member is in two classes.
    const seen = new Set<MemberClass>();
    for (const { table, selection } of this.#sides(family, policies, side)) {
      if (selection.all) {
        yield* membersBeside(seen, table, budget);
        return;
      }
      for (const members of classesOf(table, selection, budget)) {
        if (seen.has(members)) continue;
        seen.add(members);
        for (const slot of table.slotsIn(members)) {
          budget.spend(1);
          yield slot;
        }
      }
    }
  }

  /**
   * How many members these policies select together, or a number of at least `enough`; undefined
   * where only a lookup tells.
   */
  countMembers(
    family: PolicyFamily,
    policies: Iterable<number>,
    side: MemberSpace,
    enough: number,
  ): number | undefined {
    let looked = 0;
    let count: number | undefined = 0;
    for (const { table, selection } of this.#sides(family, policies, side)) {
      looked++;
      count = countSelected(table, selection);
      if (count !== undefined && (selection.all || count >= enough)) return count;
    }
    // Policies may select the same members.
    return looked < 2 ? count : undefined;
  }

  /** An upper bound of the members that the policy selects on that side; costs next to nothing. */
  mostMembers(family: PolicyFamily, policy: number, side: MemberSpace): number {
    const [found] = this.#sides(family, [policy], side);
    return found === undefined ? 0 : mostSelected(found.table, found.selection);
  }

  /**
   * Policies that select the member by its attributes or id, and the number of those that select
   * every member.
   */
  #selecting(space: MemberSpace, slot: number, family: PolicyFamily, budget: Budget) {
    const { members, policies, classPolicies } = this.#sources;
    const table = policies[family];
    const found = members[space].classAt(slot);
    if (found === undefined) return nobody;
    if (!classPolicies.remembers(found)) budget.spend(policiesNaming(found));
    const everyone = table.selectingAll(table.sideOf(space));
    const own = classPolicies.of(found, space).own[table.familyIndex] ?? [];
    return { own, everyone, count: everyone.size };
  }

  *#sides(
    family: PolicyFamily,
    policies: Iterable<number>,
    side: MemberSpace,
  ): Generator<PolicySide> {
    const table = this.#sources.policies[family];
    const at = table.sideOf(side);
    for (const policy of policies) {
      const found = table.at(policy)?.sides[at];
      if (found !== undefined) yield found;
    }
  }
}

const nobody = { own: [], everyone: [], count: 0 } as const;

/** How many policies must be read to compute the policies of a class. */
function policiesNaming({ attributes, owner }: MemberClass): number {
  let count = 0;
  for (const { namedBy = [] } of [...attributes, ...(owner === undefined ? [] : [owner])]) {
    for (const policies of namedBy) count += policies?.size ?? 0;
  }
  return count * stepsOnTheWay;
}

/** Classes that the list selects, some of them twice. */
function* classesOf(
  table: MemberTable,
  selection: Selection,
  budget: Budget,
): Generator<MemberClass> {
  const { allOf, attributes, mentions } = selection;
  const rarest = allOf ? rarestAttribute(selection) : undefined;
  for (const { classes = [] } of rarest === undefined ? attributes : [rarest]) {
    budget.spend(1);
    for (const index of classes) {
      budget.spend(allOf ? stepsOnTheWay + attributes.length : stepsOnTheWay);
      const members = table.classes.at(index);
      if (!allOf || selectsClass(selection, members)) yield members;
    }
  }
  for (const { slot } of mentions) {
    budget.spend(1);
    const members = slot < 0 ? undefined : table.classAt(slot);
    if (members !== undefined) yield members;
  }
}

/** Every member that is in none of the classes. */
function* membersBeside(
  classes: ReadonlySet<MemberClass>,
  table: MemberTable,
  budget: Budget,
): Generator<number> {
  for (let slot = 0; slot < table.bound; slot++) {
    budget.spend(1);
    const members = table.classAt(slot);
    if (members !== undefined && !classes.has(members)) yield slot;
  }
}

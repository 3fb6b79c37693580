// Groups of identities and of routers that the same edge router policies select: which routers are
// told of an API session follows from the policies that both have.

import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import type { RoutersEnvironment } from '../context.ts';

/** Members that the same edge router policies select. */
export interface PolicyGroup {
  /** Ids of the policies, ascending. Ids are not reused, unlike slots. */
  readonly policies: readonly string[];
  /** The policies as one text. */
  readonly key: string;
}

/** The groups of one sort, found by their policies. */
export class GroupsByPolicy<G extends PolicyGroup> {
  readonly #byKey = new Map<string, G>();
  readonly #byPolicy = new Map<string, Set<G>>();

  /** How many groups there are. */
  get size(): number {
    return this.#byKey.size;
  }

  /** The group of exactly these policies. */
  get(key: string): G | undefined {
    return this.#byKey.get(key);
  }

  /** All groups, in no order. */
  all(): IterableIterator<G> {
    return this.#byKey.values();
  }

  /** Adds a group; there must be none with its key. */
  add(group: G): void {
    this.#byKey.set(group.key, group);
    for (const policy of group.policies) {
      const groups = this.#byPolicy.get(policy);
      if (groups === undefined) this.#byPolicy.set(policy, new Set([group]));
      else groups.add(group);
    }
  }

  /** Removes a group. */
  delete(group: G): void {
    this.#byKey.delete(group.key);
    for (const policy of group.policies) {
      const groups = this.#byPolicy.get(policy);
      groups?.delete(group);
      if (groups?.size === 0) this.#byPolicy.delete(policy);
    }
  }

  /** The groups that have one of these policies. */
  under(policies: readonly string[]): Set<G> {
    const found = new Set<G>();
    for (const policy of policies) {
      for (const group of this.#byPolicy.get(policy) ?? []) found.add(group);
    }
    return found;
  }
}

/** Whether two groups have a policy in common. */
export function shareAPolicy(left: PolicyGroup, right: PolicyGroup): boolean {
  return left.policies.some((policy) => right.policies.includes(policy));
}

/** Ids of the edge router policies that select a member now, ascending. */
export function policiesOf(
  { access, store }: Pick<RoutersEnvironment, 'access' | 'store'>,
  space: 'identity' | 'router',
  slot: number | undefined,
): readonly string[] {
  if (slot === undefined) return [];
  const table = store.table(edgeRouterPolicyKind);
  const ids: string[] = [];
  for (const policy of access.policiesOf(space, slot, 'edgeRouterPolicy')) {
    const row = table.inSlot(policy);
    if (row !== undefined) ids.push(row.id);
  }
  return ids.sort();
}

/** The key of a group with these policies. */
export function keyOf(policies: readonly string[]): string {
  return policies.join('/');
}

// Which policies select a member: computed per class, remembered until a role of it changes.

import type { MemberSpace } from '../declare/kinds/access-vocabulary.ts';
import type { ClassPolicies, MemberClass } from './member-class.ts';
import type { PolicyTable } from './policies.ts';

/** Counts changes; remembered data carries the count at which it was computed. */
export interface Revision {
  /** Grows with every change of a member or a policy. */
  changes: number;
  /** Grows when the routers that some policy selects may have changed. */
  routers: number;
}

/** Computes and remembers the policies of classes. */
export class ClassPolicyCache {
  readonly #revision: Revision;
  readonly #families: readonly PolicyTable[];
  readonly #memosMax: number;
  #remembered: MemberClass[] = [];

  /** `memosMax` bounds how many classes are remembered at a time. */
  constructor(revision: Revision, families: readonly PolicyTable[], memosMax: number) {
    this.#revision = revision;
    this.#families = families;
    this.#memosMax = memosMax;
  }

  /** How many classes are remembered. */
  get size(): number {
    return this.#remembered.length;
  }

  /** Whether the policies of a class are remembered. */
  remembers(members: MemberClass): boolean {
    return members.policies !== undefined && isFresh(members.policies, members);
  }

  /** The policies of a class of `space`, valid until the next change. */
  of(members: MemberClass, space: MemberSpace): ClassPolicies {
    const known = members.policies;
    if (known !== undefined && isFresh(known, members)) return known;
    const policies: ClassPolicies = {
      at: this.#revision.changes,
      own: this.#families.map((family) =>
        family.selectsFrom(space) ? family.ownOf(members, space) : noPolicies,
      ),
      routers: undefined,
    };
    if (known === undefined) this.#remember(members);
    members.policies = policies;
    return policies;
  }

  #remember(members: MemberClass): void {
    // Forgetting all at once needs no order of use, and each is recomputed in about a microsecond.
    if (this.#remembered.length >= this.#memosMax) {
      for (const old of this.#remembered) old.policies = undefined;
      this.#remembered = [];
    }
    this.#remembered.push(members);
  }
}

const noPolicies: readonly number[] = [];

function isFresh(policies: ClassPolicies, members: MemberClass): boolean {
  if (members.owner !== undefined && members.owner.stamp > policies.at) return false;
  for (const attribute of members.attributes) if (attribute.stamp > policies.at) return false;
  return true;
}

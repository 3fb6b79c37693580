// The routers by which an identity may reach a service (behaviour/policies), by bit operations.

import { commonSlots } from '../containers/slot-set.ts';
import type { ClassPolicyCache, Revision } from './class-policies.ts';
import type { MemberClass, RouterWords } from './member-class.ts';
import type { MemberTable } from './members.ts';
import type { PolicyTable } from './policies.ts';
import { selectedSlots } from './selection.ts';

/** The two spaces that policies link with routers. */
export type RouterUser = 'identity' | 'service';

const noWords = new Uint32Array(0);

/**
 * Router sets of policies, identities and services, remembered until a router policy or a router
 * changes.
 */
export class RouterSets {
  readonly #revision: Revision;
  readonly #routers: MemberTable;
  readonly #classPolicies: ClassPolicyCache;
  readonly #policies: Readonly<Record<RouterUser, PolicyTable>>;
  readonly #users: Readonly<Record<RouterUser, MemberTable>>;
  readonly #ofPolicies: Readonly<Record<RouterUser, (RouterWords | undefined)[]>> = {
    identity: [],
    service: [],
  };
  /** Routers of the policies that select every user; most users have no others. */
  readonly #ofEveryone: Record<RouterUser, RouterWords | undefined> = {
    identity: undefined,
    service: undefined,
  };

  constructor(
    revision: Revision,
    routers: MemberTable,
    classPolicies: ClassPolicyCache,
    users: Readonly<Record<RouterUser, MemberTable>>,
    policies: Readonly<Record<RouterUser, PolicyTable>>,
  ) {
    this.#revision = revision;
    this.#routers = routers;
    this.#classPolicies = classPolicies;
    this.#users = users;
    this.#policies = policies;
  }

  /** Routers linked to the user by some policy, ascending. */
  of(space: RouterUser, slot: number): Uint32Array {
    const words = this.#wordsOf(space, slot);
    return commonSlots(words, words);
  }

  /** Routers linked to both, ascending. */
  usable(identity: number, service: number): Uint32Array {
    return commonSlots(this.#wordsOf('identity', identity), this.#wordsOf('service', service));
  }

  /** Whether some router is linked to both. */
  hasUsable(identity: number, service: number): boolean {
    const left = this.#wordsOf('identity', identity);
    const right = this.#wordsOf('service', service);
    const length = Math.min(left.length, right.length);
    for (let at = 0; at < length; at++) {
      if (((left[at] ?? 0) & (right[at] ?? 0)) !== 0) return true;
    }
    return false;
  }

  /** Whether a router is linked to an identity or a service. */
  isLinked(space: RouterUser, slot: number, router: number): boolean {
    const words = this.#wordsOf(space, slot);
    return ((words[router >>> 5] ?? 0) & (1 << (router & 31))) !== 0;
  }

  /** Whether this router is linked to both. */
  isUsable(identity: number, service: number, router: number): boolean {
    const word = router >>> 5;
    const left = this.#wordsOf('identity', identity)[word] ?? 0;
    const right = this.#wordsOf('service', service)[word] ?? 0;
    return (left & right & (1 << (router & 31))) !== 0;
  }

  #wordsOf(space: RouterUser, slot: number): Uint32Array {
    const members = this.#users[space].classAt(slot);
    return members === undefined ? noWords : this.#wordsOfClass(space, members);
  }

  #wordsOfClass(space: RouterUser, members: MemberClass): Uint32Array {
    const policies = this.#policies[space];
    const selecting = this.#classPolicies.of(members, space);
    const own = selecting.own[policies.familyIndex] ?? [];
    if (own.length === 0) return this.#everyoneWords(space);
    if (selecting.routers?.at === this.#revision.routers) return selecting.routers.words;
    const words = new Uint32Array(wordsFor(this.#routers));
    unite(words, this.#everyoneWords(space));
    for (const slot of own) unite(words, this.#policyWords(space, slot));
    selecting.routers = { at: this.#revision.routers, words };
    return words;
  }

  #everyoneWords(space: RouterUser): Uint32Array {
    const known = this.#ofEveryone[space];
    if (known?.at === this.#revision.routers) return known.words;
    const words = new Uint32Array(wordsFor(this.#routers));
    this.#policies[space].selectingAll(0).forEach((slot) => {
      unite(words, this.#policyWords(space, slot));
    });
    this.#ofEveryone[space] = { at: this.#revision.routers, words };
    return words;
  }

  #policyWords(space: RouterUser, slot: number): Uint32Array {
    const known = this.#ofPolicies[space][slot];
    if (known?.at === this.#revision.routers) return known.words;
    const words = new Uint32Array(wordsFor(this.#routers));
    const selection = this.#policies[space].at(slot)?.sides[1]?.selection;
    if (selection !== undefined) {
      for (const router of selectedSlots(this.#routers, selection)) {
        words[router >>> 5] = (words[router >>> 5] ?? 0) | (1 << (router & 31));
      }
    }
    this.#ofPolicies[space][slot] = { at: this.#revision.routers, words };
    return words;
  }
}

function wordsFor(routers: MemberTable): number {
  return (routers.bound + 31) >>> 5;
}

function unite(into: Uint32Array, from: Uint32Array): void {
  for (let at = 0; at < from.length; at++) into[at] = (into[at] ?? 0) | (from[at] ?? 0);
}

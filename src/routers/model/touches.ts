// What one frame may have changed in the model of the network that routers get.

import type { RecordOf } from '../../declare/kinds/kind.ts';
import { idsOf, type routerModelKind, separator } from '../../records/router-model.ts';

/** The kinds of records that the model is made of. */
export type ModelKind =
  | 'ca'
  | 'config'
  | 'configType'
  | 'identity'
  | 'postureCheck'
  | 'revocation'
  | 'router'
  | 'service'
  | 'servicePolicy';

/** The kinds that a service policy relates to each other. */
export type RelatedKind = 'identity' | 'postureCheck' | 'service';

/** See `RelatedKind`. */
export const relatedKinds = ['service', 'postureCheck', 'identity'] as const;

/**
 * What a frame has changed, by ids alone: what is sent of it is read from the records when it is
 * sent. Of records it may name more than has changed, but never less. Relations are exact: routers
 * count them, so none may be sent twice.
 */
export interface Touches {
  /**
   * Records of which something changed that the model shows: kind, id, and the configs that it
   * refers to now or did before. Of a CA, the fingerprint of its certificate takes their place.
   */
  readonly records: readonly (readonly string[])[];
  /**
   * Relations that have come or gone because a policy changed: service policy, `RelatedKind`, ids
   * of that kind; or edge router policy, `user` and ids of identities. One that is the same as
   * before is not among them.
   */
  readonly relations: readonly (readonly string[])[];
  /**
   * The same, because a member changed: `RelatedKind`, id, and ids of service policies; or `user`,
   * identity, and ids of edge router policies. No relation is in both lists. Each is one text
   * (`joined`), because there may be hundreds of policies, and most frames are never read again.
   */
  readonly memberships: readonly string[];
  /** Routers that may see others than before, because their roles or configs changed. */
  readonly moved: readonly string[];
  /** Edge router policies that may select others than before: id, and `new` for a new one. */
  readonly policies: readonly (readonly string[])[];
  /** There are too many to name: whoever knows the model of an earlier index needs all of it. */
  readonly isWide: boolean;
}

/** Touches as a frame holds them. */
export type WrittenTouches = Pick<RecordOf<typeof routerModelKind.fields>, keyof Touches>;

/** Touches that are too many to name. */
export const wideTouches: WrittenTouches = {
  records: [],
  relations: [],
  memberships: [],
  moved: [],
  policies: [],
  isWide: true,
};

/** How many ids touches hold. */
export function idsIn({ records, relations, memberships, moved, policies }: Touches): number {
  let count = moved.length + policies.length;
  for (const row of records) count += row.length;
  for (const row of relations) count += row.length;
  for (const text of memberships) {
    for (let at = 0; at >= 0; count++) at = text.indexOf(separator, at + 1);
  }
  return count;
}

/** How often each relation of a policy and a kind has come or gone, by the id of the member. */
export type Changes = Map<string, number>;

/** Several touches as one, without what moves views. */
export class GatheredTouches {
  /** By kind and id: the configs, or the fingerprint. */
  readonly records = new Map<ModelKind, Map<string, Set<string>>>();
  /** By service policy and kind. */
  readonly relations = new Map<string, Map<RelatedKind, Changes>>();
  /** By edge router policy: identities. */
  readonly users = new Map<string, Changes>();

  /** Adds what a frame has touched. */
  add({ records, relations, memberships }: Touches): void {
    for (const [kind = '', id = '', ...configs] of records) {
      const known = this.note(kind as ModelKind, id);
      for (const config of configs) known.add(config);
    }
    for (const [policy = '', kind = '', ...ids] of relations) {
      const changes = this.#changesOf(policy, kind);
      for (const id of ids) changes.set(id, (changes.get(id) ?? 0) + 1);
    }
    for (const text of memberships) {
      const [kind = '', id = '', ...policies] = idsOf(text);
      for (const policy of policies) {
        const changes = this.#changesOf(policy, kind);
        changes.set(id, (changes.get(id) ?? 0) + 1);
      }
    }
  }

  /** Adds a record. @returns what it refers to, to be completed */
  note(kind: ModelKind, id: string): Set<string> {
    const known = entryOf(this.records, kind, () => new Map<string, Set<string>>());
    return entryOf(known, id, newSet);
  }

  /** Has a relation looked at that may be the same as before. */
  look(policy: string, kind: RelatedKind, id: string): void {
    const changes = this.#relationsOf(policy, kind);
    if (!changes.has(id)) changes.set(id, 0);
  }

  /** Whether a relation is now other than before. */
  isTurned(policy: string, kind: RelatedKind, id: string): boolean {
    return (this.relations.get(policy)?.get(kind)?.get(id) ?? 0) % 2 === 1;
  }

  /** Whether an edge router policy selects an identity now and did not before, or the reverse. */
  isUserTurned(policy: string, identity: string): boolean {
    return (this.users.get(policy)?.get(identity) ?? 0) % 2 === 1;
  }

  #changesOf(policy: string, kind: string): Changes {
    return kind === 'user' ? this.#usersOf(policy) : this.#relationsOf(policy, kind as RelatedKind);
  }

  #relationsOf(policy: string, kind: RelatedKind): Changes {
    const byKind = entryOf(this.relations, policy, () => new Map<RelatedKind, Changes>());
    return entryOf(byKind, kind, () => new Map<string, number>());
  }

  #usersOf(policy: string): Changes {
    return entryOf(this.users, policy, () => new Map<string, number>());
  }

  /** The ids of a kind whose records were touched. */
  of(kind: ModelKind): ReadonlyMap<string, ReadonlySet<string>> {
    return this.records.get(kind) ?? noRecords;
  }
}

const noRecords: ReadonlyMap<string, ReadonlySet<string>> = new Map();

const newSet = () => new Set<string>();

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}

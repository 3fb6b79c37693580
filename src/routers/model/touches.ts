// What one frame may have changed in the model of the network that routers get.

/** The kinds of records that the model is made of. */
export type ModelKind =
  | 'ca'
  | 'config'
  | 'configType'
  | 'identity'
  | 'postureCheck'
  | 'router'
  | 'service'
  | 'servicePolicy';

/** The kinds that a service policy relates to each other. */
export type RelatedKind = 'identity' | 'postureCheck' | 'service';

/** See `RelatedKind`. */
export const relatedKinds = ['service', 'postureCheck', 'identity'] as const;

/**
 * What a frame may have changed, by ids alone: what is sent of it is read from the records when it
 * is sent. So it may name more than has changed, but never less.
 */
export interface Touches {
  /**
   * Records of which something changed that the model shows: kind, id, and the configs that it
   * refers to now or did before. Of a CA, the fingerprint of its certificate takes their place.
   */
  readonly records: readonly (readonly string[])[];
  /** Relations that may have come or gone: service policy, `RelatedKind`, ids of that kind. */
  readonly relations: readonly (readonly string[])[];
  /** Routers that may see others than before, because their roles or configs changed. */
  readonly moved: readonly string[];
  /** Edge router policies that may select others than before: id, and `new` for a new one. */
  readonly policies: readonly (readonly string[])[];
  /** There are too many to name: whoever knows the model of an earlier index needs all of it. */
  readonly isWide: boolean;
}

/** Touches that are too many to name. */
export const wideTouches: Touches = {
  records: [],
  relations: [],
  moved: [],
  policies: [],
  isWide: true,
};

/** How many ids touches hold. */
export function idsIn({ records, relations, moved, policies }: Touches): number {
  let count = moved.length + policies.length;
  for (const row of records) count += row.length;
  for (const row of relations) count += row.length;
  return count;
}

/** Several touches as one, without what moves views. */
export class GatheredTouches {
  /** By kind and id: the configs, or the fingerprint. */
  readonly records = new Map<ModelKind, Map<string, Set<string>>>();
  /** By service policy and kind: ids. */
  readonly relations = new Map<string, Map<RelatedKind, Set<string>>>();

  /** Adds what a frame has touched. */
  add({ records, relations }: Touches): void {
    for (const [kind = '', id = '', ...configs] of records) {
      const known = this.note(kind as ModelKind, id);
      for (const config of configs) known.add(config);
    }
    for (const [policy = '', kind = '', ...ids] of relations) {
      for (const id of ids) this.relate(policy, kind as RelatedKind, id);
    }
  }

  /** Adds a record. @returns what it refers to, to be completed */
  note(kind: ModelKind, id: string): Set<string> {
    return entryOf(
      entryOf(this.records, kind, () => new Map<string, Set<string>>()),
      id,
      newSet,
    );
  }

  /** Adds a relation. */
  relate(policy: string, kind: RelatedKind, id: string): void {
    const related = entryOf(this.relations, policy, () => new Map<RelatedKind, Set<string>>());
    entryOf(related, kind, newSet).add(id);
  }

  /** The ids of a kind whose records were touched. */
  of(kind: ModelKind): ReadonlyMap<string, ReadonlySet<string>> {
    return this.records.get(kind) ?? noRecords;
  }

  /** The same as a frame has it. */
  toTouches(moved: Iterable<string>, policies: Iterable<readonly string[]>): Touches {
    const records: string[][] = [];
    for (const [kind, known] of this.records) {
      for (const [id, configs] of known) records.push([kind, id, ...configs]);
    }
    const relations: string[][] = [];
    for (const [policy, related] of this.relations) {
      for (const [kind, ids] of related) relations.push([policy, kind, ...ids]);
    }
    return { records, relations, moved: [...moved], policies: [...policies], isWide: false };
  }
}

const noRecords: ReadonlyMap<string, ReadonlySet<string>> = new Map();

const newSet = () => new Set<string>();

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}

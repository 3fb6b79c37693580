// The network that a controller has: every entity of every section, with names for ids.

import type { ControllerClient } from '../../client/index.ts';
import { type Fields, fieldsOf } from './entry.ts';
import { builtInConfigTypes } from './section-rows.ts';
import { type Section, type SectionName, sectionNames, sections } from './sections.ts';

/** An entity of the controller. */
export interface Present {
  readonly id: string;
  readonly name: string;
  readonly fields: Fields;
  /** The answer of the API. */
  readonly detail: Fields;
  /** Why it is neither exported nor deleted; undefined for all others. */
  readonly kept: Kept | undefined;
}

/**
 * `own`: the controller's own entity, which no file should name. `default`: every controller has
 * it, but it can be changed. `router`: it comes and goes with its edge router.
 */
export type Kept = 'own' | 'default' | 'router';

/** The entities by section and name. */
export class Network {
  readonly #byName = new Map<SectionName, Map<string, Present>>();
  readonly #nameById = new Map<SectionName, Map<string, string>>();
  /** Names that several entities of a section have: none of them can be meant by its name. */
  readonly ambiguous: { readonly section: SectionName; readonly name: string }[] = [];

  /** Adds what a controller answered, once for all sections: references need the names of all. */
  constructor(details: ReadonlyMap<SectionName, readonly Fields[]>) {
    for (const [section, list] of details) {
      const names = list.map((detail) => [String(detail['id']), String(detail['name'])] as const);
      this.#nameById.set(section, new Map(names));
    }
    for (const [name, list] of details) this.#add(sections[name], list);
  }

  #add(section: Section, details: readonly Fields[]): void {
    const present = new Map<string, Present>();
    this.#byName.set(section.name, present);
    for (const detail of details) {
      const [id, name] = [String(detail['id']), String(detail['name'])];
      if (present.has(name)) this.ambiguous.push({ section: section.name, name });
      const fields = fieldsOf(section, detail, (to, key) => this.#nameById.get(to)?.get(key));
      present.set(name, { id, name, fields, detail, kept: keptOf(section.name, detail) });
    }
  }

  /** The entities of a section, in the order of their names. */
  all(section: SectionName): Present[] {
    const found = [...(this.#byName.get(section)?.values() ?? [])];
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The entity of a name, or undefined. */
  find(section: SectionName, name: string): Present | undefined {
    return this.#byName.get(section)?.get(name);
  }

  /** Notes the id of an entity that was just created. */
  created(section: SectionName, name: string, id: string): void {
    const fresh = { id, name, fields: {}, detail: {}, kept: undefined };
    this.#byName.get(section)?.set(name, fresh);
  }
}

/**
 * Reads the entities of some sections.
 * @param said is called with the entities read so far
 * @param names the sections; all of them if absent
 */
export async function readNetwork(
  client: ControllerClient,
  said: (count: number) => void,
  names: readonly SectionName[] = sectionNames,
): Promise<Network> {
  const details = new Map<SectionName, Fields[]>(names.map((name) => [name, []]));
  let count = 0;
  for (const [name, list] of details) {
    for await (const row of client.rows(sections[name].path)) {
      // Each path has a type of its own for its rows; sections name their fields instead.
      list.push(row as unknown as Fields);
      count += 1;
      if (count % 100 === 0) said(count);
    }
  }
  // The list of transit routers holds every router.
  const edge = new Set(details.get('edgeRouters')?.map(({ id }) => id));
  const routers = details.get('transitRouters');
  if (routers !== undefined) {
    details.set(
      'transitRouters',
      routers.filter(({ id }) => !edge.has(id)),
    );
  }
  return new Network(details);
}

const builtInTypes: ReadonlySet<string> = new Set(builtInConfigTypes);

function keptOf(section: SectionName, detail: Fields): Kept | undefined {
  if (section === 'configTypes')
    return builtInTypes.has(String(detail['name'])) ? 'own' : undefined;
  if (section === 'authPolicies') return detail['id'] === 'default' ? 'default' : undefined;
  if (section === 'edgeRouterPolicies') return detail['isSystem'] === true ? 'own' : undefined;
  if (section !== 'identities') return undefined;
  if (detail['isDefaultAdmin'] === true) return 'own';
  return detail['typeId'] === 'Router' ? 'router' : undefined;
}

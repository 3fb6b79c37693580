// What has to be done so that a controller has the network of a file: computed before anything is
// changed.

import { type Change, changesOf, type Fields } from './entry.ts';
import { danglingFaults, type Entry, type Fault, type NetworkFile } from './file-entries.ts';
import type { Network, Present } from './network.ts';
import { type Section, type SectionName, sectionNames, sections } from './sections.ts';

/** One step of a plan. */
export type Step =
  | { readonly action: 'create'; readonly section: Section; readonly entry: Entry }
  | {
      readonly action: 'update';
      readonly section: Section;
      readonly entry: Entry;
      readonly changes: readonly Change[];
      /** Undefined for the identity of a router that the plan creates. */
      readonly present: Present | undefined;
    }
  | { readonly action: 'delete'; readonly section: Section; readonly present: Present };

/** The steps in their order, or the faults that forbid them. */
export interface Plan {
  readonly creations: readonly Extract<Step, { action: 'create' }>[];
  readonly updates: readonly Extract<Step, { action: 'update' }>[];
  /** Those that refer to others come first. */
  readonly deletions: readonly Extract<Step, { action: 'delete' }>[];
  readonly unchanged: number;
  readonly faults: readonly Fault[];
}

/** What a creation lacks or has wrong. */
export interface CreationProblem {
  readonly field: string;
  readonly reason: string;
  readonly value: unknown;
}

/** How a plan is made. */
export interface PlanOptions {
  /** Whether entities that the file does not name are deleted, in its sections. */
  readonly isPruning: boolean;
  /** Checks what the file creates; absent for a file that a command makes. */
  readonly problemOf?: (entry: Entry) => CreationProblem | undefined;
}

/** The plan for a file without faults. */
export function planOf(
  file: NetworkFile,
  network: Network,
  { isPruning, problemOf = () => undefined }: PlanOptions,
): Plan {
  const named = new Map(sectionNames.map((name) => [name, new Map<string, Entry>()]));
  for (const entry of file.entries) named.get(entry.section.name)?.set(entry.name, entry);
  const isNamed = (section: SectionName, name: string) => named.get(section)?.has(name) === true;
  const deletions = isPruning ? deletionsOf(file, network, isNamed) : [];
  const going = new Set(deletions.map(({ present }) => present.id));
  const isKnown = (to: SectionName, name: string) => {
    if (isNamed(to, name) || (to === 'identities' && isTunneler(named, name))) return true;
    const present = network.find(to, name);
    return present !== undefined && !going.has(present.id);
  };
  const comparison = compared(file, network, named, problemOf);
  const faults = [
    ...comparison.faults,
    ...danglingFaults(file, isKnown),
    ...network.ambiguous
      .filter(({ section }) => file.sections.has(section))
      .map(({ section, name }) => ({
        path: [section],
        reason: 'the controller has several of this name, which no file can tell apart',
        value: name,
      })),
  ];
  return { ...comparison, deletions, faults };
}

/** Deletions in the reverse order of creation. */
function deletionsOf(
  file: NetworkFile,
  network: Network,
  isNamed: (section: SectionName, name: string) => boolean,
): Extract<Step, { action: 'delete' }>[] {
  return sectionNames.toReversed().flatMap((name) => {
    if (!file.sections.has(name)) return [];
    return network
      .all(name)
      .filter((present) => present.kept === undefined && !isNamed(name, present.name))
      .map((present) => ({ action: 'delete' as const, section: sections[name], present }));
  });
}

type Comparison = Omit<Plan, 'deletions'>;
type Named = ReadonlyMap<SectionName, ReadonlyMap<string, Entry>>;

function compared(
  file: NetworkFile,
  network: Network,
  named: Named,
  problemOf: NonNullable<PlanOptions['problemOf']>,
): Comparison {
  const creations: Plan['creations'][number][] = [];
  const updates: Plan['updates'][number][] = [];
  const faults: Fault[] = [];
  let unchanged = 0;
  const fault = (entry: Entry, field: string, reason: string, value?: unknown) => {
    const path = [...entry.path, field];
    faults.push({ path, reason, value, line: file.lineOf(path) });
  };
  for (const name of sectionNames) {
    for (const entry of named.get(name)?.values() ?? []) {
      const { section, fields } = entry;
      const present = network.find(name, entry.name);
      if (present === undefined) {
        if (isOfRouter(entry, named)) {
          const changes = changesOf(section, withoutFixed(section, fields), {});
          updates.push({ action: 'update', section, entry, changes, present });
          continue;
        }
        creations.push({ action: 'create', section, entry });
        const problem = problemOf(entry);
        if (problem !== undefined) fault(entry, problem.field, problem.reason, problem.value);
        continue;
      }
      const changes = changesOf(section, knownTypes(section, fields), present.fields);
      for (const { path, from, to } of changes) {
        if (!section.fixed.has(path)) continue;
        const reason = `cannot be changed, it is ${JSON.stringify(from)}: delete and create ${entry.name}, or give it another name`;
        fault(entry, path, reason, to);
      }
      if (changes.length === 0) unchanged += 1;
      else updates.push({ action: 'update', section, entry, changes, present });
    }
  }
  return { creations, updates, unchanged, faults };
}

/** Types of identities that the controller stores as `Default`. */
const aliases = new Set(['User', 'Device', 'Service']);

function knownTypes({ name }: Section, fields: Fields): Fields {
  const isAlias = name === 'identities' && aliases.has(String(fields['type']));
  return isAlias ? { ...fields, type: 'Default' } : fields;
}

/** The fields that an update may name. */
export function withoutFixed({ fixed }: Section, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !fixed.has(name)));
}

/** An identity that comes with an edge router of the file, so it is changed and not created. */
function isOfRouter({ section, name, fields }: Entry, named: Named): boolean {
  return section.name === 'identities' && fields['type'] === 'Router' && isTunneler(named, name);
}

function isTunneler(named: Named, name: string): boolean {
  return named.get('edgeRouters')?.get(name)?.fields['isTunnelerEnabled'] === true;
}

/** Fields that the API requires of a creation and a file may leave out. */
export function creationDefaults({ name }: Section): Fields {
  if (name === 'identities') return { type: 'Default', isAdmin: false };
  return name === 'services' ? { encryptionRequired: true } : {};
}

/** Whether a plan has nothing to do. */
export function isEmptyPlan({ creations, updates, deletions }: Plan): boolean {
  return creations.length + updates.length + deletions.length === 0;
}

// Carries a plan out: creations and updates in the order of references, then deletions in the
// reverse order; within a section several at a time.

import { type ControllerClient, RequestRefused } from '../../client/index.ts';
import { bodyOf, type Fields, isObject, type Translate, updateValueOf } from './entry.ts';
import type { Network } from './network.ts';
import { creationDefaults, type Plan, type Step, withoutFixed } from './plan.ts';
import { type Section, type SectionName, sectionNames, sections } from './sections.ts';

/** A step that the controller refused. */
export interface Failure {
  readonly step: Step;
  readonly error: Error;
}

/** A plan, and the controller that it is carried out on. */
export interface Work {
  readonly client: ControllerClient;
  readonly network: Network;
  readonly plan: Plan;
  /** Steps at once. */
  readonly concurrency: number;
  /** Called after each step, with the entries of the plan that are done. */
  readonly said: (done: number, all: number) => void;
  /** Whether no further step may begin. */
  readonly isInterrupted: () => boolean;
}

/**
 * How far a plan was carried out. A creation counts once its last fields are set: some fields are
 * set after everything was created.
 */
export interface Carried {
  /** Entries of the plan that are done. */
  readonly done: number;
  /** Entries of the plan. */
  readonly all: number;
  /** The refused steps. */
  readonly failures: readonly Failure[];
}

/**
 * Takes every step whose references are there. A refused step does not stop the others of its
 * section, but nothing later begins: what follows could refer to it. Steps that have begun when it
 * is interrupted are waited for.
 * @throws ControllerUnreachable
 */
export async function carryOut(work: Work): Promise<Carried> {
  const { creations, updates, deletions } = work.plan;
  const late = [...creations, ...updates].filter(({ section, entry }) =>
    Object.keys(entry.fields).some((field) => section.late.has(field)),
  );
  const soon = updates.filter((step) => !late.includes(step));
  const all = creations.length + updates.length + deletions.length;
  const run = new Run(work, all, new Set(late.filter(({ action }) => action === 'create')));
  const of = (name: SectionName, steps: readonly Step[]) =>
    steps.filter(({ section }) => section.name === name);
  const stages: (readonly Step[])[] = [
    ...sectionNames.flatMap((name) => [of(name, creations), of(name, soon)]),
    late.map((step) => (step.action === 'create' ? lateUpdate(step.section, step.entry) : step)),
    ...sectionNames.toReversed().map((name) => of(name, deletions)),
  ];
  for (const stage of stages) {
    const failures = await run.take(stage);
    if (failures.length > 0 || work.isInterrupted()) return { done: run.done, all, failures };
  }
  return { done: run.done, all, failures: [] };
}

type Update = Extract<Step, { action: 'update' }>;

/** The fields that a creation had to leave out. */
function lateUpdate(section: Section, entry: Update['entry']): Update {
  const changes = Object.entries(entry.fields)
    .filter(([field]) => section.late.has(field))
    .map(([path, to]) => ({ path, from: undefined, to }));
  return { action: 'update', section, entry, changes, present: undefined };
}

class Run {
  readonly #work: Work;
  readonly #all: number;
  /** Creations that a later step completes. */
  readonly #begun: ReadonlySet<Step>;
  readonly #idOf: Translate;
  /** Entries of the plan that are done. */
  done = 0;
  #ended = 0;

  constructor(work: Work, all: number, begun: ReadonlySet<Step>) {
    this.#work = work;
    this.#all = all;
    this.#begun = begun;
    this.#idOf = (to, name) => work.network.find(to, name)?.id;
  }

  async take(steps: readonly Step[]): Promise<Failure[]> {
    const failures: Failure[] = [];
    const waiting = steps.values();
    const lane = async () => {
      for (const step of waiting) {
        if (this.#work.isInterrupted()) return;
        const entries = this.#begun.has(step) ? 0 : 1;
        try {
          await this.#takeOne(step);
          this.done += entries;
        } catch (error) {
          if (!(error instanceof RequestRefused)) throw error;
          failures.push({ step, error });
        }
        this.#ended += entries;
        this.#work.said(this.#ended, this.#all);
      }
    };
    await Promise.all(Array.from({ length: this.#work.concurrency }, lane));
    return failures;
  }

  async #takeOne(step: Step): Promise<void> {
    switch (step.action) {
      case 'create':
        return await this.#create(step);
      case 'update':
        return await this.#update(step);
      case 'delete':
        return await this.#delete(step);
    }
  }

  async #create({ section, entry }: Extract<Step, { action: 'create' }>): Promise<void> {
    const { client, network } = this.#work;
    const early = without(section.late, entry.fields);
    const body = { ...creationDefaults(section), ...bodyOf(section, early, this.#idOf) };
    const answer = await client.ask('POST', section.path, { ...body, name: entry.name });
    const { data } = answer as { readonly data: { readonly id: string } };
    network.created(section.name, entry.name, data.id);
    await this.#learnIdentityOf(section, entry);
  }

  async #update({ section, entry, changes, present }: Update): Promise<void> {
    const changed = new Set(changes.map(({ path }) => path.split('.')[0]));
    const fields: Record<string, unknown> = {};
    for (const [name, told] of Object.entries(withoutFixed(section, entry.fields))) {
      const value = updateValueOf(section, name, told);
      if (changed.has(name)) fields[name] = whole(section, name, value, present?.fields);
    }
    for (const name of section.repeated) fields[name] = present?.fields[name];
    const id = present?.id ?? (await this.#idNow(section, entry.name));
    await this.#work.client.ask(
      'PATCH',
      `${section.path}/${id}`,
      bodyOf(section, fields, this.#idOf),
    );
    await this.#learnIdentityOf(section, entry);
  }

  /** The identity of a router with a tunneler is made with it; policies may name it. */
  async #learnIdentityOf({ name }: Section, entry: Update['entry']): Promise<void> {
    if (name !== 'edgeRouters' || entry.fields['isTunnelerEnabled'] !== true) return;
    await this.#idNow(sections.identities, entry.name);
  }

  /** The id of an entity that this run created, or that came with one. */
  async #idNow(section: Section, name: string): Promise<string> {
    const known = this.#idOf(section.name, name);
    if (known !== undefined) return known;
    const filter = `name = ${JSON.stringify(name)}`;
    for await (const row of this.#work.client.rows(section.path, { filter })) {
      const { id } = row as { readonly id: string };
      this.#work.network.created(section.name, name, id);
      return id;
    }
    const error = { message: `${name} did not come with its edge router` };
    throw new RequestRefused(section.path, 0, { error });
  }

  async #delete({ section, present }: Extract<Step, { action: 'delete' }>): Promise<void> {
    try {
      await this.#work.client.ask('DELETE', `${section.path}/${present.id}`);
    } catch (error) {
      // It went together with something that referred to it, or another run deleted it.
      if (!(error instanceof RequestRefused && error.status === 404)) throw error;
    }
  }
}

function without(names: ReadonlySet<string>, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

/** Objects of which the file names some members only are sent with all of them. */
function whole(section: Section, name: string, value: unknown, present: Fields = {}): unknown {
  return section.partial.has(name) ? merged(value, present[name]) : value;
}

function merged(value: unknown, under: unknown): unknown {
  if (!isObject(value) || !isObject(under)) return value;
  const result: Record<string, unknown> = { ...under };
  for (const [key, inner] of Object.entries(value)) result[key] = merged(inner, under[key]);
  return result;
}

// What a group of routers is told of touched records: the events that bring what it saw before to
// what it sees now. They are made from the present records, and may be applied more than once.

import { serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import { deletion, type EventKind, type ModelEvent, type ModelEvents, relation } from './events.ts';
import { type GatheredTouches, type RelatedKind, relatedKinds } from './touches.ts';
import type { ModelView, ViewEnvironment } from './view.ts';

/** What the routers saw before. */
export interface FormerView {
  /** Whether they saw an identity. */
  hadIdentity(id: string): boolean;
  /** Whether they saw a service policy. */
  hadPolicy(id: string): boolean;
  /** Whether a service policy selected a member, whether they saw it or not. */
  selected(policyId: string, kind: RelatedKind, id: string): boolean;
  /** Configs besides those of touched records that they may have seen, or may see now. */
  readonly configs: readonly string[];
}

/** What is needed to make events. */
export interface ChangesContext {
  readonly env: ViewEnvironment;
  readonly events: ModelEvents;
  /** The events of public keys: of CAs by their fingerprints. */
  keyEvents(fingerprints: Iterable<string>): Iterable<ModelEvent>;
}

/** The events for a view, in the order in which routers take them. */
export function viewChanges(
  context: ChangesContext,
  view: ModelView,
  touches: GatheredTouches,
  former: FormerView,
): ModelEvent[] {
  return new ViewChanges(context, view, touches, former).events();
}

type Ids = Map<EventKind, Set<string>>;

/** Of a policy, what comes and goes by kind. */
type Relations = Map<string, Map<RelatedKind, string[]>>;

class ViewChanges {
  readonly #context: ChangesContext;
  readonly #view: ModelView;
  readonly #touches: GatheredTouches;
  readonly #former: FormerView;
  readonly #puts: Ids = new Map();
  readonly #deletions: Ids = new Map();
  readonly #updated = new Set<string>();
  readonly #adds: Relations = new Map();
  readonly #removals: Relations = new Map();
  /** Configs that come or go with what refers to them. */
  readonly #configs = new Set<string>();

  constructor(
    context: ChangesContext,
    view: ModelView,
    touches: GatheredTouches,
    former: FormerView,
  ) {
    this.#context = context;
    this.#view = view;
    this.#touches = touches;
    this.#former = former;
  }

  events(): ModelEvent[] {
    for (const config of this.#former.configs) this.#configs.add(config);
    for (const [id, configs] of this.#touches.of('identity')) this.#identity(id, configs);
    const policies = new Set([
      ...this.#touches.of('servicePolicy').keys(),
      ...this.#touches.relations.keys(),
    ]);
    for (const id of policies) this.#policy(id);
    for (const [id, configs] of this.#touches.of('service')) this.#service(id, configs);
    for (const id of this.#touches.of('postureCheck').keys()) {
      if (this.#view.isCheckVisible(id)) this.#put('postureCheck', id);
    }
    for (const kind of ['configType', 'router', 'revocation'] as const) {
      const table = this.#context.env.store.tableNamed(kind);
      for (const id of this.#touches.of(kind).keys()) {
        if (table.peek(id) === undefined) this.#delete(kind, id);
        else this.#put(kind, id);
      }
    }
    for (const id of this.#touches.of('config').keys()) {
      if (this.#view.isConfigVisible(id)) this.#put('config', id);
    }
    for (const id of this.#configs) {
      if (this.#view.isConfigVisible(id)) this.#put('config', id);
      else this.#delete('config', id);
    }
    return [...this.#inOrder()];
  }

  #identity(id: string, configs: Iterable<string>): void {
    const had = this.#former.hadIdentity(id);
    const has = this.#view.hasIdentity(id);
    if (!has && !had) return;
    for (const config of configs) this.#configs.add(config);
    if (!has) this.#delete('identity', id);
    else {
      this.#put('identity', id);
      if (had) this.#updated.add(id);
    }
  }

  #policy(id: string): void {
    const row = this.#context.env.store.table(servicePolicyKind).peek(id);
    const had = this.#former.hadPolicy(id);
    const has = row !== undefined && this.#view.isPolicyVisible(row.slot);
    const related = this.#touches.relations.get(id);
    if (has && had) {
      if (this.#touches.of('servicePolicy').has(id)) this.#put('servicePolicy', id);
      for (const [kind, members] of related ?? []) {
        for (const member of members.keys()) this.#relate(id, row.slot, kind, member);
      }
    } else if (has) this.#whole(id, row.slot);
    else if (had) {
      this.#delete('servicePolicy', id);
      for (const kind of ['service', 'postureCheck'] as const) {
        const members = new Set(related?.get(kind)?.keys());
        if (row !== undefined)
          for (const one of this.#view.members(row.slot, kind)) members.add(one);
        for (const member of members) {
          if (this.#former.selected(id, kind, member)) this.#dropped(kind, member);
        }
      }
    }
  }

  #relate(policy: string, slot: number, kind: RelatedKind, member: string): void {
    const isOne = kind === 'identity';
    const had = this.#former.selected(policy, kind, member);
    const wasRelated = had && (!isOne || this.#former.hadIdentity(member));
    const has = this.#view.selects(slot, kind, member);
    const isRelated = has && (!isOne || this.#view.hasIdentity(member));
    if (isRelated === wasRelated) return;
    listOf(isRelated ? this.#adds : this.#removals, policy, kind).push(member);
    if (isOne) return;
    if (isRelated) this.#related(kind, member);
    else this.#dropped(kind, member);
  }

  /** A policy that the routers have not seen before. */
  #whole(policy: string, slot: number): void {
    this.#put('servicePolicy', policy);
    for (const kind of relatedKinds) {
      for (const member of this.#view.members(slot, kind)) {
        listOf(this.#adds, policy, kind).push(member);
        if (kind !== 'identity') this.#related(kind, member);
      }
    }
  }

  /** A visible policy relates to it now. */
  #related(kind: 'service' | 'postureCheck', id: string): void {
    this.#put(kind, id);
    if (kind === 'postureCheck') return;
    const row = this.#context.env.store.table(serviceKind).peek(id);
    for (const config of row?.record.configs ?? []) this.#configs.add(config);
  }

  /** A policy does not relate to it any more. */
  #dropped(kind: 'service' | 'postureCheck', id: string): void {
    const view = this.#view;
    if (kind === 'service' ? view.isServiceVisible(id) : view.isCheckVisible(id)) return;
    this.#delete(kind, id);
    if (kind === 'postureCheck') return;
    const row = this.#context.env.store.table(serviceKind).peek(id);
    for (const config of row?.record.configs ?? []) this.#configs.add(config);
    for (const config of this.#touches.of('service').get(id) ?? []) this.#configs.add(config);
  }

  #service(id: string, configs: Iterable<string>): void {
    if (!this.#view.isServiceVisible(id)) return;
    this.#put('service', id);
    for (const config of configs) this.#configs.add(config);
  }

  #put(kind: EventKind, id: string): void {
    setOf(this.#puts, kind).add(id);
  }

  #delete(kind: EventKind, id: string): void {
    setOf(this.#deletions, kind).add(id);
  }

  *#inOrder(): Generator<ModelEvent> {
    const { events, keyEvents } = this.#context;
    for (const kind of putOrder) {
      for (const id of this.#puts.get(kind) ?? []) {
        const isUpdate = kind === 'identity' && this.#updated.has(id);
        const event = isUpdate ? events.update(id) : events.creation(kind, id);
        if (event !== undefined) yield event;
      }
    }
    yield* relationEvents(this.#adds, true);
    yield* relationEvents(this.#removals, false);
    for (const kind of deletionOrder) {
      for (const id of this.#deletions.get(kind) ?? []) yield deletion(kind, id);
    }
    const cas = this.#touches.of('ca').values();
    yield* keyEvents([...cas].flatMap((fingerprints) => [...fingerprints]));
  }
}

/** What is referred to comes before what refers to it. */
const putOrder: readonly EventKind[] = [
  ...(['configType', 'config', 'identity', 'service', 'router'] as const),
  ...(['postureCheck', 'servicePolicy', 'revocation'] as const),
];

const deletionOrder: readonly EventKind[] = [...putOrder].reverse();

function* relationEvents(relations: Relations, add: boolean): Generator<ModelEvent> {
  for (const [policy, byKind] of relations) {
    for (const [kind, ids] of byKind) {
      if (ids.length > 0) yield relation(policy, kind, ids, add);
    }
  }
}

function listOf(relations: Relations, policy: string, kind: RelatedKind): string[] {
  let byKind = relations.get(policy);
  if (byKind === undefined) relations.set(policy, (byKind = new Map()));
  let ids = byKind.get(kind);
  if (ids === undefined) byKind.set(kind, (ids = []));
  return ids;
}

function setOf(ids: Ids, kind: EventKind): Set<string> {
  let known = ids.get(kind);
  if (known === undefined) ids.set(kind, (known = new Set()));
  return known;
}

// Builds the whole model that a group of routers sees, in small steps while writes go on.

import { identityKind } from '../../records/identity.ts';
import { serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { Table } from '../../store/table.ts';
import {
  type EventKind,
  eventFieldBytes,
  type ModelEvent,
  type ModelEvents,
  relation,
} from './events.ts';
import { type RelatedKind, relatedKinds, type Touches } from './touches.ts';
import type { ModelView, ViewEnvironment } from './view.ts';

/** Records or ids between two looks at the clock: 0.1 ms. */
const recordsAStep = 100;
/** Ids of one event of relations, so that a step takes no longer. */
const idsAnEvent = 1000;

/** What building works with. */
export interface FullStateOptions {
  readonly env: ViewEnvironment;
  readonly events: ModelEvents;
  readonly view: ModelView;
  /** Beyond so many bytes, events are counted and not kept. */
  readonly bytesMax: number;
}

/**
 * The events of a whole model. They say what the routers see at `index`, but for what was touched
 * meanwhile: that may be in them in its older or newer form, or be missing. So the changes after
 * `index` have to follow.
 */
export class FullState {
  readonly #options: FullStateOptions;
  /** The index at which building began. */
  readonly index: number;
  readonly events: ModelEvent[] = [];
  /** The bytes of all events, also of those that were not kept. */
  bytes = 0;
  /** Records that were touched since it began, by kind and id. */
  readonly #touched = new Set<string>();
  /** What relations may name: services and posture checks by id, identities by id too. */
  readonly #included: Record<RelatedKind, Set<string>> = {
    service: new Set(),
    postureCheck: new Set(),
    identity: new Set(),
  };

  constructor(options: FullStateOptions, index: number) {
    this.#options = options;
    this.index = index;
  }

  /** Whether it is too large to be sent. */
  get isTooLarge(): boolean {
    return this.bytes > this.#options.bytesMax;
  }

  /** A commit touches records meanwhile. */
  note({ records }: Touches): void {
    for (const [kind, id] of records) this.#touched.add(`${kind}/${id}`);
  }

  /** Makes all events, some per step. */
  *steps(): Generator<undefined, void> {
    const { env, view } = this.#options;
    const { store } = env;
    yield* this.#all('configType', store.tableNamed('configType'), () => true);
    yield* this.#all('config', store.tableNamed('config'), (id) => view.isConfigVisible(id));
    yield* this.#identities();
    yield* this.#all('service', store.table(serviceKind), (id) => view.isServiceVisible(id));
    yield* this.#all('router', store.tableNamed('router'), () => true);
    yield* this.#all('postureCheck', store.tableNamed('postureCheck'), (id) =>
      view.isCheckVisible(id),
    );
    const policies: string[] = [];
    for (const { id, slot } of store.table(servicePolicyKind).all()) {
      if (this.#touched.has(`servicePolicy/${id}`) || !view.isPolicyVisible(slot)) continue;
      policies.push(id);
      this.#add(this.#options.events.creation('servicePolicy', id));
      for (const kind of ['service', 'postureCheck'] as const) yield* this.#related(id, kind);
      yield;
    }
    for (const id of policies) yield* this.#related(id, 'identity');
    for (const kind of relatedKinds) this.#included[kind].clear();
  }

  *#all(
    kind: EventKind,
    table: Pick<Table, 'all'>,
    isVisible: (id: string) => boolean,
  ): Generator<undefined, void> {
    let count = 0;
    for (const { id } of table.all()) {
      if (++count % recordsAStep === 0) yield;
      if (this.#touched.has(`${kind}/${id}`) || !isVisible(id)) continue;
      if (kind === 'service' || kind === 'postureCheck') this.#included[kind].add(id);
      this.#add(this.#options.events.creation(kind, id));
    }
    yield;
  }

  *#identities(): Generator<undefined, void> {
    const { env, view, events } = this.#options;
    const table = env.store.table(identityKind);
    let count = 0;
    for (let slot = view.identities.next(-1); slot >= 0; slot = view.identities.next(slot)) {
      const row = table.inSlot(slot);
      if (row !== undefined && !this.#touched.has(`identity/${row.id}`)) {
        this.#included.identity.add(row.id);
        this.#add(events.creation('identity', row.id));
      }
      if (++count % recordsAStep === 0) yield;
    }
    yield;
  }

  /** The relations of a policy of one kind. */
  *#related(policyId: string, kind: RelatedKind): Generator<undefined, void> {
    const { env, view } = this.#options;
    const policy = env.store.table(servicePolicyKind).peek(policyId);
    if (policy === undefined) return;
    const included = this.#included[kind];
    // Read at once, because the members of a policy may change between two steps.
    const members = [...view.members(policy.slot, kind)];
    for (let at = 0; at < members.length; at += idsAnEvent) {
      const ids = members.slice(at, at + idsAnEvent).filter((id) => included.has(id));
      if (ids.length > 0) this.#add(relation(policyId, kind, ids, true));
      yield;
    }
  }

  #add(event: ModelEvent | undefined): void {
    if (event === undefined) return;
    this.bytes += eventFieldBytes(event);
    if (this.isTooLarge) this.events.length = 0;
    else this.events.push(event);
  }
}

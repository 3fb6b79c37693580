// Builds the whole model that a group of routers sees, in small steps.

import { identityKind } from '../../records/identity.ts';
import { serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { Table } from '../../store/table.ts';
import type { CommonEvents } from './common-events.ts';
import {
  type EventKind,
  eventFieldBytes,
  type ModelEvent,
  type ModelEvents,
  relation,
} from './events.ts';
import type { RelatedKind } from './touches.ts';
import type { ModelView, ViewEnvironment } from './view.ts';

/** Records or ids between two looks at the clock: 0.1 ms. */
const recordsAStep = 100;
/** Ids of one event of relations, so that a step takes no longer. */
const idsAnEvent = 1000;

/** What building works with. */
export interface FullStateOptions {
  readonly env: ViewEnvironment;
  readonly events: ModelEvents;
  readonly common: CommonEvents;
  readonly view: ModelView;
  /** Beyond so many bytes, events are counted and not kept. */
  readonly bytesMax: number;
}

/** The events of a whole model. Nothing of it may change from the first step to the last. */
export class FullState {
  readonly #options: FullStateOptions;
  /** The index of the model. */
  readonly index: number;
  /** The events that routers of this group see; they follow those in `common`. */
  readonly events: ModelEvent[] = [];
  /** What the routers of all groups see, as fields of a state. */
  common: Buffer = Buffer.alloc(0);
  /** The bytes of all events, also of those that were not kept. */
  bytes = 0;
  constructor(options: FullStateOptions, index: number) {
    this.#options = options;
    this.index = index;
  }

  /** Whether it is too large to be sent. */
  get isTooLarge(): boolean {
    return this.bytes > this.#options.bytesMax;
  }

  /** Makes all events, some per step. */
  *steps(): Generator<undefined, void> {
    const { env, view, common } = this.#options;
    const { store } = env;
    this.common = yield* common.steps();
    this.bytes += this.common.length;
    yield* this.#all('config', store.tableNamed('config'), (id) => view.isConfigVisible(id));
    yield* this.#identities();
    yield* this.#all('service', store.table(serviceKind), (id) => view.isServiceVisible(id));
    yield* this.#all('postureCheck', store.tableNamed('postureCheck'), (id) =>
      view.isCheckVisible(id),
    );
    const policies: string[] = [];
    for (const { id, slot } of store.table(servicePolicyKind).all()) {
      if (!view.isPolicyVisible(slot)) continue;
      policies.push(id);
      this.#add(this.#options.events.creation('servicePolicy', id));
      for (const kind of ['service', 'postureCheck'] as const) yield* this.#related(id, kind);
      yield;
    }
    for (const id of policies) yield* this.#related(id, 'identity');
  }

  *#all(
    kind: EventKind,
    table: Pick<Table, 'all'>,
    isVisible: (id: string) => boolean,
  ): Generator<undefined, void> {
    let count = 0;
    for (const { id } of table.all()) {
      if (++count % recordsAStep === 0) yield;
      if (!isVisible(id)) continue;
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
      if (row !== undefined) this.#add(events.creation('identity', row.id));
      if (++count % recordsAStep === 0) yield;
    }
    yield;
  }

  /** The relations of a policy of one kind. */
  *#related(policyId: string, kind: RelatedKind): Generator<undefined, void> {
    const { env, view } = this.#options;
    const policy = env.store.table(servicePolicyKind).peek(policyId);
    if (policy === undefined) return;
    const members = [...view.members(policy.slot, kind)];
    for (let at = 0; at < members.length; at += idsAnEvent) {
      this.#add(relation(policyId, kind, members.slice(at, at + idsAnEvent), true));
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

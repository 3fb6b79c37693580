// The routers that subscribe to the model, grouped by what they see.

import { configKind } from '../../records/config.ts';
import { configTypeKind } from '../../records/config-type.ts';
import { routerKind } from '../../records/router.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import { keyOf, policiesOf } from '../sync/by-policy.ts';
import type { FullStateReason } from './model-port.ts';
import { ModelView, type ViewEnvironment } from './view.ts';

/** A router that has asked for the model. */
export interface Subscriber {
  readonly router: ConnectedRouter;
  /** The slot of its record. */
  readonly slot: number;
  group: ModelGroup;
  /** The id that it gave its subscription, and the headers that say so. */
  subscriptionId: string;
  headers: Buffer;
  /** Monotonic ms at which the subscription ends. */
  untilMs: number;
  /** The index that it was last sent or has told. */
  index: number;
  /** Whether it gets each change set from `liveFrom` on, exclusively. */
  isLive: boolean;
  liveFrom: number;
  /** Whether change sets were left out because it does not read. */
  isBehind: boolean;
  /** Why it waits for the whole model, if it does. */
  awaits: FullStateReason | undefined;
  /** Frees its share in the state that it is about to be sent, if there is one. */
  delivered: (() => void) | undefined;
  /** Grows whenever its place in the model is decided anew. */
  epoch: number;
  /** The index that it was last told by itself. */
  toldIndex: number;
  lastFull: { readonly atMs: number; readonly reason: FullStateReason } | undefined;
}

/** Routers that see the same. */
export interface ModelGroup {
  readonly key: string;
  readonly view: ModelView;
  readonly routers: Set<Subscriber>;
}

/** Routers that have gone from one group to another, or stay in one that sees others now. */
export interface RegroupedRouters {
  readonly from: ModelGroup;
  readonly to: ModelGroup;
  readonly routers: Subscriber[];
}

/** All subscribers, each in its group. */
export class ModelGroups {
  readonly #env: ViewEnvironment;
  readonly #groups = new Map<string, ModelGroup>();
  /** By the ids of the edge router policies that select their routers. */
  readonly #byPolicy = new Map<string, Set<ModelGroup>>();
  readonly #subscribers = new Map<string, Subscriber>();

  constructor(env: ViewEnvironment) {
    this.#env = env;
  }

  /** How many subscribers there are. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** How many groups there are. */
  get count(): number {
    return this.#groups.size;
  }

  /** All groups, in no order. */
  all(): IterableIterator<ModelGroup> {
    return this.#groups.values();
  }

  /** The groups of the routers that an edge router policy selects. */
  ofPolicy(id: string): Iterable<ModelGroup> {
    return this.#byPolicy.get(id) ?? [];
  }

  /** All subscribers, in no order. */
  subscribers(): IterableIterator<Subscriber> {
    return this.#subscribers.values();
  }

  /** The subscriber of a router. */
  get(routerId: string): Subscriber | undefined {
    return this.#subscribers.get(routerId);
  }

  /** Adds a router that is not here yet; undefined if it has no record. */
  add(router: ConnectedRouter): Subscriber | undefined {
    const slot = this.#env.store.table(routerKind).peek(router.id)?.slot;
    if (slot === undefined) return undefined;
    const subscriber: Subscriber = {
      router,
      slot,
      group: this.#groupOf(slot),
      subscriptionId: '',
      headers: Buffer.alloc(0),
      untilMs: 0,
      index: 0,
      isLive: false,
      liveFrom: 0,
      isBehind: false,
      awaits: undefined,
      delivered: undefined,
      epoch: 0,
      toldIndex: 0,
      lastFull: undefined,
    };
    subscriber.group.routers.add(subscriber);
    this.#subscribers.set(router.id, subscriber);
    return subscriber;
  }

  /** A router is gone. */
  delete(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber.router.id);
    const { group } = subscriber;
    group.routers.delete(subscriber);
    if (group.routers.size === 0) this.#drop(group);
  }

  /** Moves the routers whose policies or configs have changed to their present groups. */
  regroup(): RegroupedRouters[] {
    const ways = new Map<string, RegroupedRouters>();
    for (const subscriber of this.#subscribers.values()) {
      const from = subscriber.group;
      const to = this.#groupOf(subscriber.slot);
      if (from === to) continue;
      const way = `${from.key}>${to.key}`;
      const others = ways.get(way);
      if (others === undefined) ways.set(way, { from, to, routers: [subscriber] });
      else others.routers.push(subscriber);
    }
    for (const { from, to, routers } of ways.values()) {
      for (const subscriber of routers) {
        from.routers.delete(subscriber);
        to.routers.add(subscriber);
        subscriber.group = to;
      }
    }
    // Others may have come to a group that all of its routers have left.
    for (const { from } of ways.values()) {
      if (from.routers.size === 0) this.#drop(from);
    }
    return [...ways.values()];
  }

  #groupOf(slot: number): ModelGroup {
    const policies = policiesOf(this.#env, 'router', slot);
    const ownConfigs = this.#configsFor(slot);
    const key = `${keyOf(policies)}|${keyOf(ownConfigs)}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      const view = new ModelView(this.#env, policies, ownConfigs);
      group = { key, view, routers: new Set() };
      this.#groups.set(key, group);
      for (const policy of policies) {
        const others = this.#byPolicy.get(policy);
        if (others === undefined) this.#byPolicy.set(policy, new Set([group]));
        else others.add(group);
      }
    }
    return group;
  }

  #drop(group: ModelGroup): void {
    this.#groups.delete(group.key);
    for (const policy of group.view.policies) {
      const others = this.#byPolicy.get(policy);
      if (others?.delete(group) && others.size === 0) this.#byPolicy.delete(policy);
    }
  }

  /** The configs for routers that a router lists, ascending. */
  #configsFor(slot: number): readonly string[] {
    const { store } = this.#env;
    const configs = store.table(routerKind).inSlot(slot)?.record.configs ?? [];
    return configs
      .filter((id) => {
        const type = store.table(configKind).peek(id)?.record.configTypeId ?? '';
        return store.table(configTypeKind).peek(type)?.record.target === 'router';
      })
      .sort();
  }
}

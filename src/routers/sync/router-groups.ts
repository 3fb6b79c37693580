// The connected routers, grouped by the edge router policies that select them.

import { routerKind } from '../../records/router.ts';
import type { RoutersEnvironment } from '../context.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import { GroupsByPolicy, keyOf, type PolicyGroup, policiesOf } from './by-policy.ts';
import type { SyncJob } from './sync-jobs.ts';

/** A connected router, as API session sync sees it. */
export class SyncedRouter {
  readonly router: ConnectedRouter;
  /** Of its record; undefined if that does not exist any more. */
  readonly slot: number | undefined;
  group: RouterGroup;
  /** Whether it has sent its hello for clients' traffic: it expects API sessions from then on. */
  isGreeted = false;
  /** What it is being sent; undefined when it knows everything. */
  job: SyncJob | undefined;
  /** Monotonic ms at which its last full state began. */
  lastFullAtMs = Number.NEGATIVE_INFINITY;

  constructor(router: ConnectedRouter, slot: number | undefined, group: RouterGroup) {
    this.router = router;
    this.slot = slot;
    this.group = group;
  }
}

/** Connected routers that the same edge router policies select. */
export interface RouterGroup extends PolicyGroup {
  readonly routers: Set<SyncedRouter>;
}

/** Connected routers that have gone from one group to another. */
export interface MovedRouters {
  readonly from: RouterGroup;
  readonly to: RouterGroup;
  readonly routers: SyncedRouter[];
}

/** All connected routers, each in its group. */
export class RouterGroups {
  readonly #env: Pick<RoutersEnvironment, 'store' | 'access'>;
  readonly #groups = new GroupsByPolicy<RouterGroup>();
  readonly #routers = new Map<string, SyncedRouter>();

  constructor(env: Pick<RoutersEnvironment, 'store' | 'access'>) {
    this.#env = env;
  }

  /** How many routers there are. */
  get size(): number {
    return this.#routers.size;
  }

  /** The router of an id. */
  get(id: string): SyncedRouter | undefined {
    return this.#routers.get(id);
  }

  /** All routers, in no order. */
  all(): IterableIterator<SyncedRouter> {
    return this.#routers.values();
  }

  /** The routers that have one of these policies, each once. */
  *under(policies: readonly string[]): Generator<SyncedRouter> {
    for (const { routers } of this.#groups.under(policies)) yield* routers;
  }

  /** The groups that have one of these policies. */
  groupsUnder(policies: readonly string[]): Set<RouterGroup> {
    return this.#groups.under(policies);
  }

  /** A router has connected; a router of this id must not be here. */
  add(router: ConnectedRouter): SyncedRouter {
    const slot = this.#env.store.table(routerKind).peek(router.id)?.slot;
    const group = this.#groupOf(slot);
    const added = new SyncedRouter(router, slot, group);
    group.routers.add(added);
    this.#routers.set(router.id, added);
    return added;
  }

  /** A router is gone. */
  delete(router: SyncedRouter): void {
    this.#routers.delete(router.router.id);
    this.#leave(router);
  }

  /** Moves the routers whose policies have changed. */
  moveAll(): MovedRouters[] {
    const memo = new Map<object, RouterGroup>();
    const moved = new Map<string, MovedRouters>();
    for (const router of this.#routers.values()) {
      const from = router.group;
      const to = this.#groupOf(router.slot, memo);
      if (to === from) continue;
      to.routers.add(router);
      router.group = to;
      const way = `${from.key}>${to.key}`;
      const before = moved.get(way);
      if (before === undefined) moved.set(way, { from, to, routers: [router] });
      else before.routers.push(router);
    }
    for (const { from, routers } of moved.values()) {
      for (const router of routers) from.routers.delete(router);
      if (from.routers.size === 0) this.#groups.delete(from);
    }
    return [...moved.values()];
  }

  #leave(router: SyncedRouter): void {
    const { group } = router;
    group.routers.delete(router);
    if (group.routers.size === 0) this.#groups.delete(group);
  }

  #groupOf(slot: number | undefined, memo?: Map<object, RouterGroup>): RouterGroup {
    const members = slot === undefined ? undefined : this.#env.access.classOf('router', slot);
    const remembered = members && memo?.get(members);
    if (remembered !== undefined) return remembered;
    const policies = policiesOf(this.#env, 'router', slot);
    const key = keyOf(policies);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { policies, key, routers: new Set() };
      this.#groups.add(group);
    }
    if (members !== undefined) memo?.set(members, group);
    return group;
  }
}

// Which identities may use which services, and by which routers: worked out from policies and
// their roles, so that no row of a list needs a request of its own.

import type { Entity } from '../kinds/names.ts';
import { selects, textsOf } from '../kinds/role-match.ts';

/** An identity that policies let dial or bind a service. */
export interface AccessPair {
  readonly identity: Entity;
  readonly service: Entity;
  readonly may: 'dial' | 'bind';
  /** The service policies that let it. */
  readonly policies: readonly Entity[];
  /** The edge routers that both may use. */
  readonly routers: { readonly total: number; readonly online: number };
}

/** The entities of a network from which pairs follow, as the API shows them. */
export interface AccessSources {
  readonly servicePolicies: readonly Entity[];
  readonly edgeRouterPolicies: readonly Entity[];
  readonly serviceEdgeRouterPolicies: readonly Entity[];
  /** At least all routers that a pair can have in common. */
  readonly routers: readonly Entity[];
}

/** Works out pairs. */
export class AccessPairs {
  readonly #sources: AccessSources;
  readonly #online: ReadonlySet<string>;
  /** Ids of routers by the id of the policy that selects them. */
  readonly #routersOfPolicy = new Map<string, readonly string[]>();
  /** Ids of routers by the id of the service that may use them. */
  readonly #routersOfService = new Map<string, ReadonlySet<string>>();

  constructor(sources: AccessSources) {
    this.#sources = sources;
    const online = sources.routers.filter(({ isOnline }) => isOnline === true);
    this.#online = new Set(online.map(({ id }) => id));
  }

  /** The pairs of some identities and services: in their order, and dial before bind. */
  *of(identities: readonly Entity[], services: readonly Entity[]): Generator<AccessPair> {
    const policies = this.#sources.servicePolicies.map((policy) => ({
      policy,
      services: services.filter((service) => isSelected(policy, 'serviceRoles', service)),
    }));
    for (const identity of identities) {
      const by = new Map<Entity, Entity[]>();
      for (const { policy, services: selected } of policies) {
        if (!isSelected(policy, 'identityRoles', identity)) continue;
        for (const service of selected) by.set(service, [...(by.get(service) ?? []), policy]);
      }
      const own = this.#routersOf(identity, 'identityRoles', this.#sources.edgeRouterPolicies);
      for (const service of services) {
        for (const may of ['dial', 'bind'] as const) {
          const linking = (by.get(service) ?? []).filter(
            ({ type }) => String(type).toLowerCase() === may,
          );
          if (linking.length === 0) continue;
          const routers = this.#common(own, service);
          yield { identity, service, may, policies: linking, routers };
        }
      }
    }
  }

  #common(own: ReadonlySet<string>, service: Entity): AccessPair['routers'] {
    const { serviceEdgeRouterPolicies } = this.#sources;
    const others =
      this.#routersOfService.get(service.id) ??
      this.#routersOf(service, 'serviceRoles', serviceEdgeRouterPolicies);
    this.#routersOfService.set(service.id, others);
    const common = [...own].filter((id) => others.has(id));
    const online = common.filter((id) => this.#online.has(id));
    return { total: common.length, online: online.length };
  }

  #routersOf(user: Entity, side: string, policies: readonly Entity[]): ReadonlySet<string> {
    const selecting = policies.filter((policy) => isSelected(policy, side, user));
    return new Set(selecting.flatMap((policy) => this.#selectedBy(policy)));
  }

  #selectedBy(policy: Entity): readonly string[] {
    const known = this.#routersOfPolicy.get(policy.id);
    if (known !== undefined) return known;
    const selected = this.#sources.routers.filter((router) =>
      isSelected(policy, 'edgeRouterRoles', router),
    );
    const ids = selected.map(({ id }) => id);
    this.#routersOfPolicy.set(policy.id, ids);
    return ids;
  }
}

function isSelected(policy: Entity, side: string, entity: Entity): boolean {
  const { id: reference, roleAttributes } = entity;
  const attributes = textsOf(roleAttributes);
  return selects(policy['semantic'], textsOf(policy[side]), { reference, attributes });
}

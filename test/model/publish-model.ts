// A naive model of a network of entities with names: what a command leaves, and who can use what.

import { naiveMatch } from '../access/naive-access.ts';

/** Kinds of the model, by their short names in commands. */
export const modelKinds = ['id', 'er', 'svc', 'config', 'sp', 'serp', 'erp'] as const;

/** One of them. */
export type ModelKind = (typeof modelKinds)[number];

/** Members that roles select. */
type MemberKind = 'id' | 'svc' | 'er';

/** An entity; roles name others by their names. */
export interface ModelEntity {
  readonly attributes?: readonly string[];
  readonly type?: 'Dial' | 'Bind';
  readonly semantic?: 'AllOf' | 'AnyOf';
  readonly roles?: Partial<Record<MemberKind, readonly string[]>>;
  /** The publication that created it. */
  readonly publication?: string;
}

/** What `publish` is told. */
export interface ModelPublication {
  readonly name: string;
  readonly to: readonly string[];
  readonly hostOn: readonly string[];
  readonly via: readonly string[];
  readonly attributes: readonly string[];
}

const semantic = 'AnyOf';

/** The network; each change answers the exit code of its command. */
export class PublishModel {
  readonly entities: Readonly<Record<ModelKind, Map<string, ModelEntity>>> = {
    id: new Map([['admin', {}]]),
    er: new Map(),
    svc: new Map(),
    config: new Map(),
    sp: new Map(),
    serp: new Map(),
    erp: new Map(),
  };

  create(kind: ModelKind, name: string, entity: ModelEntity): number {
    const { roles = {} } = entity;
    if (this.#lacks('id', roles.id) || this.#lacks('svc', roles.svc)) return 4;
    if (this.#lacks('er', roles.er)) return 4;
    if (this.entities[kind].has(name)) return 1;
    this.entities[kind].set(name, entity);
    return 0;
  }

  /** Roles that name an entity lose it, even if another one gets its name. */
  delete(kind: ModelKind, name: string): number {
    if (!this.entities[kind].delete(name)) return 4;
    for (const policies of [this.entities.sp, this.entities.serp, this.entities.erp]) {
      for (const [policy, entity] of policies) {
        const roles = Object.entries(entity.roles ?? {}).map(([side, list]) => {
          const kept = side === kind ? list.filter((role) => role !== `@${name}`) : list;
          return [side, kept] as const;
        });
        policies.set(policy, { ...entity, roles: Object.fromEntries(roles) });
      }
    }
    return 0;
  }

  publish(given: ModelPublication): number {
    const { name, to, hostOn, via } = given;
    if (this.#lacks('id', [...to, ...hostOn]) || this.#lacks('er', via)) return 4;
    const before = this.entities.svc.get(name);
    if (before !== undefined && before.publication !== name) return 1;
    const own = { publication: name, semantic } as const;
    const lacking = this.#lackingRoles(given);
    this.entities.config.set(`${name} intercept`, own).set(`${name} host`, own);
    const attributes = given.attributes.length > 0 ? given.attributes : before?.attributes;
    this.entities.svc.set(name, { ...own, attributes: attributes ?? [] });
    const svc = [`@${name}`];
    this.entities.sp.set(`${name} dial`, { ...own, type: 'Dial', roles: { id: to, svc } });
    this.entities.sp.set(`${name} bind`, { ...own, type: 'Bind', roles: { id: hostOn, svc } });
    if (via.length > 0) {
      this.entities.serp.set(`${name} routers`, { ...own, roles: { svc, er: via } });
    }
    if (lacking.length > 0) {
      this.entities.erp.set(`${name} identities`, { ...own, roles: { id: lacking, er: via } });
    }
    return 0;
  }

  unpublish(name: string): number {
    const own = modelKinds.flatMap((kind) =>
      [...this.entities[kind]]
        .filter(([, { publication }]) => publication === name)
        .map(([entity]) => ({ kind, entity })),
    );
    if (own.length === 0) return 4;
    const isOwnService = this.entities.svc.get(name)?.publication === name;
    const referring = [...this.entities.sp.values(), ...this.entities.serp.values()].filter(
      ({ roles, publication }) => publication !== name && roles?.svc?.includes(`@${name}`),
    );
    if (isOwnService && referring.length > 0) return 1;
    for (const { kind, entity } of own) this.delete(kind, entity);
    return 0;
  }

  /** `clerk dial printer by p1,p2 over 2`, sorted, for every pair. */
  pairs(): string[] {
    const found: string[] = [];
    for (const identity of this.entities.id.keys()) {
      for (const service of this.entities.svc.keys()) {
        const routers = this.#routersOf('id', identity).filter((router) =>
          this.#routersOf('svc', service).includes(router),
        );
        for (const type of ['Dial', 'Bind'] as const) {
          const policies = [...this.entities.sp]
            .filter(([, policy]) => policy.type === type)
            .filter(([, policy]) => this.#selects(policy, 'id', identity))
            .filter(([, policy]) => this.#selects(policy, 'svc', service))
            .map(([name]) => name);
          if (policies.length === 0) continue;
          const by = policies.sort().join(',');
          const may = type.toLowerCase();
          found.push(`${identity} ${may} ${service} by ${by} over ${routers.length}`);
        }
      }
    }
    return found.sort();
  }

  /** The pairs of those who may use a router and what is reached over it. */
  pairsOver(router: string): string[] {
    return this.pairs().filter((pair) => {
      const [identity = '', , service = ''] = pair.split(' ');
      const lists = [this.#routersOf('id', identity), this.#routersOf('svc', service)];
      return lists.every((list) => list.includes(router));
    });
  }

  #lacks(kind: MemberKind, roles: readonly string[] = []): boolean {
    return roles.some((role) => role.startsWith('@') && !this.entities[kind].has(role.slice(1)));
  }

  #selects(policy: ModelEntity, kind: MemberKind, name: string): boolean {
    const { attributes = [] } = this.entities[kind].get(name) ?? {};
    const { semantic: by = semantic, roles = {} } = policy;
    return naiveMatch(by, roles[kind] ?? [], { id: name, attributes });
  }

  #routersOf(kind: 'id' | 'svc', member: string): string[] {
    const policies = kind === 'id' ? this.entities.erp : this.entities.serp;
    const selecting = [...policies.values()].filter((one) => this.#selects(one, kind, member));
    return [...this.entities.er.keys()].filter((router) =>
      selecting.some((policy) => this.#selects(policy, 'er', router)),
    );
  }

  #lackingRoles({ name, to, hostOn, via }: ModelPublication): string[] {
    if (via.length === 0) return [];
    const covers = ({ roles = {}, semantic: by }: ModelEntity, kind: MemberKind, role: string) => {
      const list = roles[kind] ?? [];
      const attributes = list.filter((one) => one.startsWith('#')).length;
      const isAlone = by === 'AnyOf' || role.startsWith('@') || attributes === 1;
      return list.includes('#all') || (list.includes(role) && isAlone);
    };
    const givers = [...this.entities.erp]
      .filter(([policy]) => policy !== `${name} identities`)
      .map(([, policy]) => policy)
      .filter((policy) => via.every((role) => covers(policy, 'er', role)));
    const lacking = [...new Set([...to, ...hostOn])].filter(
      (role) =>
        !givers.some(
          (policy) =>
            covers(policy, 'id', role) ||
            (role.startsWith('@') && this.#selects(policy, 'id', role.slice(1))),
        ),
    );
    return lacking.includes('#all') ? ['#all'] : lacking;
  }
}

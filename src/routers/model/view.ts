// Which part of the model the routers of one group see: the identities that may use them, and what
// these refer to (behaviour/control-channel#router-data-model).

import { SlotSet } from '../../containers/slot-set.ts';
import { configKind } from '../../records/config.ts';
import { configTypeKind } from '../../records/config-type.ts';
import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import { identityKind } from '../../records/identity.ts';
import { postureCheckKind } from '../../records/posture-check.ts';
import { serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { RoutersEnvironment } from '../context.ts';
import type { RelatedKind } from './touches.ts';

/** The parts of the controller that views read. */
export type ViewEnvironment = Pick<RoutersEnvironment, 'store' | 'access'>;

/** No identity of the view is selected by a policy. */
export const nobody = -1;

/** What one group of routers sees. */
export class ModelView {
  readonly #env: ViewEnvironment;
  /** Ids of the edge router policies that select its routers, ascending. */
  readonly policies: readonly string[];
  /** Configs for routers that its routers list, ascending. */
  readonly ownConfigs: readonly string[];
  /** Slots of the identities that may use its routers. */
  identities = new SlotSet();
  /**
   * By the slot of a service policy: the slot of an identity of the view that the policy selects,
   * or `nobody`. One that does not hold any more is found out when it is read; `nobody` is replaced
   * as soon as an identity comes, or forgotten when all identities are read anew.
   */
  readonly witnesses = new Map<number, number>();

  constructor(env: ViewEnvironment, policies: readonly string[], ownConfigs: readonly string[]) {
    this.#env = env;
    this.policies = policies;
    this.ownConfigs = ownConfigs;
    this.readIdentities();
  }

  /** Reads from access which identities it has: policies without a witness may have one then. */
  readIdentities(): void {
    const { access } = this.#env;
    this.witnesses.clear();
    this.identities = new SlotSet();
    const policies = this.#policySlots();
    for (const slot of access.membersOfAny('edgeRouterPolicy', policies, 'identity')) {
      this.identities.add(slot);
    }
  }

  /** Whether access lets an identity use these routers now. */
  mayUse(identity: number): boolean {
    const policies = this.#policySlots();
    return this.#env.access
      .policiesOf('identity', identity, 'edgeRouterPolicy')
      .some((policy) => policies.includes(policy));
  }

  /** Whether it has an identity. */
  hasIdentity(id: string): boolean {
    const row = this.#env.store.table(identityKind).peek(id);
    return row !== undefined && this.identities.has(row.slot);
  }

  /** Whether a service policy selects an identity of the view. */
  isPolicyVisible(policy: number): boolean {
    return this.witnessOf(policy) !== nobody;
  }

  /**
   * The slot of an identity of the view that a service policy selects, or `nobody`.
   * @param isAvoided a slot that is given only if there is no other
   */
  witnessOf(policy: number, isAvoided?: (identity: number) => boolean): number {
    const known = this.witnesses.get(policy);
    if (known === nobody) return nobody;
    const isGood = known !== undefined && this.#isWitness(policy, known);
    if (isGood && !isAvoided?.(known)) return known;
    let found = isGood ? known : nobody;
    for (const slot of this.#env.access.membersOf('servicePolicy', policy, 'identity')) {
      if (!this.identities.has(slot)) continue;
      found = slot;
      if (!isAvoided?.(slot)) break;
    }
    this.witnesses.set(policy, found);
    return found;
  }

  /** An identity may have come to a policy which nobody was selected by. */
  offerWitness(policy: number, identity: number): void {
    if (this.witnesses.get(policy) !== nobody || !this.#isWitness(policy, identity)) return;
    this.witnesses.set(policy, identity);
  }

  /** Whether it sees a service. */
  isServiceVisible(id: string): boolean {
    const row = this.#env.store.table(serviceKind).peek(id);
    return row !== undefined && this.#isRelated('service', row.slot);
  }

  /** Whether it sees a posture check. */
  isCheckVisible(id: string): boolean {
    const row = this.#env.store.table(postureCheckKind).peek(id);
    return row !== undefined && this.#isRelated('postureCheck', row.slot);
  }

  /** Whether it sees a config: those for routers only where they are listed. */
  isConfigVisible(id: string): boolean {
    const { store } = this.#env;
    const row = store.table(configKind).peek(id);
    if (row === undefined) return false;
    const type = store.table(configTypeKind).peek(row.record.configTypeId);
    if (type?.record.target === 'router') return this.ownConfigs.includes(id);
    for (const service of store.table(serviceKind).group('configs').rows(id)) {
      if (this.#isRelated('service', service.slot)) return true;
    }
    const overriding = store.table(identityKind).group('serviceConfigs:config');
    for (const { slot } of overriding.rows(id)) if (this.identities.has(slot)) return true;
    return false;
  }

  /** Whether a service policy selects a member now, whether the view sees it or not. */
  selects(policy: number, kind: RelatedKind, id: string): boolean {
    const slot = this.#env.store.tableNamed(kind).peek(id)?.slot;
    if (slot === undefined) return false;
    return this.#env.access.policiesOf(kind, slot, 'servicePolicy').includes(policy);
  }

  /** Ids of the edge router policies by which an identity may use these routers. */
  usedBy(identityId: string): string[] {
    const { access, store } = this.#env;
    const slot = store.table(identityKind).peek(identityId)?.slot;
    if (slot === undefined) return [];
    const table = store.table(edgeRouterPolicyKind);
    return access
      .policiesOf('identity', slot, 'edgeRouterPolicy')
      .flatMap((policy) => table.inSlot(policy)?.id ?? [])
      .filter((id) => this.policies.includes(id));
  }

  /** Ids of the members of a service policy that the view sees, if it sees the policy. */
  *members(policy: number, kind: RelatedKind): Generator<string> {
    const table = this.#env.store.tableNamed(kind);
    for (const slot of this.#env.access.membersOf('servicePolicy', policy, kind)) {
      if (kind === 'identity' && !this.identities.has(slot)) continue;
      const row = table.inSlot(slot);
      if (row !== undefined) yield row.id;
    }
  }

  /** Ids of the service policies that select a member. */
  *policiesOf(kind: RelatedKind, id: string): Generator<string> {
    const { store, access } = this.#env;
    const slot = store.tableNamed(kind).peek(id)?.slot;
    if (slot === undefined) return;
    for (const policy of access.policiesOf(kind, slot, 'servicePolicy')) {
      const row = store.table(servicePolicyKind).inSlot(policy);
      if (row !== undefined) yield row.id;
    }
  }

  #isRelated(kind: RelatedKind, slot: number): boolean {
    return this.#env.access
      .policiesOf(kind, slot, 'servicePolicy')
      .some((policy) => this.isPolicyVisible(policy));
  }

  #isWitness(policy: number, identity: number): boolean {
    if (!this.identities.has(identity)) return false;
    return this.#env.access.policiesOf('identity', identity, 'servicePolicy').includes(policy);
  }

  #policySlots(): number[] {
    const table = this.#env.store.table(edgeRouterPolicyKind);
    return this.policies.flatMap((id) => table.peek(id)?.slot ?? []);
  }
}

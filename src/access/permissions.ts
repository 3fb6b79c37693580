// Which identity may dial or bind which service: the policies that select both
// (behaviour/policies#access).

import { lowerBound, sortedSlots } from '../containers/slot-set.ts';
import { type AccessType, bindBit, bitOf, dialBit } from '../declare/kinds/access-vocabulary.ts';
import type { ClassPolicyCache } from './class-policies.ts';
import type { MemberTable } from './members.ts';
import { allSide, type PolicyTable } from './policies.ts';
import { forEachClass, type Selection } from './selection.ts';

/** Services an identity may dial or bind. */
export interface VisibleServices {
  /** Service slots, ascending. */
  readonly slots: Uint32Array;
  /** Permission bits (`dialBit`, `bindBit`) of the service at the same position of `slots`. */
  readonly bits: Uint8Array;
}

const dialAndBind = dialBit | bindBit;
const allIdentities = allSide;
const allServices = allSide << 1;
const noServices: VisibleServices = { slots: new Uint32Array(0), bits: new Uint8Array(0) };

/** Answers questions about permissions. It keeps no data of its own. */
export class Permissions {
  readonly #policies: PolicyTable;
  readonly #identities: MemberTable;
  readonly #services: MemberTable;
  readonly #classPolicies: ClassPolicyCache;

  constructor(
    policies: PolicyTable,
    identities: MemberTable,
    services: MemberTable,
    classPolicies: ClassPolicyCache,
  ) {
    this.#policies = policies;
    this.#identities = identities;
    this.#services = services;
    this.#classPolicies = classPolicies;
  }

  /**
   * The permission bits of an identity on a service, `dialBit` and `bindBit`; with 0 the identity
   * doesn't see the service.
   */
  bits(identity: number, service: number): number {
    const identityClass = this.#identities.classAt(identity);
    const serviceClass = this.#services.classAt(service);
    if (identityClass === undefined || serviceClass === undefined) return 0;
    const { flags, familyIndex } = this.#policies;
    let bits = this.#policies.everyPairBits;
    const own = this.#classPolicies.of(identityClass, 'identity').own[familyIndex] ?? [];
    const other = this.#classPolicies.of(serviceClass, 'service').own[familyIndex] ?? [];
    for (const slot of own) {
      const flag = flags[slot] ?? 0;
      if ((flag & allServices) !== 0) bits |= flag & dialAndBind;
    }
    for (const slot of other) {
      const flag = flags[slot] ?? 0;
      if ((flag & allIdentities) !== 0) bits |= flag & dialAndBind;
    }
    let left = 0;
    let right = 0;
    while (bits !== dialAndBind && left < own.length && right < other.length) {
      const step = (own[left] ?? 0) - (other[right] ?? 0);
      if (step === 0) bits |= (flags[own[left] ?? 0] ?? 0) & dialAndBind;
      if (step <= 0) left += 1;
      if (step >= 0) right += 1;
    }
    return bits;
  }

  /**
   * Slots of the policies of this type that select both, ascending. Posture checks are taken from
   * them.
   */
  linking(identity: number, service: number, type: AccessType): number[] {
    const identityClass = this.#identities.classAt(identity);
    const serviceClass = this.#services.classAt(service);
    if (identityClass === undefined || serviceClass === undefined) return [];
    const { flags, familyIndex } = this.#policies;
    const own = this.#classPolicies.of(identityClass, 'identity').own[familyIndex] ?? [];
    const other = this.#classPolicies.of(serviceClass, 'service').own[familyIndex] ?? [];
    const found: number[] = [];
    const bit = bitOf(type);
    const take = (slot: number): void => {
      const flag = flags[slot] ?? 0;
      const linked = (flag & allServices) !== 0 || other[lowerBound(other, slot)] === slot;
      if ((flag & bit) !== 0 && linked) found.push(slot);
    };
    own.forEach(take);
    this.#policies.selectingAll(0).forEach(take);
    return found.sort((left, right) => left - right);
  }

  /**
   * The services an identity may dial or bind. The cost grows with the classes of those services.
   */
  visible(identity: number): VisibleServices {
    const identityClass = this.#identities.classAt(identity);
    if (identityClass === undefined) return noServices;
    // Bits per class of services; a class is expanded once, however many policies select it.
    const byClass = new Map<number, number>();
    let everywhere = 0;
    const addPolicy = (slot: number): void => {
      const bits = (this.#policies.flags[slot] ?? 0) & dialAndBind;
      const selection = this.#policies.at(slot)?.sides[1]?.selection;
      if (selection?.all === true) everywhere |= bits;
      else if (selection !== undefined) this.#addClasses(selection, bits, byClass);
    };
    this.#classPolicies
      .of(identityClass, 'identity')
      .own[this.#policies.familyIndex]?.forEach(addPolicy);
    this.#policies.selectingAll(0).forEach(addPolicy);
    if (everywhere !== 0) {
      return this.#withBits(this.#services.existing(), byClass, everywhere);
    }
    const slots: number[] = [];
    for (const index of byClass.keys()) {
      this.#services.forEachOf(this.#services.classes.at(index), (slot) => {
        slots.push(slot);
      });
    }
    return this.#withBits(sortedSlots(slots, this.#services.bound), byClass, 0);
  }

  #addClasses(selection: Selection, bits: number, byClass: Map<number, number>): void {
    forEachClass(this.#services, selection, (members) => {
      byClass.set(members.index, (byClass.get(members.index) ?? 0) | bits);
    });
    for (const { slot } of selection.mentions) {
      const members = slot < 0 ? undefined : this.#services.classAt(slot);
      if (members === undefined) continue;
      byClass.set(members.index, (byClass.get(members.index) ?? 0) | bits);
    }
  }

  #withBits(slots: Uint32Array, byClass: Map<number, number>, everywhere: number): VisibleServices {
    const bits = new Uint8Array(slots.length).fill(everywhere);
    if (everywhere === dialAndBind) return { slots, bits };
    slots.forEach((slot, at) => {
      const index = this.#services.classAt(slot)?.index ?? -1;
      bits[at] = everywhere | (byClass.get(index) ?? 0);
    });
    return { slots, bits };
  }
}

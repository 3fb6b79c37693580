// The members of one space: slot → class, id → slot, attribute → classes, kept up to date.

import { ClassTable } from './class-table.ts';
import type { Attribute, MemberClass, Mention } from './member-class.ts';

const slotsAtStart = 64;

/** Sizes of the parts of one space. */
export interface MemberCounts {
  readonly members: number;
  /** Distinct sets of attributes, plus one per member that is named by `@id`. */
  readonly classes: number;
  /** Attributes that a member has or a policy names. */
  readonly attributes: number;
  /** Ids that a policy names. */
  readonly mentions: number;
}

/**
 * Finds the slot of an id in the table of the caller, which also gives out the slots; it may know
 * ids that are not members (yet, or any longer). A start with 1,000,000 members takes 0.5 s less
 * than with a map of ids here.
 */
export type SlotOf = (id: string) => number | undefined;

/** The members of one space. Slots are dense and may be reused after a deletion. */
export class MemberTable {
  readonly classes = new ClassTable();
  /** Slot → class index + 1, 0 where there is no member. Public for tests that damage it. */
  classOf = new Uint32Array(slotsAtStart);
  #next = new Int32Array(slotsAtStart);
  /** Public for tests that damage it. */
  previous = new Int32Array(slotsAtStart);
  readonly #slotOf: SlotOf;
  #count = 0;
  readonly #attributes = new Map<string, Attribute>();
  readonly #mentions = new Map<string, Mention>();
  #serial = 0;
  /** The class that was found last, and the list that led to it. */
  #last: { readonly names: readonly string[]; readonly members: MemberClass } | undefined;
  /**
   * Called for each member before it leaves its class, for another or for good, and for a new
   * member with undefined.
   */
  moving: ((slot: number, from: MemberClass | undefined) => void) | undefined = undefined;
  /** One more than the highest slot ever used. */
  bound = 0;

  constructor(slotOf: SlotOf) {
    this.#slotOf = slotOf;
  }

  /** How many members there are. */
  get size(): number {
    return this.#count;
  }

  /** Sizes of the parts, for metrics and for tests that look for leaks. */
  counts(): MemberCounts {
    return {
      members: this.size,
      classes: this.classes.size,
      attributes: this.#attributes.size,
      mentions: this.#mentions.size,
    };
  }

  /** The class of the member at `slot`; undefined when there is none. */
  classAt(slot: number): MemberClass | undefined {
    const index = this.classOf[slot];
    return index === undefined || index === 0 ? undefined : this.classes.at(index - 1);
  }

  /** The slot of the member with this id; undefined when there is none. */
  slotOf(id: string): number | undefined {
    const slot = this.#slotOf(id);
    return slot === undefined || !this.classOf[slot] ? undefined : slot;
  }

  /**
   * Creates the member or gives it other attributes. The list must not be changed afterwards,
   * because the class found last is recognized by it.
   */
  set(slot: number, id: string, names: readonly string[]): void {
    const old = this.classAt(slot);
    const mention = this.#mentions.get(id);
    if (old === undefined) {
      this.#reserve(slot);
      this.#count += 1;
      if (mention !== undefined) mention.slot = slot;
    }
    const shared = mention === undefined ? this.#sharedBy(names) : undefined;
    if (shared === undefined) {
      const members = this.#place(slot, old, this.#attributesNamed(names), mention);
      this.#last = { names, members };
    } else if (shared !== old) {
      this.moving?.(slot, old);
      this.#join(slot, old, shared);
    }
  }

  /** The class of members with this very list, if it is known: records share equal lists. */
  #sharedBy(names: readonly string[]): MemberClass | undefined {
    if (this.#last?.names !== names) return undefined;
    const { members } = this.#last;
    // An empty class was dropped; a class with an owner belongs to that member alone.
    return members.size > 0 && members.owner === undefined ? members : undefined;
  }

  /** Removes the member. Throws when there is none. */
  remove(slot: number, id: string): void {
    const old = this.classAt(slot);
    if (old === undefined) throw new Error(`access: no member ${id} is at slot ${slot}`);
    this.moving?.(slot, old);
    this.#leave(slot, old);
    this.classOf[slot] = 0;
    this.#count -= 1;
    const mention = this.#mentions.get(id);
    if (mention !== undefined) mention.slot = -1;
  }

  /** The attribute of this name if a member has it or a policy names it. */
  attribute(name: string): Attribute | undefined {
    return this.#attributes.get(name);
  }

  /** Every attribute that a member has or a policy names, in no order. */
  allAttributes(): IterableIterator<Attribute> {
    return this.#attributes.values();
  }

  /** The attribute of this name, kept alive until `unpinAttribute`. */
  pinAttribute(name: string): Attribute {
    let attribute = this.#attributes.get(name);
    if (attribute === undefined) {
      attribute = newAttribute(name, ++this.#serial);
      this.#attributes.set(name, attribute);
    }
    attribute.pins += 1;
    return attribute;
  }

  /** Releases an attribute; releasing the last pin drops it. */
  unpinAttribute(attribute: Attribute): void {
    attribute.pins -= 1;
    if (attribute.pins === 0) this.#attributes.delete(attribute.name);
  }

  /**
   * The mention of this id, kept until `unpinMention`; its member, if any, gets a class of its own.
   */
  pinMention(id: string): Mention {
    let mention = this.#mentions.get(id);
    if (mention === undefined) {
      const slot = this.slotOf(id) ?? -1;
      mention = { id, slot, namedBy: [], pins: 0, stamp: 0 };
      this.#mentions.set(id, mention);
      const shared = slot < 0 ? undefined : this.classAt(slot);
      if (shared !== undefined) this.#place(slot, shared, shared.attributes, mention);
    }
    mention.pins += 1;
    return mention;
  }

  /** Releases a mention; the last release returns the member to the class of its attributes. */
  unpinMention(mention: Mention): void {
    mention.pins -= 1;
    if (mention.pins > 0) return;
    this.#mentions.delete(mention.id);
    const own = mention.slot < 0 ? undefined : this.classAt(mention.slot);
    if (own !== undefined) this.#place(mention.slot, own, own.attributes, undefined);
  }

  /** Calls `visit` with each member of a class, in no order. */
  forEachOf(members: MemberClass, visit: (slot: number) => void): void {
    for (let slot = members.head; slot >= 0; slot = this.#next[slot] ?? -1) visit(slot);
  }

  /** The slots of a class one by one, in no order; no member may change meanwhile. */
  *slotsIn(members: MemberClass): Generator<number> {
    for (let slot = members.head; slot >= 0; slot = this.#next[slot] ?? -1) yield slot;
  }

  /** The mention of an id that a policy names. */
  mention(id: string): Mention | undefined {
    return this.#mentions.get(id);
  }

  /** Every id that a policy names, in no order. */
  allMentions(): IterableIterator<Mention> {
    return this.#mentions.values();
  }

  /** Whether a member is in the list of its class, as its neighbours in the list show. */
  isLinked(slot: number): boolean {
    const members = this.classAt(slot);
    const next = this.#next[slot] ?? -1;
    const previous = this.previous[slot] ?? -1;
    if (members === undefined || members.size < 1) return false;
    const isNamed = previous < 0 ? members.head === slot : this.#next[previous] === slot;
    return isNamed && (next < 0 || this.previous[next] === slot);
  }

  /** The slots of all members, ascending. */
  existing(): Uint32Array {
    const slots = new Uint32Array(this.size);
    let kept = 0;
    for (let slot = 0; slot < this.bound; slot++) {
      if (this.classOf[slot] !== 0) slots[kept++] = slot;
    }
    return slots;
  }

  #attributesNamed(names: readonly string[]): Attribute[] {
    const attributes: Attribute[] = [];
    for (const name of names) {
      let attribute = this.#attributes.get(name);
      if (attribute === undefined) {
        attribute = newAttribute(name, ++this.#serial);
        this.#attributes.set(name, attribute);
      }
      // Lists are short: inserting in order beats sorting, and shows an attribute given twice.
      let at = attributes.length;
      while (at > 0 && (attributes[at - 1]?.serial ?? 0) > attribute.serial) at -= 1;
      if (attributes[at - 1] !== attribute) attributes.splice(at, 0, attribute);
    }
    return attributes;
  }

  /**
   * Moves the member at `slot` to the class of these attributes, and returns that class. The old
   * class is removed when it is empty.
   */
  #place(
    slot: number,
    old: MemberClass | undefined,
    attributes: readonly Attribute[],
    owner: Mention | undefined,
  ): MemberClass {
    let members = this.classes.find(attributes, owner);
    if (members !== undefined && members === old) return members;
    this.moving?.(slot, old);
    if (members === undefined) {
      members = this.classes.create(attributes, owner);
      for (const attribute of attributes) attribute.pins += 1;
    }
    this.#join(slot, old, members);
    return members;
  }

  #join(slot: number, old: MemberClass | undefined, members: MemberClass): void {
    this.classOf[slot] = members.index + 1;
    for (const attribute of members.attributes) attribute.members += 1;
    // Joins before leaving: attributes that both classes have must not be dropped in between.
    if (old !== undefined) this.#leave(slot, old);
    this.#next[slot] = members.head;
    this.previous[slot] = -1;
    if (members.head >= 0) this.previous[members.head] = slot;
    members.head = slot;
    members.size += 1;
  }

  #leave(slot: number, old: MemberClass): void {
    const next = this.#next[slot] ?? -1;
    const previous = this.previous[slot] ?? -1;
    if (previous >= 0) this.#next[previous] = next;
    else old.head = next;
    if (next >= 0) this.previous[next] = previous;
    old.size -= 1;
    for (const attribute of old.attributes) attribute.members -= 1;
    if (old.size > 0) return;
    this.classes.remove(old);
    for (const attribute of old.attributes) this.unpinAttribute(attribute);
  }

  #reserve(slot: number): void {
    if (slot >= this.bound) this.bound = slot + 1;
    if (slot < this.classOf.length) return;
    let length = this.classOf.length;
    while (length <= slot) length *= 2;
    this.classOf = grown(this.classOf, new Uint32Array(length));
    this.#next = grown(this.#next, new Int32Array(length));
    this.previous = grown(this.previous, new Int32Array(length));
  }
}

/** An attribute that no member has and no policy names yet. */
export function newAttribute(name: string, serial: number): Attribute {
  return {
    name,
    serial,
    members: 0,
    classes: undefined,
    namedBy: undefined,
    pins: 0,
    stamp: 0,
  };
}

function grown<Numbers extends Uint32Array | Int32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

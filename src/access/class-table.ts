// The classes of one space: found by their attributes, numbered, and listed under each attribute.

import { SlotSet } from '../containers/slot-set.ts';
import type { Attribute, MemberClass, Mention } from './member-class.ts';

/** The classes of one space. */
export class ClassTable {
  /** Public for tests that damage it. */
  readonly list: (MemberClass | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #shared = new Map<number, MemberClass>();
  #marks = new Uint32Array(64);
  #mark = 0;

  /** How many classes there are. */
  get size(): number {
    return this.list.length - this.#free.length;
  }

  /** One more than the highest index ever used. */
  get bound(): number {
    return this.list.length;
  }

  /** The class of this index, if there is one. */
  peek(index: number): MemberClass | undefined {
    return this.list[index];
  }

  /** The class of this index. Throws when there is none. */
  at(index: number): MemberClass {
    const found = this.list[index];
    if (found === undefined) throw new Error(`access: there is no class ${index}`);
    return found;
  }

  /** The class with exactly these attributes, private to `owner` where one is given. */
  find(attributes: readonly Attribute[], owner: Mention | undefined): MemberClass | undefined {
    let found = this.#shared.get(hashOf(attributes, owner));
    while (found !== undefined && !(found.owner === owner && sameAttributes(found, attributes))) {
      found = found.nextSameHash;
    }
    return found;
  }

  /** Creates a class and lists it under its attributes; there must be none like it. */
  create(attributes: readonly Attribute[], owner: Mention | undefined): MemberClass {
    const index = this.#free.pop() ?? this.list.length;
    const hash = hashOf(attributes, owner);
    const created: MemberClass = {
      index,
      // A copy has no spare capacity, unlike the list that grew.
      attributes: attributes.slice(),
      owner,
      hash,
      nextSameHash: this.#shared.get(hash),
      head: -1,
      size: 0,
      policies: undefined,
    };
    this.list[index] = created;
    this.#shared.set(hash, created);
    for (const attribute of attributes) {
      attribute.classes ??= new SlotSet();
      attribute.classes.add(index);
    }
    return created;
  }

  /** Removes a class. */
  remove(gone: MemberClass): void {
    this.list[gone.index] = undefined;
    this.#free.push(gone.index);
    for (const attribute of gone.attributes) attribute.classes?.delete(gone.index);
    const first = this.#shared.get(gone.hash);
    if (first === gone) {
      if (gone.nextSameHash === undefined) this.#shared.delete(gone.hash);
      else this.#shared.set(gone.hash, gone.nextSameHash);
      return;
    }
    let before = first;
    while (before !== undefined && before.nextSameHash !== gone) before = before.nextSameHash;
    if (before !== undefined) before.nextSameHash = gone.nextSameHash;
  }

  /** Calls `visit` with every class. */
  forEach(visit: (members: MemberClass) => void): void {
    for (const members of this.list) if (members !== undefined) visit(members);
  }

  /**
   * Calls `visit` once with each class that has some of the attributes. `visit` must not call this
   * method again.
   */
  forEachWithAny(attributes: readonly Attribute[], visit: (members: MemberClass) => void): void {
    if (this.#marks.length < this.list.length) this.#marks = new Uint32Array(this.list.length * 2);
    // The counter wraps only after four billion walks; old marks could then be mistaken for new
    // ones.
    this.#mark = (this.#mark + 1) >>> 0;
    if (this.#mark === 0) {
      this.#marks.fill(0);
      this.#mark = 1;
    }
    for (const attribute of attributes) {
      attribute.classes?.forEach((index) => {
        if (this.#marks[index] === this.#mark) return;
        this.#marks[index] = this.#mark;
        visit(this.at(index));
      });
    }
  }
}

function sameAttributes(members: MemberClass, attributes: readonly Attribute[]): boolean {
  if (members.attributes.length !== attributes.length) return false;
  return members.attributes.every((attribute, at) => attribute === attributes[at]);
}

/** Spreads the serials over 30 bits, so that the hash stays a small integer for the engine. */
function hashOf(attributes: readonly Attribute[], owner: Mention | undefined): number {
  let hash = owner === undefined ? 0 : owner.slot + 1;
  for (const attribute of attributes) {
    hash = Math.imul(hash ^ attribute.serial, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash & 0x3fffffff;
}

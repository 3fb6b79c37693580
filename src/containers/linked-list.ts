// A list whose members hold their own places in it, so that each can be moved in constant time.

/** A member of one list at a time. Its links belong to the list. */
export interface Linked<Member> {
  before: Member | undefined;
  after: Member | undefined;
}

/**
 * Members in the order in which they were added. In a `Set` from which the first members are
 * deleted again and again, finding the first one takes a walk over the places of those before it.
 */
export class LinkedList<Member extends Linked<Member>> {
  #size = 0;
  #first: Member | undefined;
  #last: Member | undefined;

  /** All members. */
  get size(): number {
    return this.#size;
  }

  /** The member that was added first. */
  get first(): Member | undefined {
    return this.#first;
  }

  /** Adds a member, which is in no list, behind all others. */
  add(member: Member): void {
    member.before = this.#last;
    if (this.#last === undefined) this.#first = member;
    else this.#last.after = member;
    this.#last = member;
    this.#size += 1;
  }

  /** Removes a member, which is in this list. */
  delete(member: Member): void {
    const { before, after } = member;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    member.before = undefined;
    member.after = undefined;
    this.#size -= 1;
  }
}

// A set whose first member is found at once, however many were deleted before it.

/**
 * Members in the order in which they were added. In a `Set` that is used like this, the first
 * member stands behind the empty places of those that were deleted before, and finding it takes a
 * walk over them. Here every call takes constant time.
 */
export class InsertionOrder<Member> {
  readonly #nodes = new Map<Member, Node<Member>>();
  #first: Node<Member> | undefined;
  #last: Node<Member> | undefined;

  /** All members. */
  get size(): number {
    return this.#nodes.size;
  }

  /** The member that was added first. */
  get first(): Member | undefined {
    return this.#first?.member;
  }

  /** Whether it is a member. */
  has(member: Member): boolean {
    return this.#nodes.has(member);
  }

  /** Adds a member behind all others; one that is in it already is moved there. */
  add(member: Member): void {
    this.delete(member);
    const node: Node<Member> = { member, before: this.#last, after: undefined };
    this.#nodes.set(member, node);
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
  }

  /** Removes a member; false if it is not in it. */
  delete(member: Member): boolean {
    const node = this.#nodes.get(member);
    if (node === undefined) return false;
    this.#nodes.delete(member);
    const { before, after } = node;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    return true;
  }

  /** The members, the first one first. The one that was given last may be deleted meanwhile. */
  *[Symbol.iterator](): Generator<Member> {
    let node = this.#first;
    while (node !== undefined) {
      const { member, after } = node;
      yield member;
      // A member that was moved or deleted meanwhile says nothing of those behind it.
      node = this.#nodes.get(member) === node ? node.after : after;
    }
  }
}

interface Node<Member> {
  readonly member: Member;
  before: Node<Member> | undefined;
  after: Node<Member> | undefined;
}

// The last change of each member, in the order of the changes. Each reader asks for those that came
// after its previous read.

/** A member whose last change is kept. */
interface Changing {
  /** The number of its last change; numbers only grow. */
  readonly changedAt: number;
  /** No further change comes. */
  readonly isRemoved: boolean;
}

/**
 * Keeps the last change of each member; older ones are of no interest. For a reader only the number
 * of the last change that it has read is kept, so memory grows with the number of members alone.
 */
export class LastChanges<Member extends Changing> {
  readonly #removedKeptMax: number;
  #entries: { readonly at: number; readonly member: Member }[] = [];
  readonly #present = new Set<Member>();
  #forgottenAt = 0;

  /** @param removedKeptMax removed members of which readers are still told */
  constructor(removedKeptMax: number) {
    this.#removedKeptMax = removedKeptMax;
  }

  /** The number of the newest change; 0 for none. */
  get last(): number {
    return this.#entries.at(-1)?.at ?? 0;
  }

  /**
   * The number of the newest removal that was forgotten; 0 for none. A reader who has read less may
   * know members that are gone.
   */
  get forgottenAt(): number {
    return this.#forgottenAt;
  }

  /** Whether a member has changed and was not removed. */
  has(member: Member): boolean {
    return this.#present.has(member);
  }

  /** Takes the present state of a member, whose `changedAt` is greater than that of all others. */
  note(member: Member): void {
    if (member.isRemoved) this.#present.delete(member);
    else this.#present.add(member);
    this.#entries.push({ at: member.changedAt, member });
    if (this.#entries.length > 2 * this.#present.size + spareEntries) this.#compact();
  }

  /** The members that have changed after `upTo`, at most `most` of them, in the order of that. */
  after(upTo: number, most = Number.POSITIVE_INFINITY): Member[] {
    const found: Member[] = [];
    const entries = this.#entries;
    for (let at = this.#firstAfter(upTo); at < entries.length && found.length < most; at++) {
      const entry = entries[at];
      if (entry?.at === entry?.member.changedAt && entry !== undefined) found.push(entry.member);
    }
    return found;
  }

  #firstAfter(upTo: number): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.at ?? 0) <= upTo) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compact(): void {
    const current = this.#entries.filter(({ at, member }) => at === member.changedAt);
    let forgotten = current.length - this.#present.size - this.#removedKeptMax;
    this.#entries = current.filter(({ at, member }) => {
      if (!member.isRemoved || forgotten-- <= 0) return true;
      this.#forgottenAt = at;
      return false;
    });
  }
}

const spareEntries = 1000;

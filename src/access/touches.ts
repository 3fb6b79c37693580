// When what a member may reach last changed: kept a class, so that a change for 100,000 members of
// a few classes costs a few steps.

import type { GroupVisitor, MemberGroup } from './change.ts';
import type { MemberClass } from './member-class.ts';
import type { MemberTable } from './members.ts';

const slotsAtStart = 64;

/**
 * The last touch of each member of a space. A touch counts for those who are members of the class,
 * or of the space, at that moment; they keep it when they move on.
 */
export class Touches {
  #table: MemberTable;
  /** Counts touches: two within one millisecond are told apart, and a joining from both. */
  #serial = 0;
  #latest = 0;
  readonly #everyone = { serial: 0, at: 0 };
  /** By class index; what an earlier class of the same index left is older than any who joins. */
  readonly #classSerial: number[] = [];
  readonly #classAt: number[] = [];
  /**
   * By slot: touches of the member alone or carried over, and the serial when it joined its class.
   */
  #slotAt = new Float64Array(slotsAtStart);
  #joined = new Float64Array(slotsAtStart);
  #slotSerial = new Float64Array(slotsAtStart);
  readonly #visitor: GroupVisitor;

  /** Follows the moves of the table's members from now on. */
  constructor(table: MemberTable) {
    this.#table = table;
    table.moving = (slot, from) => this.#move(slot, from);
    this.#visitor = {
      everyone: () => {
        this.#everyone.serial = this.#serial;
        this.#everyone.at = this.#latest;
      },
      members: ({ index }) => {
        this.#classSerial[index] = this.#serial;
        this.#classAt[index] = this.#latest;
      },
      member: (slot) => {
        if (slot >= this.#slotAt.length) this.#grow(slot);
        this.#slotAt[slot] = this.#latest;
        this.#slotSerial[slot] = this.#serial;
      },
    };
  }

  /**
   * Goes over to a table that was made anew of the same members, and touches all of them: what they
   * may reach was not what they were told.
   */
  rebase(table: MemberTable, at: number): void {
    this.#table.moving = undefined;
    this.#table = table;
    table.moving = (slot, from) => this.#move(slot, from);
    this.touchAll(at);
  }

  /** Touches every member, as `touch`. */
  touchAll(at: number): void {
    this.#begin(at);
    this.#visitor.everyone();
  }

  /** Later touches count as of `at`, wall-clock ms, at least: nobody may see theirs go back. */
  advance(at: number): void {
    this.#latest = Math.max(this.#latest, at);
  }

  /** Touches all of a group at wall-clock ms `at`; an earlier one than the last counts as that. */
  touch(group: MemberGroup, at: number): void {
    this.#begin(at);
    group.visit(this.#visitor);
  }

  /** Touches one member, alike. */
  touchMember(slot: number, at: number): void {
    this.#begin(at);
    this.#visitor.member(slot);
  }

  /**
   * Forgets the touches of a member that is gone for good: until then its removal may be taken
   * back.
   */
  forget(slot: number): void {
    if (slot >= this.#slotAt.length) return;
    this.#slotAt[slot] = 0;
    this.#slotSerial[slot] = 0;
  }

  /** Wall-clock ms of the last touch; undefined for a member that was never touched. */
  at(slot: number): number | undefined {
    const found = this.#lastOf(slot, this.#table.classAt(slot));
    return found === 0 ? undefined : found;
  }

  /**
   * Number of the last touch, as all are numbered; 0 for a member that was never touched. While it
   * stays, so does what the member may reach.
   */
  serialOf(slot: number): number {
    return this.#lastSerialOf(slot, this.#table.classAt(slot));
  }

  #begin(at: number): void {
    this.#serial += 1;
    this.#latest = Math.max(this.#latest, at);
  }

  #lastOf(slot: number, members: MemberClass | undefined): number {
    if (members === undefined) return 0;
    const joined = this.#joined[slot] ?? 0;
    let last = this.#slotAt[slot] ?? 0;
    if (this.#everyone.serial > joined) last = Math.max(last, this.#everyone.at);
    if ((this.#classSerial[members.index] ?? 0) > joined) {
      last = Math.max(last, this.#classAt[members.index] ?? 0);
    }
    return last;
  }

  #lastSerialOf(slot: number, members: MemberClass | undefined): number {
    if (members === undefined) return 0;
    const joined = this.#joined[slot] ?? 0;
    let last = this.#slotSerial[slot] ?? 0;
    if (this.#everyone.serial > joined) last = Math.max(last, this.#everyone.serial);
    const ofClass = this.#classSerial[members.index] ?? 0;
    return ofClass > joined ? Math.max(last, ofClass) : last;
  }

  /** Called before the member leaves the class `from`; undefined for a new one. */
  #move(slot: number, from: MemberClass | undefined): void {
    if (slot >= this.#slotAt.length) this.#grow(slot);
    if (from !== undefined) {
      this.#slotAt[slot] = this.#lastOf(slot, from);
      this.#slotSerial[slot] = this.#lastSerialOf(slot, from);
    }
    this.#joined[slot] = this.#serial;
  }

  #grow(slot: number): void {
    const length = Math.max(slot + 1, this.#slotAt.length * 2);
    const grown = (values: Float64Array<ArrayBuffer>) => {
      const larger = new Float64Array(length);
      larger.set(values);
      return larger;
    };
    this.#slotAt = grown(this.#slotAt);
    this.#slotSerial = grown(this.#slotSerial);
    this.#joined = grown(this.#joined);
  }
}

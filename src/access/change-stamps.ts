// When what a member may reach last changed. The time is kept per class, so that a change for
// 100,000 members of a few classes takes a few steps.

import type { GroupVisitor, MemberGroup } from './change.ts';
import type { MemberClass } from './member-class.ts';
import type { MemberTable } from './members.ts';

const slotsAtStart = 64;

/**
 * The last change stamp of each member of a space. A stamp is given to all members, a class or one
 * member, and counts for those who are members of the class at that moment. A member that changes
 * class keeps its stamp.
 */
export class ChangeStamps {
  #table: MemberTable;
  /**
   * Numbers the stamps, so that two stamps of one millisecond differ, and joining a class is
   * ordered among them.
   */
  #serial = 0;
  #latest = 0;
  readonly #everyone = { serial: 0, at: 0 };
  /**
   * By class index. A serial left by an earlier class of that index is older than any new member.
   */
  readonly #classSerial: number[] = [];
  readonly #classAt: number[] = [];
  /**
   * By slot: stamps of the member alone or from an earlier class, and the serial at which it joined
   * its class.
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
   * Replaces the table by one that was rebuilt from the same members, and stamps all of them: what
   * they were told before may have been wrong.
   */
  rebase(table: MemberTable, at: number): void {
    this.#table.moving = undefined;
    this.#table = table;
    table.moving = (slot, from) => this.#move(slot, from);
    this.stampAll(at);
  }

  /** Stamps every member, as `stamp` does. */
  stampAll(at: number): void {
    this.#begin(at);
    this.#visitor.everyone();
  }

  /** Later stamps are at least `at`, in wall-clock ms: no member's stamp may go back. */
  advance(at: number): void {
    this.#latest = Math.max(this.#latest, at);
  }

  /**
   * Stamps all members of a group with `at`, in wall-clock ms, or with the latest stamp if that is
   * later.
   */
  stamp(group: MemberGroup, at: number): void {
    this.#begin(at);
    group.visit(this.#visitor);
  }

  /** Stamps one member, as `stamp` does. */
  stampMember(slot: number, at: number): void {
    this.#begin(at);
    this.#visitor.member(slot);
  }

  /**
   * Forgets the stamps of a member once the transaction that deleted it is committed; until then
   * its removal may be undone.
   */
  forget(slot: number): void {
    if (slot >= this.#slotAt.length) return;
    this.#slotAt[slot] = 0;
    this.#slotSerial[slot] = 0;
  }

  /** The last stamp in wall-clock ms; undefined for a member that was never stamped. */
  at(slot: number): number | undefined {
    const found = this.#lastOf(slot, this.#table.classAt(slot));
    return found === 0 ? undefined : found;
  }

  /**
   * Serial of the last stamp; 0 for a member that was never stamped. As long as it stays the same,
   * the services and routers that the member may reach stay the same.
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

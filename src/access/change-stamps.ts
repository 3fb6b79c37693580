// When what a member may reach last changed. The time is kept per class, so that a change for
// 100,000 members of a few classes takes a few steps.

import type { GroupVisitor, MemberGroup } from './change.ts';
import type { MemberClass } from './member-class.ts';
import type { MemberTable } from './members.ts';

const slotsAtStart = 64;

/**
 * The last change stamp of each member of a space. A transaction notes for whom something changes,
 * and its commit gives the stamps: to all members, to classes and to single members. A stamp of a
 * class counts for those who are its members at that moment. A member that changes class keeps its
 * stamp, and is stamped if its former class was noted.
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
  /** The members that the open transaction has noted. */
  readonly #noted = {
    everyone: false,
    classes: new Set<MemberClass>(),
    members: new Set<number>(),
  };
  readonly #noting: GroupVisitor = {
    everyone: () => {
      this.#noted.everyone = true;
    },
    members: (members) => void this.#noted.classes.add(members),
    member: (slot) => void this.#noted.members.add(slot),
  };

  /** Follows the moves of the table's members from now on. */
  constructor(table: MemberTable) {
    this.#table = table;
    table.moving = (slot, from) => this.#move(slot, from);
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

  /** Stamps every member at once, in wall-clock ms or with the latest stamp if that is later. */
  stampAll(at: number): void {
    this.#begin(at);
    this.#stampEveryone();
  }

  /** Later stamps are at least `at`, in wall-clock ms: no member's stamp may go back. */
  advance(at: number): void {
    this.#latest = Math.max(this.#latest, at);
  }

  /** Notes that something changes for all members of a group. */
  note(group: MemberGroup): void {
    group.visit(this.#noting);
  }

  /** Notes that something changes for one member. */
  noteMember(slot: number): void {
    this.#noted.members.add(slot);
  }

  /** Forgets what was noted: the transaction was undone. */
  drop(): void {
    const { classes, members } = this.#noted;
    this.#noted.everyone = false;
    if (classes.size > 0) classes.clear();
    if (members.size > 0) members.clear();
  }

  /** Stamps those that were noted, as `stampAll` does. */
  commit(at: number): void {
    const { everyone, classes, members } = this.#noted;
    if (!everyone && classes.size === 0 && members.size === 0) return;
    this.#begin(at);
    if (everyone) this.#stampEveryone();
    for (const { index } of classes) {
      this.#classSerial[index] = this.#serial;
      this.#classAt[index] = this.#latest;
    }
    for (const slot of members) this.#stampSlot(slot);
    this.drop();
  }

  /** Stamps one member at once, as `stampAll` does. */
  stampMember(slot: number, at: number): void {
    this.#begin(at);
    this.#stampSlot(slot);
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

  #stampEveryone(): void {
    this.#everyone.serial = this.#serial;
    this.#everyone.at = this.#latest;
  }

  #stampSlot(slot: number): void {
    if (slot >= this.#slotAt.length) this.#grow(slot);
    this.#slotAt[slot] = this.#latest;
    this.#slotSerial[slot] = this.#serial;
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
      if (this.#noted.classes.has(from)) this.#noted.members.add(slot);
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

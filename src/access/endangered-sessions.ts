// Sessions that a change may have cost their access: noted as groups, read one by one.

import type { Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { MemberGroup } from './change.ts';

/** The sessions of some owners of one kind. */
export interface OwnedSessions {
  readonly kind: string;
  /** Slots of the owners. */
  readonly owners: readonly number[] | Uint32Array;
}

/** The sessions between some identities and some services. */
export interface LinkedSessions {
  readonly identities: MemberGroup;
  readonly services: MemberGroup;
}

/** Where sessions and their owners are in the store. */
export interface SessionTables {
  /** The kind of the rows that end when access does. */
  readonly kind: string;
  /** Their group index by the owner, for each kind of owner. */
  readonly indexes: Readonly<Record<string, string>>;
  readonly identityKind: string;
  readonly serviceKind: string;
}

/** Owners without a session that count as one step. */
const ownersInAStep = 16;
/** Owners that are always walked over, however few sessions there are. */
const ownersFree = 64;

/** Groups of sessions that must be evaluated. Groups are noted while they are valid. */
export class EndangeredSessions {
  readonly #store: Store;
  readonly #tables: SessionTables;
  #owned: OwnedSessions[] = [];
  /** Owners noted one by one, by kind: a change may name the same owner for many policies. */
  readonly #single = new Map<string, Set<number>>();
  /** How many owners are noted. */
  #owners = 0;
  #all = false;

  constructor(store: Store, tables: SessionTables) {
    this.#store = store;
    this.#tables = tables;
  }

  /** Whether there is nothing to evaluate. */
  get isEmpty(): boolean {
    return this.#owned.length === 0 && !this.#all;
  }

  /** Notes every session. */
  addAll(): void {
    this.#all = true;
    this.#owned = [];
  }

  /** Notes a group of sessions; of linked ones, those of the side with fewer members. */
  add(group: OwnedSessions | LinkedSessions): void {
    const sessions = this.#store.tableNamed(this.#tables.kind).size;
    if (this.#all || sessions === 0) return;
    if ('owners' in group) {
      this.#note(group);
      return;
    }
    const { identities, services } = group;
    const byServices = identities.all || (!services.all && services.most() < identities.most());
    const side = byServices ? services : identities;
    // A walk over so many owners costs as much as evaluating all sessions.
    if (side.all || this.#owners + side.most() > sessions + ownersFree) this.addAll();
    else {
      const kind = byServices ? this.#tables.serviceKind : this.#tables.identityKind;
      this.#note({ kind, owners: side.slots() });
    }
  }

  #note(group: OwnedSessions): void {
    const [first] = group.owners;
    if (first === undefined || this.#isNoted(group.kind, first, group.owners.length)) return;
    this.#owners += group.owners.length;
    this.#owned.push(group);
  }

  #isNoted(kind: string, owner: number, length: number): boolean {
    if (length > 1) return false;
    let noted = this.#single.get(kind);
    if (noted === undefined) this.#single.set(kind, (noted = new Set()));
    if (noted.has(owner)) return true;
    noted.add(owner);
    return false;
  }

  /**
   * The sessions, some of them perhaps twice, and undefined as a sign that the search took a while.
   * Sessions may come and go between two of them; those that were there before are not missed.
   */
  *rows(): Generator<Row | undefined> {
    const table = this.#store.tableNamed(this.#tables.kind);
    if (this.#all) {
      yield* table.all();
      return;
    }
    let idle = 0;
    for (const { kind, owners } of this.#owned) {
      const index = table.group(this.#tables.indexes[kind] ?? '');
      const holders = this.#store.tableNamed(kind);
      for (let at = 0; at < owners.length; at++) {
        const id = holders.at(owners[at] ?? -1)?.id;
        if (id !== undefined) yield* index.rows(id);
        if (++idle % ownersInAStep === 0) yield undefined;
      }
    }
  }
}

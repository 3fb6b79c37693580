// Which routers and links have changed, in the order of their changes, while somebody looks at the
// map.

import type { Lsn } from '../../../../snapshots/journal.ts';
import { KeyMap } from '../../../containers/key-map.ts';
import { LastChanges } from '../../../containers/last-changes.ts';
import { rowsAStep } from '../../../containers/walk.ts';
import { type CircuitRecord, circuitKind } from '../../../records/circuit.ts';
import { linkKind } from '../../../records/link.ts';
import { routerKind } from '../../../records/router.ts';
import { routerPresenceKind } from '../../../records/router-presence.ts';
import type { Store } from '../../../store/store.ts';
import { type ChangeSet, type CommittedChange, isOf } from '../../../store/transaction.ts';
import type { MapRow } from '../../messages.ts';

/** A router or a link that is or was on the map. */
export interface MapMember extends Pick<MapRow, 'kind' | 'id'> {
  changedAt: number;
  isRemoved: boolean;
  /** Its present row may be told once this frame is durable. */
  lsn: Lsn;
}

/** A commit costs one branch while nobody looks. */
export class MapChanges {
  readonly #store: Store;
  #members = noMembers();
  #log = new LastChanges<MapMember>(removedMembersKeptMax);
  #changes = 0;
  #isOn = false;
  #isBuilt = false;
  /** Routers and links of which circuits have come or gone since the last `noteLoads`. */
  readonly #loaded = new Set<MapMember>();
  #loadLsn: Lsn = 0;
  /** Services whose circuits have changed since the last `takeServices`. */
  #services = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
    store.follow((changes) => {
      if (this.#isOn) this.#take(changes);
    });
  }

  /** Whether all routers and links are among the changes. */
  get isBuilt(): boolean {
    return this.#isBuilt;
  }

  get log(): Pick<LastChanges<MapMember>, 'last' | 'forgottenAt' | 'after'> {
    return this.#log;
  }

  /** Begins to follow; all that is there is noted in steps. */
  start(): Generator<undefined> {
    this.#isOn = true;
    return this.#build(this.#log);
  }

  /** Stops following and forgets everything. */
  stop(): void {
    this.#isOn = false;
    this.#isBuilt = false;
    this.#members = noMembers();
    this.#log = new LastChanges(removedMembersKeptMax);
    this.#loaded.clear();
    this.#services.clear();
  }

  /** Notes those over which circuits have come or gone: too often for each change to be told. */
  noteLoads(): void {
    for (const member of this.#loaded) {
      if (!member.isRemoved) this.#note(member.kind, member.id, this.#loadLsn);
    }
    this.#loaded.clear();
  }

  /** The services whose circuits have changed since the last call. */
  takeServices(): ReadonlySet<string> {
    const services = this.#services;
    this.#services = new Set();
    return services;
  }

  *#build(log: LastChanges<MapMember>): Generator<undefined> {
    let count = 0;
    for (const [kind, table] of [
      ['router', this.#store.table(routerKind)],
      ['link', this.#store.table(linkKind)],
    ] as const) {
      for (const { id, lsn } of table.all()) {
        if (++count % rowsAStep === 0) yield;
        if (log !== this.#log) return;
        if (this.#members[kind].get(id) === undefined) this.#note(kind, id, lsn);
      }
    }
    if (log === this.#log) this.#isBuilt = true;
  }

  #take({ lsn, changes }: ChangeSet): void {
    for (const change of changes) {
      const { id } = change.row;
      if (isOf(change, routerKind)) this.#change('router', id, lsn, change);
      else if (isOf(change, linkKind)) this.#change('link', id, lsn, change);
      else if (isOf(change, circuitKind)) this.#circuit(lsn, change);
      else if (isOf(change, routerPresenceKind)) {
        // It may go with its router, and then after it.
        if (this.#members.router.has(id)) this.#note('router', id, lsn);
      }
    }
  }

  #change(
    kind: MapRow['kind'],
    id: string,
    lsn: Lsn,
    { after }: { readonly after: unknown },
  ): void {
    if (after === undefined) this.#remove(kind, id, lsn);
    else this.#note(kind, id, lsn);
  }

  #circuit(lsn: Lsn, { before, after }: Pick<CommittedChange<CircuitRecord>, 'before' | 'after'>) {
    this.#services.add((after ?? before)?.serviceId ?? '');
    // A change of its state alone changes no load.
    if (before?.links === after?.links && before?.routers === after?.routers) return;
    this.#loadLsn = lsn;
    for (const circuit of [before, after]) {
      for (const id of circuit?.routers ?? []) this.#load(this.#members.router.get(id));
      for (const id of circuit?.links ?? []) this.#load(this.#members.link.get(id));
    }
  }

  #load(member: MapMember | undefined): void {
    if (member !== undefined) this.#loaded.add(member);
  }

  #note(kind: MapRow['kind'], id: string, lsn: Lsn): void {
    const members = this.#members[kind];
    let member = members.get(id);
    if (member === undefined) {
      member = { kind, id, changedAt: 0, isRemoved: false, lsn };
      members.set(id, member);
    }
    this.#enter(member, lsn);
  }

  #remove(kind: MapRow['kind'], id: string, lsn: Lsn): void {
    const member = this.#members[kind].get(id);
    if (member === undefined) return;
    this.#members[kind].delete(id);
    member.isRemoved = true;
    this.#enter(member, lsn);
  }

  #enter(member: MapMember, lsn: Lsn): void {
    this.#changes += 1;
    member.changedAt = this.#changes;
    member.lsn = Math.max(member.lsn, lsn);
    this.#log.note(member);
  }
}

function noMembers() {
  return { router: new KeyMap<MapMember>(), link: new KeyMap<MapMember>() };
}

/**
 * Routers and links that are gone and of which slow inspectors are still told; a slower one is told
 * everything again. @bound per controller
 */
const removedMembersKeptMax = 1000;

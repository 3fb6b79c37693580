// Compares the access of the new home with the links that the peer has stored: for each identity
// the services that it may dial and bind and its edge routers, and for each service its edge
// routers. One identity or service is looked at at a time, so that memory does not grow with pairs.

import type { Access } from '../../access/access.ts';
import { bindBit, dialBit } from '../../declare/kinds/access-vocabulary.ts';
import { RecordNames } from '../../declare/kinds/record-names.ts';
import { identityKind } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { kinds } from '../../resources/index.ts';
import type { Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import type { PeerEntity, PeerFields, PeerNetwork } from '../peer/entity.ts';
import { type BoundedList, Collected } from './bounded-list.ts';

/** What may link two members of a network. */
export type AccessLink = 'dial' | 'bind' | 'router of identity' | 'router of service';

/** A member of a network. */
export interface Member {
  readonly id: string;
  readonly name: string;
}

/** A pair that is linked on one side only. */
export interface AccessDifference {
  readonly link: AccessLink;
  /** An identity, or a service for `router of service`. */
  readonly from: Member;
  /** A service, or a router. */
  readonly to: Member;
  /** Who links them: the peer in its database, or the new home. */
  readonly linkedBy: 'peer' | 'home';
}

/** The outcome of the comparison. */
export interface AccessProof {
  readonly identities: number;
  readonly services: number;
  /** Pairs that the peer has stored, of members that were taken over. */
  readonly pairs: number;
  readonly differences: BoundedList<AccessDifference>;
}

/** What is compared. */
export interface ComparedAccess {
  readonly network: PeerNetwork;
  readonly store: Store;
  readonly access: Access;
  /** Called for each identity and service. */
  readonly compared: () => void;
}

/** Compares all of it. @throws SourceDamaged as the network does */
export function compareAccess(compared: ComparedAccess): AccessProof {
  return new Comparison(compared).run();
}

class Comparison {
  readonly #network: PeerNetwork;
  readonly #access: Access;
  readonly #compared: () => void;
  readonly #identities: Table;
  readonly #services: Table;
  readonly #routers: Table;
  readonly #names: RecordNames;
  readonly #differences = new Collected<AccessDifference>();
  #pairs = 0;

  constructor({ network, store, access, compared }: ComparedAccess) {
    this.#network = network;
    this.#access = access;
    this.#compared = compared;
    this.#identities = store.tableNamed(identityKind.kind);
    this.#services = store.tableNamed(serviceKind.kind);
    this.#routers = store.tableNamed(routerKind.kind);
    this.#names = new RecordNames(kinds, store);
  }

  run(): AccessProof {
    const identities = this.#each('identities', this.#identities, (entity, slot) =>
      this.#ofIdentity(entity, slot),
    );
    const services = this.#each('services', this.#services, (entity, slot) =>
      this.#ofService(entity, slot),
    );
    return { identities, services, pairs: this.#pairs, differences: this.#differences.list };
  }

  /** Looks at each entity that was taken over; what was left out is named elsewhere. */
  #each(kind: string, table: Table, look: (entity: PeerEntity, slot: number) => void): number {
    let count = 0;
    for (const entity of this.#network.entities(kind)) {
      const row = table.peek(entity.id);
      if (row === undefined) continue;
      look(entity, row.slot);
      count += 1;
      this.#compared();
    }
    return count;
  }

  #ofIdentity(entity: PeerEntity, slot: number): void {
    const { slots, bits } = this.#access.permissions.visible(slot);
    const from = this.#memberAt(this.#identities, slot);
    for (const [link, field, bit] of serviceLinks) {
      const ours = [...slots].filter((_, at) => ((bits[at] ?? 0) & bit) !== 0);
      this.#compare(link, from, this.#services, entity.set(field), ours);
    }
    const routers = this.#access.routers.of('identity', slot);
    this.#compare('router of identity', from, this.#routers, entity.set('routers'), routers);
  }

  #ofService(entity: PeerEntity, slot: number): void {
    // Below schema 47 the links of a service stand in its sub-bucket.
    const fields: readonly (PeerFields | undefined)[] = [entity, entity.below('edge')];
    const stored = fields.flatMap((one) => one?.set('edgeRouters') ?? []);
    const from = this.#memberAt(this.#services, slot);
    const routers = this.#access.routers.of('service', slot);
    this.#compare('router of service', from, this.#routers, stored, routers);
  }

  #compare(
    link: AccessLink,
    from: Member,
    table: Table,
    stored: readonly string[],
    ours: Iterable<number>,
  ): void {
    const unmatched = new Set<number>();
    for (const id of stored) {
      const slot = table.peek(id)?.slot;
      if (slot !== undefined) unmatched.add(slot);
    }
    this.#pairs += unmatched.size;
    for (const slot of ours) {
      if (!unmatched.delete(slot)) this.#differ(link, from, table, slot, 'home');
    }
    for (const slot of unmatched) this.#differ(link, from, table, slot, 'peer');
  }

  #differ(
    link: AccessLink,
    from: Member,
    table: Table,
    slot: number,
    linkedBy: AccessDifference['linkedBy'],
  ): void {
    this.#differences.add({ link, from, to: this.#memberAt(table, slot), linkedBy });
  }

  #memberAt(table: Table, slot: number): Member {
    const row = table.inSlot(slot);
    if (row === undefined) return { id: '', name: '' };
    return { id: row.id, name: this.#names.of(table.kind, row.record) };
  }
}

const serviceLinks = [
  ['dial', 'dialServices', dialBit],
  ['bind', 'bindServices', bindBit],
] as const;

// When what an identity may reach last changed: the stamp that clients poll (spec/2 C20, behaviour
// §4.9).

import type { RecordBase, Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { MemberGroup } from './change.ts';

/** Which identities' view of their services a change to one record of a kind may alter. */
export interface UpdateSource {
  readonly kind: string;
  /** Slots of identities. */
  identities(
    row: Row,
    before: RecordBase | undefined,
    after: RecordBase | undefined,
  ): Iterable<number>;
}

/** The stamps of all identities, in memory by row slot; they never move backwards. */
export class ServiceUpdateStamps {
  readonly #now: () => number;
  #stamps = new Float64Array(1024);

  /** Follows commits that touch the sources' kinds. Identities that go lose their stamp. */
  constructor(options: {
    store: Store;
    now: () => number;
    identityKind: string;
    sources: readonly UpdateSource[];
  }) {
    this.#now = options.now;
    const sources = new Map(options.sources.map((source) => [source.kind, source]));
    options.store.follow(({ changes }) => {
      for (const { table, row, before, after } of changes) {
        const source = sources.get(table.kind);
        if (source !== undefined) this.#stampAll(source.identities(row, before, after));
        if (table.kind === options.identityKind && after === undefined) this.#stamps[row.slot] = 0;
      }
    });
  }

  /**
   * Stamps identities whose access changed. Within the transaction, that is before its commit: one
   * that is taken back only makes a client look in vain.
   */
  touch(identities: MemberGroup): void {
    this.#stampAll(identities.slots());
  }

  /** Wall-clock ms; undefined when nothing changed since the process started. */
  lastChangeAt(identitySlot: number): number | undefined {
    const at = this.#stamps[identitySlot] ?? 0;
    return at === 0 ? undefined : at;
  }

  #stampAll(slots: Iterable<number>): void {
    const now = this.#now();
    for (const slot of slots) {
      if (slot >= this.#stamps.length) this.#grow(slot);
      if ((this.#stamps[slot] ?? 0) < now) this.#stamps[slot] = now;
    }
  }

  #grow(slot: number): void {
    const larger = new Float64Array(Math.max(slot + 1, this.#stamps.length * 2));
    larger.set(this.#stamps);
    this.#stamps = larger;
  }
}

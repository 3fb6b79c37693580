// The cascades of a deletion and the reasons to refuse it: a plan compiled from the relations of
// all kinds.

import { referencedError } from '../../errors/errors.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { OnDelete, Relation } from './field.ts';
import type { Kind } from './kind.ts';

/** One relation seen from the kind it refers to. */
interface Inbound {
  readonly from: string;
  readonly field: string;
  readonly index: string;
  readonly onDelete: OnDelete;
  readonly relation: Relation;
}

/** Sends a machine the event that ends its record. Passed in by `wiring.ts`. */
export type Remover = (tx: Transaction, kind: string, id: string) => void;

/** A mistake in the declarations, found at boot. */
export class DeclarationFault extends Error {
  override readonly name = 'DeclarationFault';
}

/** The name of the durable work that carries out a large cascade. */
export const cascadeWork = 'cascade';

/** The cascade plan of all kinds. */
export class Cascades {
  readonly #store: Store;
  readonly #remover: Remover;
  readonly #withMachine = new Set<string>();
  readonly #inbound = new Map<string, Inbound[]>();
  readonly #newId: () => string;

  /**
   * @throws DeclarationFault for a relation without its inverse, an unknown kind, a reference from
   *   a durable kind to a volatile one, or a cascade cycle.
   */
  constructor(options: {
    kinds: readonly Kind[];
    store: Store;
    remover: Remover;
    newId: () => string;
  }) {
    this.#store = options.store;
    this.#remover = options.remover;
    this.#newId = options.newId;
    for (const kind of options.kinds) this.#inbound.set(kind.kind, []);
    for (const kind of options.kinds) this.#addRelations(kind, options.kinds);
    refuseMissingWaysBack(options.kinds, this.#inbound);
    refuseCycles(this.#inbound);
    this.#setLiveness(options.kinds);
    const { deferredCascades } = this.#store;
    deferredCascades.setGoingWith((kind) => this.#goingWith(kind));
    deferredCascades.register(cascadeWork, {
      takes: ([kind = '']) => this.#goingWith(kind),
      isFinal: true,
      slice: (tx, [kind = '', id = ''], rowsMax) =>
        this.#sweep(tx, kind, id, { rows: rowsMax }) ? 'done' : 'more',
    });
  }

  /**
   * Deletes a record and everything that its cascades delete. A large cascade leaves its rows to
   * deferred cascades, but readers no longer see them. `end` deletes the record itself if that
   * takes another event than the usual one.
   * @throws ApiError CAN_NOT_DELETE_REFERENCED_ENTITY while a reference refuses the deletion.
   */
  remove(tx: Transaction, kind: string, id: string, end?: () => void): void {
    this.#refuse(kind, id);
    const destroy = end ?? (() => this.#destroy(tx, kind, id));
    const rowsMax = this.#store.deferredCascades.rowsMax;
    if (this.dependents(kind, id, rowsMax + 1) <= rowsMax) {
      this.#sweep(tx, kind, id, { rows: Number.POSITIVE_INFINITY });
      destroy();
      return;
    }
    destroy();
    this.#store.deferredCascades.note(tx, this.#newId(), cascadeWork, [kind, id]);
  }

  /** The records that are deleted with a record of this kind because of `onDelete`. */
  inbound(kind: string): readonly Inbound[] {
    return this.#inbound.get(kind) ?? [];
  }

  #goingWith(kind: string): readonly string[] {
    return this.inbound(kind).flatMap(({ from, onDelete }) =>
      onDelete === 'cascade' ? [from] : [],
    );
  }

  #addRelations(kind: Kind, kinds: readonly Kind[]): void {
    if (kind.machine !== undefined) this.#withMachine.add(kind.kind);
    for (const { field, index, relation } of kind.relations) {
      const target = kinds.find((other) => other.kind === relation.kind);
      if (target === undefined) {
        throw new DeclarationFault(`${kind.kind}.${field} refers to unknown kind ${relation.kind}`);
      }
      if (!target.many.includes(relation.inverse)) {
        throw new DeclarationFault(
          `${kind.kind}.${field} names ${relation.inverse}, which ${target.kind} does not declare`,
        );
      }
      if (target.volatile && !kind.volatile) {
        throw new DeclarationFault(
          `${kind.kind}.${field} refers to ${target.kind}, whose records a restart loses`,
        );
      }
      this.#inbound
        .get(target.kind)
        ?.push({ from: kind.kind, field, index, onDelete: relation.onDelete, relation });
    }
  }

  #refuse(kind: string, id: string): void {
    for (const inbound of this.inbound(kind)) {
      if (inbound.onDelete !== 'refuse') continue;
      const ids = [];
      for (const row of this.#store.tableNamed(inbound.from).members(inbound.index, id)) {
        ids.push(row.id);
        if (ids.length === referringIdsMax) break;
      }
      if (ids.length > 0) {
        throw referencedError(inbound.field, ids, inbound.relation.refusedStatus);
      }
    }
  }

  /** The number of rows that are deleted or changed with a record, counted up to `most`. */
  dependents(kind: string, id: string, most: number): number {
    let count = 0;
    for (const inbound of this.inbound(kind)) {
      if (inbound.onDelete === 'refuse') continue;
      const group = this.#store.tableNamed(inbound.from).group(inbound.index);
      count += group.count(id);
      if (count >= most) return count;
      if (inbound.onDelete !== 'cascade' || this.inbound(inbound.from).length === 0) continue;
      for (const row of group.rows(id)) {
        count += this.dependents(inbound.from, row.id, most - count);
        if (count >= most) return count;
      }
    }
    return count;
  }

  /**
   * Deletes rows that depend on a record and strips references to it, until done or `budget` is
   * used up.
   */
  #sweep(tx: Transaction, kind: string, id: string, budget: { rows: number }): boolean {
    for (const inbound of this.inbound(kind)) {
      if (inbound.onDelete === 'refuse') continue;
      const group = this.#store.tableNamed(inbound.from).group(inbound.index);
      for (const row of [...take(group.rows(id), budget.rows)]) {
        if (inbound.onDelete === 'strip') this.#strip(tx, inbound, row, id);
        else if (this.#sweep(tx, inbound.from, row.id, budget) && budget.rows > 0) {
          this.#destroy(tx, inbound.from, row.id);
        } else return false;
        budget.rows--;
        if (budget.rows <= 0 && Number.isFinite(budget.rows)) break;
      }
      if (group.count(id) > 0) return false;
    }
    return true;
  }

  #strip(tx: Transaction, { from, field, relation }: Inbound, row: Row, id: string): void {
    const table = this.#store.tableNamed(from);
    const record: RecordBase & Readonly<Record<string, unknown>> = row.record;
    const stripped = { ...record, [field]: relation.strip(record[field], id), updatedAt: tx.now };
    tx.put(table, stripped);
  }

  #destroy(tx: Transaction, kind: string, id: string): void {
    if (this.#withMachine.has(kind)) this.#remover(tx, kind, id);
    else tx.delete(this.#store.tableNamed(kind), id);
  }

  /** A row is invisible to readers as soon as one of its owners is. */
  #setLiveness(kinds: readonly Kind[]): void {
    for (const kind of kinds) {
      const owners = kind.relations.filter(({ relation }) => relation.onDelete === 'cascade');
      if (owners.length === 0) continue;
      const tables = owners.map(({ relation }) => this.#store.tableNamed(relation.kind));
      const table = this.#store.tableNamed(kind.kind);
      const further = table.isLive;
      table.isLive = (record) =>
        (further?.(record) ?? true) &&
        owners.every(({ field, relation }, i) => {
          const values: Readonly<Record<string, unknown>> = record;
          const id = relation.ids(values[field]);
          if (typeof id !== 'string') return true;
          const owner = tables[i]?.peek(id);
          return owner !== undefined && (tables[i]?.isLive?.(owner.record) ?? true);
        });
    }
  }
}

/** Ids that a refused deletion names. @bound per request */
const referringIdsMax = 100;

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- <= 0) return;
    yield item;
  }
}

function refuseMissingWaysBack(
  kinds: readonly Kind[],
  inbound: ReadonlyMap<string, readonly Inbound[]>,
): void {
  for (const { kind, many } of kinds) {
    const named = new Set((inbound.get(kind) ?? []).map(({ relation }) => relation.inverse));
    const idle = many.filter((name) => !named.has(name));
    if (idle.length > 0) {
      throw new DeclarationFault(`${kind} declares ${idle.join(', ')}, which no relation names`);
    }
  }
}

function refuseCycles(inbound: ReadonlyMap<string, readonly Inbound[]>): void {
  const finished = new Set<string>();
  const visit = (kind: string, path: readonly string[]): void => {
    if (path.includes(kind)) {
      throw new DeclarationFault(`deletions cascade in a circle: ${[...path, kind].join(' → ')}`);
    }
    if (finished.has(kind)) return;
    for (const { from, onDelete } of inbound.get(kind) ?? []) {
      if (onDelete === 'cascade') visit(from, [...path, kind]);
    }
    finished.add(kind);
  };
  for (const kind of inbound.keys()) visit(kind, []);
}

// The records of circuits: the live ones with their machine, and those on disk.

import type { CircuitEvent, CircuitRight, CircuitRoute } from '../../../machines/circuit.ts';
import {
  type CircuitPathRecord,
  type CircuitRecord,
  circuitKind,
  circuitPathKind,
} from '../../records/circuit.ts';
import type { Table } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { RoutersEnvironment } from '../context.ts';
import type { CircuitsOver } from '../routers-part.ts';

/** The groups by which circuits are found, besides their routers and links. */
export type CircuitGroup =
  | 'sessionId'
  | 'apiSessionId'
  | 'identityId'
  | 'serviceId'
  | 'terminatorId'
  | 'hostId';

/** Circuits that one frame creates or ends at most; one takes about 30 µs. @bound */
export const circuitsAFrameMax = 32;

/** Reads and writes the records of circuits. Each writing method is a transaction. */
export class CircuitRecords {
  readonly #env: RoutersEnvironment;
  readonly #live: Table<CircuitRecord>;
  readonly #paths: Table<CircuitPathRecord>;
  /** Circuits whose end could not be written yet; for everybody else they are gone. */
  readonly #gone = new Set<string>();
  readonly byRouter: CircuitsOver['router'];
  readonly byLink: CircuitsOver['link'];

  constructor(env: RoutersEnvironment) {
    this.#env = env;
    this.#live = env.store.table(circuitKind);
    this.#paths = env.store.table(circuitPathKind);
    this.byRouter = env.circuitsOver.router;
    this.byLink = env.circuitsOver.link;
  }

  /** How many there are. */
  get size(): number {
    return this.#live.size;
  }

  /** The circuit with this id, unless it has ended. */
  find(id: string): CircuitRecord | undefined {
    return this.#gone.has(id) ? undefined : this.#live.peek(id)?.record;
  }

  /** How many circuits a group has. */
  count(group: CircuitGroup, key: string): number {
    return this.#live.group(group).count(key);
  }

  /** The ids of a group's circuits at this time. */
  ids(group: CircuitGroup, key: string): string[] {
    return Array.from(this.#live.group(group).rows(key), ({ id }) => id);
  }

  /** The ids of all circuits, some of which may have ended when they are read. */
  *all(): Generator<string> {
    for (const { id } of this.#live.all()) yield id;
  }

  /** A circuit that its routers are being told of. */
  create(id: string, fields: CircuitRight & CircuitRoute, actor: string): void {
    this.#transact(actor, 'createCircuit', (tx) => {
      this.#send(tx, id, { type: 'create', now: tx.now, fields });
    });
  }

  /** Another attempt to create it. */
  retry(id: string, route: CircuitRoute, actor: string): void {
    this.#transact(actor, 'retryCircuit', (tx) => {
      this.#send(tx, id, { type: 'retry', now: tx.now, route });
    });
  }

  /** Its routers carry it. @throws whatever the log refuses with. */
  confirm(id: string, actor: string): void {
    this.#transact(actor, 'confirmCircuit', (tx) => {
      this.#send(tx, id, { type: 'confirm', now: tx.now });
      this.#keep(tx, id);
    });
  }

  /** It is about to get another path. */
  reroute(id: string): void {
    this.#transact('controller', 'rerouteCircuit', (tx) => {
      this.#send(tx, id, { type: 'reroute', now: tx.now });
    });
  }

  /** It has another path. @throws whatever the log refuses with. */
  rerouted(id: string, path: Pick<CircuitRoute, 'routers' | 'links'>): void {
    const { routers, links } = path;
    this.#transact('controller', 'rerouteCircuit', (tx) => {
      const before = this.#live.peek(id)?.record.links ?? links;
      this.#send(tx, id, { type: 'rerouted', now: tx.now, routers, links });
      if (String(links) !== String(before)) this.#keep(tx, id);
    });
  }

  /** From now on it has ended for all readers of this object; `remove` must follow. */
  hide(id: string): void {
    this.#gone.add(id);
  }

  /** Removes circuits that were hidden. @throws whatever the log refuses with. */
  remove(ids: readonly string[], actor: string, operation: string): void {
    this.#transact(actor, operation, (tx) => {
      for (const id of ids) {
        if (this.#live.peek(id) !== undefined) this.#send(tx, id, { type: 'end', now: tx.now });
        tx.delete(this.#paths, id);
      }
    });
    for (const id of ids) this.#gone.delete(id);
  }

  /**
   * Makes circuits of the paths on disk, one frame's worth per step: the state after a restart or
   * a takeover.
   */
  *restore(): Generator<undefined, void> {
    let batch: CircuitPathRecord[] = [];
    for (const { record } of this.#paths.all()) {
      if (this.#live.peek(record.id) !== undefined) continue;
      if (batch.push(record) < circuitsAFrameMax) continue;
      this.#restore(batch);
      batch = [];
      yield;
    }
    this.#restore(batch);
  }

  #restore(records: readonly CircuitPathRecord[]): void {
    this.#transact('controller', 'restoreCircuits', (tx) => {
      for (const { id, createdAt: _c, updatedAt: _u, tags: _t, ...fields } of records) {
        this.#send(tx, id, { type: 'restore', now: tx.now, fields });
      }
    });
  }

  /** Keeps the present path of a circuit on disk. */
  #keep(tx: Transaction, id: string): void {
    const record = this.#live.peek(id)?.record;
    if (record === undefined) return;
    const { state: _state, attempt: _attempt, reroutes: _reroutes, ...kept } = record;
    tx.put(this.#paths, kept);
  }

  #send(tx: Transaction, id: string, event: CircuitEvent): void {
    this.#env.send(tx, circuitKind.kind, id, event);
  }

  #transact(actor: string, operation: string, body: (tx: Transaction) => void): void {
    this.#env.store.transact({ actor, requestId: '', operation }, body);
  }
}

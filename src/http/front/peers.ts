// The main thread's view of the TLS front's connections: finds the peer by the id in a PROXY
// header.

import { Buffer } from 'node:buffer';
import type { Peer } from '../../platform/http-exchange.ts';
import { ConnectionTable, type FrontCounterName, frontCounterNames } from './connection-table.ts';

/** Counts of all TLS workers together. */
export type FrontCounters = Readonly<Record<FrontCounterName, number>>;

/**
 * The peer of each connection id. A connection without certificate is read at its first request
 * from memory shared with its worker; one with certificates was announced before by a message.
 */
export class Connections {
  readonly #slotsEach: number;
  readonly #tables: ConnectionTable[] = [];
  readonly #known: (KnownPeer | undefined)[] = [];

  /** `connectionsMax` connections are open at most in each worker. */
  constructor(connectionsMax: number) {
    this.#slotsEach = connectionsMax;
  }

  /**
   * A table for one more worker. One without slots, whose worker serves no requests, must be the
   * last: the table of a slot is found by division.
   */
  addWorker(slots: number = this.#slotsEach): ConnectionTable {
    const table = new ConnectionTable(this.#tables.length * this.#slotsEach, slots);
    this.#tables.push(table);
    return table;
  }

  /**
   * The peer behind an id as it came in a PROXY header; undefined when there is no such connection.
   * A client's own header names an unknown id (or none at all), because ids can't be guessed.
   */
  peer(id: ArrayBuffer): Peer | undefined {
    if (id.byteLength !== 16) return undefined;
    const words = new Int32Array(id);
    const slot = words[0] ?? 0;
    const second = words[1] ?? 0;
    const third = words[2] ?? 0;
    const fourth = words[3] ?? 0;
    const known = this.#known[slot];
    if (known?.hasId(second, third, fourth) === true) return known;
    return this.#meet(slot, second, third, fourth);
  }

  /** The slot of an id that `peer` found. */
  slot(id: ArrayBuffer): number {
    return new Int32Array(id, 0, 1)[0] ?? -1;
  }

  /** Takes the certificates of a connection, before its worker forwards anything of it. */
  introduce(slot: number, certificates: readonly Uint8Array[]): void {
    const table = this.#table(slot);
    if (table === undefined) return;
    const chain = certificates.map((der) => Buffer.from(der.buffer, der.byteOffset, der.length));
    this.#known[slot] = new KnownPeer(table, slot, table.secret(slot), chain);
  }

  /**
   * Forgets closed connections with certificates. Their last bytes may still be unread in the
   * server's sockets, so this waits for a complete turn of the event loop.
   */
  forget(slots: readonly number[]): void {
    const gone = slots.map((slot) => [slot, this.#known[slot]] as const);
    setImmediate(() => {
      setImmediate(() => {
        // A slot may have a new owner by now.
        for (const [slot, known] of gone) {
          if (this.#known[slot] === known) this.#known[slot] = undefined;
        }
      });
    });
  }

  /** A new table that replaces the one of a dead worker, whose ids all become invalid. */
  replaceWorker(table: ConnectionTable): ConnectionTable {
    this.#known.fill(undefined, table.slotBase, table.slotBase + table.slots);
    const fresh = new ConnectionTable(table.slotBase, table.slots);
    this.#tables[this.#tables.indexOf(table)] = fresh;
    return fresh;
  }

  /** The workers' counts, summed. */
  counters(): FrontCounters {
    const sum = (name: FrontCounterName): number =>
      this.#tables.reduce((total, table) => total + table.count(name), 0);
    return Object.fromEntries(frontCounterNames.map((name) => [name, sum(name)])) as FrontCounters;
  }

  #meet(slot: number, second: number, third: number, fourth: number): Peer | undefined {
    const table = this.#table(slot);
    if (table === undefined || !table.holds(slot, second, third, fourth)) return undefined;
    // A connection with certificates is known only by its message: without one it cannot have sent
    // a request.
    if (table.certified(slot)) return undefined;
    const peer = new KnownPeer(table, slot, [second, third, fourth], noCertificates);
    this.#known[slot] = peer;
    return peer;
  }

  #table(slot: number): ConnectionTable | undefined {
    if (slot < 0) return undefined;
    return this.#tables[Math.floor(slot / this.#slotsEach)];
  }
}

type Secret = ReturnType<ConnectionTable['secret']>;

/** The peer of a connection whose id stands in its slot at the moment. */
class KnownPeer implements Peer {
  readonly address: string;
  readonly certificates: readonly Buffer[];
  readonly #namesRequests: boolean;
  readonly #table: ConnectionTable;
  readonly #slot: number;
  /** The three random words of the id. */
  readonly #secret: Secret;

  constructor(
    table: ConnectionTable,
    slot: number,
    secret: Secret,
    certificates: readonly Buffer[],
  ) {
    this.address = table.address(slot);
    // Read now: the slot may be that of another connection when its last request is read.
    this.#namesRequests = table.namesRequests(slot);
    this.certificates = certificates;
    this.#table = table;
    this.#slot = slot;
    this.#secret = secret;
  }

  get namesRequests(): boolean {
    return this.#namesRequests;
  }

  hasId(second: number, third: number, fourth: number): boolean {
    const secret = this.#secret;
    return secret[0] === second && secret[1] === third && secret[2] === fourth;
  }

  sessionUsed(): void {
    // The connection may be gone, and the slot may be that of another one.
    if (this.#table.holds(this.#slot, ...this.#secret)) this.#table.noteSessionUse(this.#slot);
  }
}

const noCertificates: readonly Buffer[] = Object.freeze([]);

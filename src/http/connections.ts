// The main thread's knowledge of the TLS front's connections: from the id in a PROXY header to the
// peer.

import { Buffer } from 'node:buffer';
import type { Peer } from '../exchange.ts';
import { ConnectionTable, type FrontCounterName, frontCounterNames } from './connection-table.ts';

/** Counts of all TLS workers together. */
export type FrontCounters = Readonly<Record<FrontCounterName, number>>;

/**
 * Who stands behind each connection id. A connection without certificate is read from memory shared
 * with its worker at its first request; one with certificates was introduced by a message before.
 */
export class Connections {
  readonly #slotsEach: number;
  readonly #tables: ConnectionTable[] = [];
  readonly #known: (Known | undefined)[] = [];

  /** `connectionsMax` connections are open at most in each worker. */
  constructor(connectionsMax: number) {
    this.#slotsEach = connectionsMax;
  }

  /** A table for one more worker. */
  addWorker(): ConnectionTable {
    const table = new ConnectionTable(this.#tables.length * this.#slotsEach, this.#slotsEach);
    this.#tables.push(table);
    return table;
  }

  /**
   * The peer behind an id as it came in a PROXY header; undefined when there is no such connection.
   * A client's own header names an id that nobody has (or none at all), as ids can't be guessed.
   */
  peer(id: ArrayBuffer): Peer | undefined {
    if (id.byteLength !== 16) return undefined;
    const words = new Int32Array(id);
    const slot = words[0] ?? 0;
    const second = words[1] ?? 0;
    const third = words[2] ?? 0;
    const fourth = words[3] ?? 0;
    const known = this.#known[slot];
    if (
      known !== undefined &&
      known.second === second &&
      known.third === third &&
      known.fourth === fourth
    ) {
      return known.peer;
    }
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
    const [second, third, fourth] = table.secret(slot);
    const chain = certificates.map((der) => Buffer.from(der.buffer, der.byteOffset, der.length));
    const peer = { address: table.address(slot), certificates: chain };
    this.#known[slot] = { second, third, fourth, peer };
  }

  /**
   * Forgets connections with certificates that are closed. What they sent last may still lie unread
   * in the server's sockets, so this waits until a whole turn of the event loop has passed.
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

  /** A fresh table in the place of one whose worker has died; all its ids are void. */
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
    // With certificates it is known by a message only: without one nothing may have come from it.
    if (table.certified(slot)) return undefined;
    const peer = { address: table.address(slot), certificates: noCertificates };
    this.#known[slot] = { second, third, fourth, peer };
    return peer;
  }

  #table(slot: number): ConnectionTable | undefined {
    if (slot < 0) return undefined;
    return this.#tables[Math.floor(slot / this.#slotsEach)];
  }
}

interface Known {
  readonly second: number;
  readonly third: number;
  readonly fourth: number;
  readonly peer: Peer;
}

const noCertificates: readonly Buffer[] = Object.freeze([]);

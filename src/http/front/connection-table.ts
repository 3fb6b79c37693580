// One TLS worker's connections in memory that it shares with the main thread: the peer of each id,
// and counters.

import { Buffer } from 'node:buffer';

/** The counters of a worker, in the order of the words in shared memory. */
export const frontCounterNames = [
  'connectionsOpen',
  'connectionsAccepted',
  'connectionsRefused',
  'connectionsRefusedOfAddress',
  'connectionsDisplaced',
  'handshakesUnfinished',
  'handshakesWaiting',
  'handshakesFailed',
  'handshakesTimedOut',
  'handshakesDropped',
  'closedSilent',
  'closedIdle',
  'closedProxyHeader',
  'closedCertificatesTooLarge',
  'closedByServer',
  'closedByClient',
  'certificatesShown',
  'controlConnectionsOpen',
  'controlRefused',
  'controlTooLate',
  'controlAbandoned',
  'controlUnfit',
  'nodeConnectionsOpen',
  'nodesRefused',
  'leaderConnectionsFailed',
  'tunnelsOpen',
  'tunnelsMalformed',
  'waitingForLeader',
  'readsBehind',
  'closedWithoutLeader',
  'closedWithLeader',
] as const;

/** The name of one count of a TLS worker. */
export type FrontCounterName = (typeof frontCounterNames)[number];

/**
 * One slot per connection: 64 bytes, one cache line. Words 0 to 3 hold the id, byte 16 whether it
 * came with a certificate, byte 17 the length of the address, byte 18 whether an API session was
 * used on it since its worker looked last, byte 19 whether its requests have names, and the
 * text of the address starts at byte 20. The first
 * word of an id is the slot's own number over all workers, the other three are fresh random
 * bits. So an id is found by index, and changing a part of it leads to a slot whose other 96 bits
 * differ.
 *
 * A slot is written before its connection sends the first byte to the server and read when that
 * byte has arrived, so neither side ever waits for the other.
 */
export class ConnectionTable {
  readonly shared: SharedArrayBuffer;
  readonly slotBase: number;
  readonly slots: number;
  readonly #words: Int32Array;
  readonly #bytes: Buffer;

  /** `slotBase` is the number of the first slot; without `shared` a new table is created. */
  constructor(slotBase: number, slots: number, shared?: SharedArrayBuffer) {
    this.slotBase = slotBase;
    this.slots = slots;
    this.shared = shared ?? new SharedArrayBuffer(countersBytes + slots * slotBytes);
    this.#words = new Int32Array(this.shared);
    this.#bytes = Buffer.from(this.shared);
    if (shared !== undefined) return;
    // An id of zeros must not be that of an unused slot.
    for (let slot = slotBase; slot < slotBase + slots; slot += 1) {
      this.#words[this.#start(slot) / 4] = unused;
    }
  }

  /**
   * Writes a connection's id, made of the slot's number and 12 random bytes, and what is known of
   * it. Returns the id as it is sent.
   */
  write(slot: number, random: Buffer, { address, certified, namesRequests }: SlotFacts): Buffer {
    const start = this.#start(slot);
    const text = shortAddress(address);
    this.#bytes[start + 16] = certified ? 1 : 0;
    this.#bytes[start + 18] = 0;
    this.#bytes[start + 19] = namesRequests ? 1 : 0;
    this.#bytes[start + 17] = this.#bytes.write(text, start + 20, addressBytesMax, 'latin1');
    random.copy(this.#bytes, start + 4, 0, randomBytes);
    Atomics.store(this.#words, start / 4, slot);
    return Buffer.from(this.#bytes.subarray(start, start + 16));
  }

  /**
   * Whether the slot holds exactly this id; the first word is the slot number and already matches.
   */
  holds(slot: number, second: number, third: number, fourth: number): boolean {
    const word = this.#start(slot) / 4;
    return (
      Atomics.load(this.#words, word) === slot &&
      this.#words[word + 1] === second &&
      this.#words[word + 2] === third &&
      this.#words[word + 3] === fourth
    );
  }

  /** Whether the slot's connection showed a certificate. */
  certified(slot: number): boolean {
    return this.#bytes[this.#start(slot) + 16] === 1;
  }

  /** Whether the requests of the slot's connection have names (`requestIdHeader`). */
  namesRequests(slot: number): boolean {
    return this.#bytes[this.#start(slot) + 19] === 1;
  }

  /** An API session was used on the slot's connection. */
  noteSessionUse(slot: number): void {
    this.#bytes[this.#start(slot) + 18] = 1;
  }

  /** Whether that was noted since the last call; only the table's worker asks. */
  takeSessionUse(slot: number): boolean {
    const at = this.#start(slot) + 18;
    if (this.#bytes[at] === 0) return false;
    this.#bytes[at] = 0;
    return true;
  }

  /** The address of the slot's peer. */
  address(slot: number): string {
    const start = this.#start(slot);
    const length = this.#bytes[start + 17] ?? 0;
    return this.#bytes.toString('latin1', start + 20, start + 20 + length);
  }

  /** The three random words of the slot's id. */
  secret(slot: number): readonly [number, number, number] {
    const word = this.#start(slot) / 4;
    const words = this.#words;
    return [words[word + 1] ?? 0, words[word + 2] ?? 0, words[word + 3] ?? 0];
  }

  /** Adds to a count; only the table's worker does. */
  add(name: FrontCounterName, change: number): void {
    Atomics.add(this.#words, frontCounterNames.indexOf(name), change);
  }

  /** Reads a count. */
  count(name: FrontCounterName): number {
    return Atomics.load(this.#words, frontCounterNames.indexOf(name));
  }

  #start(slot: number): number {
    return countersBytes + (slot - this.slotBase) * slotBytes;
  }
}

/** What a slot says of its connection, beside its id. */
export interface SlotFacts {
  readonly address: string;
  /** Whether it showed a certificate. */
  readonly certified: boolean;
  /** Whether another node names its requests. */
  readonly namesRequests: boolean;
}

/** Random bytes in an id, beside the four of the slot number. */
export const randomBytes = 12;

/** IPv4 in dotted form also when mapped (`Peer.address`), and without a zone (`fe80::1%eth0`). */
export function shortAddress(address: string): string {
  const mapped =
    address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
  const zone = mapped.indexOf('%');
  return zone < 0 ? mapped : mapped.slice(0, zone);
}

const unused = -1;
const slotBytes = 64;
/** Whole cache lines before the slots. */
const countersBytes = Math.ceil((frontCounterNames.length * 4) / slotBytes) * slotBytes;
/** Characters of an address in a slot; the longest IPv6 address without a zone has 39. @bound */
const addressBytesMax = 44;

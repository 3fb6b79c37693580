// The capacity of a TLS worker for connections, and the choice of those that make room when it is
// full.

import { type Linked, LinkedList } from '../../containers/linked-list.ts';
import { SharesBySize } from '../../containers/shares-by-size.ts';
import type { Clock } from '../../platform/ports.ts';
import type { FrontLimits } from './tls-messages.ts';

/** The client of a connection whose handshake is done. */
export interface SeatedClient {
  /** Whether a byte was received or sent since the last sweep. */
  readonly active: boolean;
  /** Whether a request was received as a whole and no byte of its answer was seen yet. */
  readonly awaitsAnswer: boolean;
  /**
   * Whether an API session was used on it since the last call, or a stream of an authenticated
   * caller is open.
   */
  takeSessionUse(): boolean;
  /** Closes it at once, and counts it under `reason`. */
  closeFor(reason: 'connectionsDisplaced'): void;
}

/** The place of one connection. */
export interface Seat extends Linked<Seat> {
  /** Monotonic ms at which the connection came. */
  readonly sinceMs: number;
  /** Closes the connection at once; it leaves its seat within. */
  readonly displace: () => void;
  /** Undefined until its handshake is done. */
  client: SeatedClient | undefined;
  /** Monotonic ms of the last use of an API session that was noticed. */
  sessionUsedMs: number;
  readonly share: AddressShare;
  /** Whether the connection has it still. */
  isTaken: boolean;
  /** The one list that it is in. */
  list: LinkedList<Seat>;
  /** The sweep, and the monotonic ms, in which it was last put at the end of a list. */
  placedInSweep: number;
  placedMs: number;
}

/** The connections of one block of addresses. */
interface AddressShare extends Linked<AddressShare> {
  readonly address: string;
  /** All of them, needed ones included. */
  size: number;
  /** Those whose handshake is not done, the oldest first. */
  readonly unfinished: LinkedList<Seat>;
  /** Those that are not needed, the one that is unused longest first. */
  readonly unneeded: LinkedList<Seat>;
}

/** The options of a capacity. */
export interface ConnectionCapacityOptions {
  readonly limits: Pick<
    FrontLimits,
    'connectionsMax' | 'connectionsPerAddressMax' | 'handshakeGraceMs'
  >;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Why a connection finds no room. */
export type CapacityRefusal = 'connectionsRefused' | 'connectionsRefusedOfAddress';

/**
 * All connections for requests that a worker has: those of its own listener from the first moment
 * on, and on a leader the clients of other nodes. While there is room, none is closed for another.
 * When there is none, a new connection displaces the one that has been unused longest of the
 * address with most, the new one counted: an address that has more than others displaces its own.
 *
 * A connection is needed, and is neither displaced nor counted in that comparison, while a whole
 * request awaits its answer, while a stream of an authenticated caller is open, and for
 * `sessionKeptMs` after an API session was used on it. A body that still arrives, or an answer that
 * is not read, does not make it needed.
 *
 * Each worker decides alone: the kernel spreads the connections of every address over the workers,
 * so the address with most connections in one of them is the one with most in all.
 *
 * The order of use is kept by sweeps, so it is as exact as the time between them, and a request
 * costs nothing here. Choosing takes constant time but for connections that were used since the
 * last sweep, each of which is moved once.
 */
export class ConnectionCapacity {
  readonly #limits: ConnectionCapacityOptions['limits'];
  readonly #clock: Pick<Clock, 'monotonic'>;
  #size = 0;
  readonly #shares = new Map<string, AddressShare>();
  /** By the number of connections that are not needed. */
  readonly #bySize = new SharesBySize<AddressShare>();
  /** Needed connections, in the order in which they were looked at last. */
  readonly #needed = new LinkedList<Seat>();
  /** Connections whose handshake is done. */
  readonly #settled = new Set<Seat>();
  #sweeps = 0;

  constructor({ limits, clock }: ConnectionCapacityOptions) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Takes a connection, for which there must be room. */
  take(address: string, displace: () => void): Seat {
    const nowMs = this.#clock.monotonic();
    const share = this.#shareOf(address);
    const list = share.unfinished;
    const seat: Seat = {
      share,
      list,
      displace,
      isTaken: true,
      sinceMs: nowMs,
      client: undefined,
      sessionUsedMs: Number.NEGATIVE_INFINITY,
      placedInSweep: this.#sweeps,
      placedMs: nowMs,
      before: undefined,
      after: undefined,
    };
    this.#size += 1;
    share.size += 1;
    list.add(seat);
    this.#resized(share, 1);
    return seat;
  }

  /**
   * The handshake of a connection is done, or another part of the worker serves it from now on. One
   * that is gone is no error: its client may learn that later than its seat.
   */
  settle(seat: Seat, client: SeatedClient): void {
    if (!seat.isTaken) return;
    seat.client = client;
    this.#settled.add(seat);
    this.#place(seat);
  }

  /** A connection is gone; one that was gone before is no error. */
  leave(seat: Seat): void {
    if (!seat.isTaken) return;
    seat.isTaken = false;
    const { share, list } = seat;
    this.#size -= 1;
    share.size -= 1;
    list.delete(seat);
    this.#settled.delete(seat);
    if (list !== this.#needed) this.#resized(share, -1);
    if (share.size === 0) this.#shares.delete(share.address);
  }

  /** Called once per second or more often, before `active` is cleared. */
  sweep(): void {
    for (const seat of this.#settled) {
      const isKept = seat.list === this.#needed;
      if (!isKept && seat.client?.active !== true) continue;
      if (!this.#isNeeded(seat)) this.#place(seat);
      else if (!isKept) this.#put(seat, this.#needed);
    }
    this.#sweeps += 1;
  }

  /** Makes room for one more connection of an address; the reason if there is none. */
  admit(address: string): CapacityRefusal | undefined {
    const { connectionsMax, connectionsPerAddressMax } = this.#limits;
    const own = this.#shares.get(address);
    // An address that may have all connections competes only with the others.
    const isBounded = connectionsPerAddressMax < connectionsMax;
    if (isBounded && own !== undefined && own.size >= connectionsPerAddressMax) {
      const seat = this.#displaceable(() => own);
      if (seat === undefined || this.#isYoung(seat)) return 'connectionsRefusedOfAddress';
      seat.displace();
    }
    if (this.#size < connectionsMax || this.displaceFor(address)) return undefined;
    return 'connectionsRefused';
  }

  /**
   * Displaces a connection for one more of an address; false if it must not displace any. `pending`
   * connections of this address are counted as well, which are no connections for requests.
   */
  displaceFor(address: string, pending = 0): boolean {
    const own = () => countedOf(this.#shares.get(address)) + pending;
    const seat = this.#displaceable(() => {
      const largest = this.#bySize.largest ?? this.#noLongerNeeded()?.share;
      return countedOf(largest) > own() ? largest : this.#shares.get(address);
    });
    if (seat === undefined) return false;
    if (this.#isYoung(seat) && countedOf(seat.share) < crowdFactor * (own() + 1)) return false;
    seat.displace();
    return true;
  }

  /** The connection that is to be displaced from the share that `choose` gives. */
  #displaceable(choose: () => AddressShare | undefined): Seat | undefined {
    for (;;) {
      const seat = this.#oldestOf(choose());
      if (seat?.client === undefined) return seat;
      if (this.#isNeeded(seat)) this.#put(seat, this.#needed);
      else if (!seat.client.active || seat.placedInSweep === this.#sweeps) return seat;
      else this.#place(seat);
    }
  }

  /** A handshake that is young comes last. */
  #oldestOf(share: AddressShare | undefined): Seat | undefined {
    const begun = share?.unfinished.first;
    const idle = share?.unneeded.first;
    if (begun === undefined || idle === undefined) return begun ?? idle;
    return this.#isYoung(begun) || idle.placedMs <= begun.sinceMs ? idle : begun;
  }

  /** A connection that was needed when it was looked at last, and is not any more. */
  #noLongerNeeded(): Seat | undefined {
    for (let looks = 0; looks < looksMax; looks += 1) {
      const seat = this.#needed.first;
      if (seat === undefined) return undefined;
      if (!this.#isNeeded(seat)) {
        this.#place(seat);
        return seat;
      }
      this.#put(seat, this.#needed);
    }
    return undefined;
  }

  #isNeeded(seat: Seat): boolean {
    const { client } = seat;
    if (client === undefined) return false;
    const nowMs = this.#clock.monotonic();
    if (client.takeSessionUse()) seat.sessionUsedMs = nowMs;
    return client.awaitsAnswer || nowMs - seat.sessionUsedMs < sessionKeptMs;
  }

  /** Whether its handshake may still be on its way. */
  #isYoung({ client, sinceMs }: Seat): boolean {
    const { handshakeGraceMs } = this.#limits;
    return client === undefined && this.#clock.monotonic() - sinceMs < handshakeGraceMs;
  }

  /** It is not needed, and was used later than the others of its address. */
  #place(seat: Seat): void {
    this.#put(seat, seat.share.unneeded);
  }

  /** Puts a seat at the end of a list, and its address behind those with as many. */
  #put(seat: Seat, list: LinkedList<Seat>): void {
    const { share } = seat;
    const wasCounted = seat.list !== this.#needed;
    const isCounted = list !== this.#needed;
    seat.list.delete(seat);
    seat.list = list;
    seat.placedInSweep = this.#sweeps;
    seat.placedMs = this.#clock.monotonic();
    list.add(seat);
    if (wasCounted !== isCounted) this.#resized(share, isCounted ? 1 : -1);
    else if (isCounted) this.#bySize.renew(share, countedOf(share));
  }

  /** One more or one less of the connections of a share is counted. */
  #resized(share: AddressShare, change: 1 | -1): void {
    const counted = countedOf(share);
    this.#bySize.resized(share, counted - change, counted);
  }

  #shareOf(address: string): AddressShare {
    const known = this.#shares.get(address);
    if (known !== undefined) return known;
    const lists = { unfinished: new LinkedList<Seat>(), unneeded: new LinkedList<Seat>() };
    const share = { address, size: 0, ...lists, before: undefined, after: undefined };
    this.#shares.set(address, share);
    return share;
  }
}

/** The connections of an address that are compared with those of others. */
function countedOf(share: AddressShare | undefined): number {
  return share === undefined ? 0 : share.unfinished.size + share.unneeded.size;
}

/** A connection is kept for so long after an API session was used on it. @bound per connection */
export const sessionKeptMs = 60_000;

/**
 * An unfinished handshake within its grace makes room only for an address that has this many times
 * fewer connections. So devices that all return at once do not displace each other in the middle of
 * their handshakes, and an address that only begins handshakes keeps no other one out.
 */
const crowdFactor = 4;

/** Needed connections that are looked at again for one new connection. @bound per connection */
const looksMax = 64;

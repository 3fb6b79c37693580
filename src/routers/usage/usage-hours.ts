// The sums of usage by the hour, for services, identities and pairs of both
// (behaviour/usage#sums-by-the-hour).

import type { Clock } from '../../platform/ports.ts';
import {
  type UsagePairRecord,
  type UsageRecord,
  type UsageSums,
  usageKind,
  usagePairKind,
} from '../../records/usage.ts';
import type { Store } from '../../store/store.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { UsedCircuit } from './usage-ledger.ts';
import { type UsageKey, UsageRows } from './usage-rows.ts';
import { addSums, hourOf, hoursBetween, noSums, type RunningSums } from './usage-sums.ts';

/** Whose usage is asked for. */
export interface UsageOwner {
  readonly of: 'service' | 'identity';
  readonly id: string;
}

/** What was carried in one hour, or for one service or identity. */
export interface UsagePart {
  /** The name of the hour, or the id of the service or identity. */
  readonly id: string;
  readonly sums: UsageSums;
}

/** Moments in seconds since the Unix epoch; the hours in which they lie count whole. */
export interface UsageTime {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/** What the sums are kept with. */
export interface UsageHoursOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** 0: nothing is kept. */
  readonly keepHours: number;
  readonly rowsMax: number;
}

/** The sums of all hours that are kept. */
export class UsageHours {
  /** Rows that were not kept, as there were too many. */
  readonly dropped = { pairs: 0, totals: 0 };
  readonly #options: UsageHoursOptions;
  readonly #totals: UsageRows<UsageRecord>;
  readonly #pairs: UsageRows<UsagePairRecord, PairKey>;
  /** By service and by identity: ids of the pairs with something that is not written yet. */
  readonly #unwrittenOf = { service: new IdSets(), identity: new IdSets() };

  constructor(options: UsageHoursOptions) {
    const { store } = options;
    this.#options = options;
    this.#totals = new UsageRows(
      store.table(usageKind),
      ({ hour, serviceId, identityId }, kept) => ({
        ...kept,
        hour,
        serviceId,
        identityId,
      }),
    );
    this.#pairs = new UsageRows(
      store.table(usagePairKind),
      ({ hour, serviceId, identityId }, kept) => ({ ...kept, hour, serviceId, identityId }),
    );
  }

  /** Adds what a circuit carried in an interval that began then, in seconds since the epoch. */
  add(startSeconds: number, circuit: UsedCircuit, carried: UsageSums): void {
    if (this.#options.keepHours === 0) return;
    const { serviceId, identityId, hostId } = circuit;
    const hour = hourOf(startSeconds);
    const { clientSentBytes, clientReceivedBytes, hostSentBytes, hostReceivedBytes } = carried;
    const client = clientSentBytes + clientReceivedBytes;
    const host = hostSentBytes + hostReceivedBytes;
    if (client + host > 0) this.#addTotal(hour, { of: 'service', id: serviceId }, carried);
    if (client > 0) {
      const sums = { clientSentBytes, clientReceivedBytes };
      this.#addTotal(hour, { of: 'identity', id: identityId }, sums);
      this.#addPair(hour, serviceId, identityId, sums);
    }
    // Terminators of operators have no host.
    if (host > 0 && hostId !== '') {
      const sums = { hostSentBytes, hostReceivedBytes };
      this.#addTotal(hour, { of: 'identity', id: hostId }, sums);
      this.#addPair(hour, serviceId, hostId, sums);
    }
  }

  /** The hours in which something was carried for a service or an identity, the earliest first. */
  hours(owner: UsageOwner, time: UsageTime): UsagePart[] {
    this.#options.store.fence.note(this.#totals.table.lastLsn);
    const parts: UsagePart[] = [];
    for (const hour of this.#hoursIn(time)) {
      const sums = this.#totals.sumsOf(totalId(hour, owner));
      if (sums !== undefined) parts.push({ id: hour, sums });
    }
    return parts;
  }

  /** How many rows `sides` reads, or a few more. */
  sidesCount({ of, id }: UsageOwner): number {
    const written = this.#pairs.table.group(groups[of]);
    return written.count(id) + this.#unwrittenOf[of].of(id).size;
  }

  /**
   * What was carried for each identity of a service, or for each service of an identity, in steps
   * of one row. What comes meanwhile may be left out; nothing counts twice.
   */
  *sides({ of, id }: UsageOwner, time: UsageTime): Generator<undefined, UsagePart[]> {
    const hours = new Set(this.#hoursIn(time));
    const sides = new Map<string, RunningSums>();
    const written = this.#pairs.table.group(groups[of]);
    const unwritten = [...this.#unwrittenOf[of].of(id)];
    const seen = new Set<string>();
    const take = (rowId: string) => {
      const key = this.#pairs.keyOf(rowId);
      const sums = this.#pairs.sumsOf(rowId);
      if (key === undefined || sums === undefined || seen.has(rowId)) return;
      seen.add(rowId);
      if (!hours.has(key.hour)) return;
      const sideId = (of === 'service' ? key.identityId : key.serviceId) ?? '';
      let side = sides.get(sideId);
      if (side === undefined) sides.set(sideId, (side = noSums()));
      addSums(side, sums);
    };
    for (const row of written.rows(id)) {
      take(row.id);
      yield;
    }
    // One that was written meanwhile may have come into a slot that was passed.
    for (const rowId of unwritten) {
      take(rowId);
      yield;
    }
    return Array.from(sides, ([sideId, sums]) => ({ id: sideId, sums }));
  }

  /** Notes on the fence all that `sides` has read. */
  noteSides(): void {
    this.#options.store.fence.note(this.#pairs.table.lastLsn);
  }

  /** How many rows `writeSome` has to write or to delete, or a few more. */
  get waiting(): number {
    if (!this.#isWritable) {
      this.#forgetExpired();
      return 0;
    }
    const expired = this.#totals.countBefore(this.#oldestHour);
    const expiredPairs = this.#pairs.countBefore(this.#oldestHour);
    const { unwrittenCount } = this.#totals;
    return expired + expiredPairs + this.#excess + unwrittenCount + this.#pairs.unwrittenCount;
  }

  /**
   * Writes or deletes up to `rowsMax` rows in one transaction. @returns how many
   * @throws whatever `transact` throws; all of them then still wait
   */
  writeSome(rowsMax: number, transact: (body: (tx: Transaction) => void) => void): number {
    const oldest = this.#oldestHour;
    let room = rowsMax;
    const taken = (ids: readonly string[]) => {
      room -= ids.length;
      return ids;
    };
    const oldTotals = taken(this.#totals.oldest(room, oldest));
    const oldPairs = taken(this.#pairs.oldest(room, oldest));
    const excess = Math.min(room, this.#excess);
    const excessPairs = taken(oldPairs.length > 0 ? [] : this.#pairs.oldest(excess));
    const lostPairs = new Set([...oldPairs, ...excessPairs]);
    const totals = this.#totals.unwritten(room);
    room -= totals.length;
    const pairs = this.#pairs.unwritten(room).filter(({ id }) => !lostPairs.has(id));
    room -= pairs.length;
    if (room === rowsMax) return 0;
    transact((tx) => {
      for (const id of oldTotals) tx.delete(this.#totals.table, id);
      for (const id of lostPairs) tx.delete(this.#pairs.table, id);
      for (const key of totals) this.#totals.write(tx, key);
      for (const key of pairs) this.#pairs.write(tx, key);
    });
    for (const { id } of totals) this.#totals.forget(id);
    for (const { id } of pairs) this.#forgetPair(id);
    for (const id of lostPairs) this.#forgetPair(id);
    this.dropped.pairs += excessPairs.length;
    return rowsMax - room;
  }

  /** On a node of a cluster, not before its upgrade is final. */
  get #isWritable(): boolean {
    return this.#totals.table.writtenVersion > 0 && this.#pairs.table.writtenVersion > 0;
  }

  /** The first hour that is kept. */
  get #oldestHour(): string {
    const { clock, keepHours } = this.#options;
    return hourOf(clock.now() / 1000 - keepHours * secondsAnHour);
  }

  /** How many rows there are too many. */
  get #excess(): number {
    return Math.max(0, this.#totals.size + this.#pairs.size - this.#options.rowsMax);
  }

  *#hoursIn({ fromSeconds, toSeconds }: UsageTime): Generator<string> {
    const { clock, keepHours } = this.#options;
    const nowSeconds = clock.now() / 1000;
    const first = Math.max(fromSeconds, nowSeconds - keepHours * secondsAnHour);
    // Intervals may lie some minutes ahead of this clock.
    const last = Math.min(toSeconds, nowSeconds + secondsAnHour);
    if (keepHours > 0) yield* hoursBetween(first, last);
  }

  #addTotal(hour: string, owner: UsageOwner, sums: Partial<UsageSums>): void {
    const id = totalId(hour, owner);
    // Pairs make room for it at the next write.
    if (this.#totals.size >= this.#options.rowsMax && !this.#totals.has(id)) {
      this.dropped.totals += 1;
      return;
    }
    const serviceId = owner.of === 'service' ? owner.id : undefined;
    const identityId = owner.of === 'identity' ? owner.id : undefined;
    this.#totals.add({ id, hour, serviceId, identityId }, sums);
  }

  #addPair(hour: string, serviceId: string, identityId: string, sums: Partial<UsageSums>): void {
    const id = `${hour} ${serviceId} ${identityId}`;
    const isFull = this.#totals.size + this.#pairs.size >= this.#options.rowsMax;
    if (isFull && !this.#pairs.has(id)) {
      this.dropped.pairs += 1;
      return;
    }
    this.#pairs.add({ id, hour, serviceId, identityId }, sums);
    this.#unwrittenOf.service.add(serviceId, id);
    this.#unwrittenOf.identity.add(identityId, id);
  }

  #forgetPair(id: string): void {
    const { serviceId = '', identityId = '' } = this.#pairs.keyOf(id) ?? {};
    this.#pairs.forget(id);
    this.#unwrittenOf.service.delete(serviceId, id);
    this.#unwrittenOf.identity.delete(identityId, id);
  }

  /** While nothing may be written, memory keeps what would be kept, and no more. */
  #forgetExpired(): void {
    const oldest = this.#oldestHour;
    for (const { id, hour } of this.#totals.unwritten()) {
      if (hour < oldest) this.#totals.forget(id);
    }
    for (const { id, hour } of this.#pairs.unwritten()) {
      if (hour < oldest) this.#forgetPair(id);
    }
  }
}

interface PairKey extends UsageKey {
  readonly serviceId: string;
  readonly identityId: string;
}

function totalId(hour: string, { of, id }: UsageOwner): string {
  return `${hour} ${of} ${id}`;
}

/** Ids of rows by an id that they have. */
class IdSets {
  readonly #sets = new Map<string, Set<string>>();

  of(key: string): ReadonlySet<string> {
    return this.#sets.get(key) ?? none;
  }

  add(key: string, id: string): void {
    const ids = this.#sets.get(key);
    if (ids === undefined) this.#sets.set(key, new Set([id]));
    else ids.add(id);
  }

  delete(key: string, id: string): void {
    const ids = this.#sets.get(key);
    ids?.delete(id);
    if (ids?.size === 0) this.#sets.delete(key);
  }
}

const none: ReadonlySet<string> = new Set();

/** The group of pairs by the side that is asked for. */
const groups = { service: 'serviceId', identity: 'identityId' } as const;
const secondsAnHour = 3600;

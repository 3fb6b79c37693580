// Decides which buckets of usage count: each once, from a router on the path of a known circuit
// (behaviour/usage#counting).

import { KeyMap } from '../../containers/key-map.ts';
import { type Linked, LinkedList } from '../../containers/linked-list.ts';
import type { Clock } from '../../platform/ports.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import type { Table } from '../../store/table.ts';
import { type UsageBucket, usageCounters } from './usage-message.ts';

/** The circuit of a bucket that counts, and which of its ends the router is. */
export interface CountedBucket {
  readonly circuit: UsedCircuit;
  readonly isFirstRouter: boolean;
  readonly isLastRouter: boolean;
}

/** What usage needs to know of a circuit. */
export type UsedCircuit = Pick<CircuitRecord, 'identityId' | 'serviceId' | 'hostId' | 'routers'>;

/** Why a bucket does not count. */
export type UsageRefusal = 'repeated' | 'unknown_circuit' | 'off_path' | 'other_time' | 'excess';

/** Bounds of the ledger. */
export const usageLedgerBounds = {
  /**
   * Buckets of one circuit that are remembered of one router. 20 minutes count, and each has one
   * bucket, or a few when the router is busy. @bound per entity
   */
  usageBucketsMax: 32,
  /**
   * Ended circuits that are remembered, at about 200 bytes each: a thousand per second for their
   * time. Those that ended first are forgotten first. @bound per controller
   */
  usageEndedCircuitsMax: 180_000,
};

/** Remembers which buckets of which circuits were counted. */
export class UsageLedger {
  readonly #circuits: Pick<Table<CircuitRecord>, 'peek'>;
  readonly #clock: Clock;
  readonly #bounds: typeof usageLedgerBounds;
  /** By circuit: the buckets that were counted within the time that counts. */
  readonly #counted = new KeyMap<CountedBuckets>();
  readonly #ended = new KeyMap<EndedCircuit>();
  /** In the order of their ends. */
  readonly #endings = new LinkedList<EndedCircuit>();

  constructor(options: {
    readonly circuits: Pick<Table<CircuitRecord>, 'peek' | 'observe'>;
    readonly clock: Clock;
    readonly bounds: typeof usageLedgerBounds;
  }) {
    const { circuits, clock, bounds } = options;
    this.#circuits = circuits;
    this.#clock = clock;
    this.#bounds = bounds;
    circuits.observe(({ id }, before, after) => {
      if (after === undefined && before !== undefined) this.#remember(id, before);
      // The end was undone.
      else if (before === undefined) this.#forget(this.#ended.get(id));
    });
  }

  /** Notes that the bucket is counted, if it counts. */
  count(routerId: string, bucket: UsageBucket): CountedBucket | UsageRefusal {
    const { circuitId, startSeconds, bytes } = bucket;
    this.#forgetOld();
    const nowSeconds = this.#clock.now() / 1000;
    if (Math.abs(nowSeconds - startSeconds) > countedSeconds) return 'other_time';
    const circuit = this.#circuits.peek(circuitId)?.record ?? this.#ended.get(circuitId)?.circuit;
    if (circuit === undefined) return 'unknown_circuit';
    const { routers } = circuit;
    if (!routers.includes(routerId)) return 'off_path';
    const counted = this.#countedOf(circuitId);
    const refusal = counted.add(
      { routerId, startSeconds, total: usageCounters.reduce((sum, name) => sum + bytes[name], 0) },
      { oldestSeconds: nowSeconds - countedSeconds, bucketsMax: this.#bounds.usageBucketsMax },
    );
    if (refusal !== undefined) return refusal;
    const isFirstRouter = routers[0] === routerId;
    return { circuit, isFirstRouter, isLastRouter: routers.at(-1) === routerId };
  }

  #countedOf(circuitId: string): CountedBuckets {
    let counted = this.#counted.get(circuitId);
    if (counted === undefined) this.#counted.set(circuitId, (counted = new CountedBuckets()));
    return counted;
  }

  /** The last bucket of a circuit comes after its end. */
  #remember(id: string, { identityId, serviceId, hostId, routers }: CircuitRecord): void {
    const circuit = { identityId, serviceId, hostId, routers };
    const atMs = this.#clock.monotonic();
    const ended = { id, circuit, atMs, before: undefined, after: undefined };
    this.#ended.set(id, ended);
    this.#endings.add(ended);
    this.#forgetOld();
  }

  #forgetOld(): void {
    const oldestMs = this.#clock.monotonic() - rememberedMs;
    for (;;) {
      const { first, size } = this.#endings;
      if (first === undefined) return;
      if (first.atMs >= oldestMs && size <= this.#bounds.usageEndedCircuitsMax) return;
      this.#forget(first);
      this.#counted.delete(first.id);
    }
  }

  #forget(ended: EndedCircuit | undefined): void {
    if (ended === undefined) return;
    this.#ended.delete(ended.id);
    this.#endings.delete(ended);
  }
}

/**
 * The buckets of one circuit that were counted. Two of a router for one interval are told apart by
 * their bytes: a router whose events are late reports the rest of an interval afterwards.
 */
class CountedBuckets {
  /** Three lists side by side, as most circuits have few of them. */
  readonly #routerIds: string[] = [];
  readonly #starts: number[] = [];
  readonly #totals: number[] = [];

  /** Notes a bucket, unless it was noted before. */
  add(
    bucket: { readonly routerId: string; readonly startSeconds: number; readonly total: number },
    bounds: { readonly oldestSeconds: number; readonly bucketsMax: number },
  ): UsageRefusal | undefined {
    const { routerId, startSeconds, total } = bucket;
    this.#forget(bounds.oldestSeconds);
    let buckets = 0;
    for (const [at, noted] of this.#routerIds.entries()) {
      if (noted !== routerId) continue;
      if (this.#starts[at] === startSeconds && this.#totals[at] === total) return 'repeated';
      buckets += 1;
    }
    if (buckets >= bounds.bucketsMax) return 'excess';
    this.#routerIds.push(routerId);
    this.#starts.push(startSeconds);
    this.#totals.push(total);
    return undefined;
  }

  /** Forgets what would be refused for its time. */
  #forget(oldestSeconds: number): void {
    let kept = 0;
    for (const [at, start] of this.#starts.entries()) {
      if (start < oldestSeconds) continue;
      this.#starts[kept] = start;
      this.#routerIds[kept] = this.#routerIds[at] ?? '';
      this.#totals[kept] = this.#totals[at] ?? 0;
      kept += 1;
    }
    this.#starts.length = kept;
    this.#routerIds.length = kept;
    this.#totals.length = kept;
  }
}

interface EndedCircuit extends Linked<EndedCircuit> {
  readonly id: string;
  readonly circuit: UsedCircuit;
  /** Monotonic ms of its end. */
  readonly atMs: number;
}

/** Buckets whose interval began further away from now do not count. */
const countedSeconds = 600;
/** How long a circuit is known after its end. */
const rememberedMs = 180_000;

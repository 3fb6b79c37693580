// Limits how fast each identity may log in, write and filter lists, so that none of them crowds out
// the others.

import type { AnyOperation, Caller } from '../declare/operations/operation.ts';
import { ApiError } from '../errors/errors.ts';
import type { FilterShare } from '../filter/scope.ts';
import type { Clock } from '../platform/ports.ts';
import { type IdentityRecord, identityKind } from '../records/identity.ts';
import type { Limits } from '../settings/limits.ts';
import type { Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import { TokenBuckets } from '../turns/token-buckets.ts';

/** The limited rates, as metrics name them. */
export type RateName = 'writes' | 'permittedWrites' | 'filterSteps' | 'adminFilterSteps';

/** The options of the buckets. */
export interface CallerRatesOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly limits: Limits;
}

/** The buckets of all identities. They are only in memory, so a start fills them. */
export class CallerRates {
  readonly #identities: Table<IdentityRecord>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets: Readonly<Record<RateName, TokenBuckets>>;
  readonly #refused: Record<RateName, number> = {
    writes: 0,
    permittedWrites: 0,
    filterSteps: 0,
    adminFilterSteps: 0,
  };

  constructor({ store, clock, limits }: CallerRatesOptions) {
    this.#identities = store.table(identityKind);
    this.#clock = clock;
    const of = (perSecond: number, burst: number) => new TokenBuckets({ perSecond, burst });
    this.#buckets = {
      writes: of(limits.writesPerSecondMax, limits.writesBurstMax),
      permittedWrites: of(limits.permittedWritesPerSecondMax, limits.permittedWritesBurstMax),
      filterSteps: of(limits.filterStepsPerSecondMax, limits.filterStepsBurstMax),
      adminFilterSteps: of(limits.adminFilterStepsPerSecondMax, limits.adminFilterStepsBurstMax),
    };
    store.follow(({ changes }) => {
      for (const { table, row, before } of changes) {
        if (before !== undefined || table.kind !== this.#identities.kind) continue;
        for (const buckets of Object.values(this.#buckets)) buckets.reset(row.slot);
      }
    });
  }

  /** Refusals by each rate since the start. */
  get refused(): Readonly<Record<RateName, number>> {
    return this.#refused;
  }

  /** Counts a login that will succeed. @throws ApiError RATE_LIMITED. */
  countLogin({ slot, record }: Row<IdentityRecord>): void {
    if (!(record.isAdmin || record.isDefaultAdmin)) this.#take('writes', slot);
  }

  /** Counts a write by an operation that `countsWrites`. @throws ApiError RATE_LIMITED. */
  countWrite({ access }: Pick<AnyOperation, 'access'>, { identity, isAdmin }: Caller): void {
    if (isAdmin) return;
    // A caller who is not an administrator and calls an administrator's operation has a permission.
    const isPermitted = access === 'admin' || access === 'admin-or-403';
    const slot = this.#identities.peek(identity.id)?.slot;
    if (slot !== undefined) this.#take(isPermitted ? 'permittedWrites' : 'writes', slot);
  }

  /** The steps that the caller's filters may take now; undefined for no bound per caller. */
  filterShare({ identity, isAdmin }: Caller): FilterShare | undefined {
    const name = filterRateOf(isAdmin);
    const buckets = this.#buckets[name];
    const slot = this.#identities.peek(identity.id)?.slot;
    if (slot === undefined || !buckets.isOn) return undefined;
    const now = this.#clock.monotonic();
    const steps = buckets.left(slot, now);
    return {
      steps,
      refusal: () => {
        this.#refused[name]++;
        return tooFast(buckets.waitMs(slot, now));
      },
      // If even a full bucket is not enough, waiting would not help.
      isWhole: steps >= buckets.burst,
    };
  }

  /** Counts steps that a caller's filters took. */
  countFilterSteps({ identity, isAdmin }: Caller, steps: number): void {
    const slot = this.#identities.peek(identity.id)?.slot;
    if (slot === undefined) return;
    this.#buckets[filterRateOf(isAdmin)].charge(slot, this.#clock.monotonic(), steps);
  }

  #take(name: RateName, slot: number): void {
    const buckets = this.#buckets[name];
    if (!buckets.isOn) return;
    const waitMs = buckets.take(slot, this.#clock.monotonic());
    if (waitMs === 0) return;
    this.#refused[name]++;
    throw tooFast(waitMs);
  }
}

const filterRateOf = (isAdmin: boolean) => (isAdmin ? 'adminFilterSteps' : 'filterSteps');

/**
 * Whether writes by an operation are counted. Deletions are not, because they free memory. Logins
 * and enrollments have no caller yet when the operation begins.
 */
export function countsWrites({ writes, method, access, rate }: AnyOperation): boolean {
  return writes === true && method !== 'DELETE' && access !== 'public' && rate !== 'uncounted';
}

/** @param waitMs until there is a token again */
function tooFast(waitMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ApiError('RATE_LIMITED', {
    message: 'This identity has done too much in too short a time; try again later.',
    headers: [['Retry-After', String(seconds)]],
  });
}

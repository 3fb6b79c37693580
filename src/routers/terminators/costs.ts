// The dynamic costs of terminators: memory only, so a start begins without any
// (behaviour/control-channel#terminators).

import type { Clock } from '../../platform/ports.ts';
import { serviceKind } from '../../records/service.ts';
import { terminatorKind } from '../../records/terminator.ts';
import type { Store } from '../../store/store.ts';
import type { TerminatorCosts } from '../router-feature.ts';

/** The sources of costs. */
export interface TerminatorCostsOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The dynamic costs of the terminators of one controller; those of a deleted one are forgotten. */
export function createTerminatorCosts({ store, clock }: TerminatorCostsOptions): TerminatorCosts {
  const loads = new Map<string, Load>();
  const terminators = store.table(terminatorKind);
  const services = store.table(serviceKind);
  terminators.observe(({ id }, _before, after) => {
    if (after === undefined) loads.delete(id);
  });
  /** The load of a terminator that exists, with the credit of the minutes until now. */
  const loadOf = (id: string): Load | undefined => {
    const known = loads.get(id);
    if (known !== undefined) {
      credit(known, minuteOf(clock));
      return known;
    }
    if (terminators.peek(id) === undefined) return undefined;
    const fresh = { circuits: 0, failureCost: 0, creditedMinute: 0, failedMinute: 0 };
    loads.set(id, fresh);
    return fresh;
  };
  const settle = (id: string, load: Load): void => {
    if (load.circuits === 0 && load.failureCost === 0) loads.delete(id);
  };
  return {
    dynamicCost(id) {
      const load = loads.get(id);
      if (load === undefined) return 0;
      const service = terminators.peek(id)?.record.service ?? '';
      if (services.peek(service)?.record.terminatorStrategy === 'random') return 0;
      credit(load, minuteOf(clock));
      return Math.min(costPerCircuit * load.circuits + load.failureCost, dynamicCostMax);
    },
    circuitOpened(id) {
      const load = loadOf(id);
      if (load === undefined) return;
      load.circuits += 1;
      load.failureCost = Math.max(0, load.failureCost - creditPerSuccess);
    },
    circuitClosed(id) {
      const load = loads.get(id);
      if (load === undefined) return;
      credit(load, minuteOf(clock));
      load.circuits = Math.max(0, load.circuits - 1);
      settle(id, load);
    },
    failed(id) {
      const load = loadOf(id);
      if (load === undefined) return;
      const minute = minuteOf(clock);
      load.failureCost = Math.min(load.failureCost + costPerFailure, failureCostMax);
      load.creditedMinute = minute;
      load.failedMinute = minute;
    },
  };
}

/** What burdens one terminator. */
interface Load {
  circuits: number;
  failureCost: number;
  /** The minute of the clock up to which the failure cost has been credited. */
  creditedMinute: number;
  /** The minute of the last failure. */
  failedMinute: number;
}

/** The cost that an open circuit adds to its terminator. */
export const costPerCircuit = 2;
const costPerFailure = 20;
const creditPerSuccess = 2;

/** Dynamic costs have the range of static ones. @bound per entity */
const dynamicCostMax = 65535;

/** As costs are unsigned integers of 32 bits. @bound per entity */
const failureCostMax = 2 ** 32 - 1;

function minuteOf(clock: Pick<Clock, 'monotonic'>): number {
  return Math.floor(clock.monotonic() / 60_000);
}

/**
 * Each minute credits at least ten. The credit doubles with every five minutes without a failure,
 * so even the largest cost is gone within three hours, and this loop is short.
 */
function credit(load: Load, minute: number): void {
  while (load.failureCost > 0 && load.creditedMinute < minute) {
    load.creditedMinute += 1;
    const quietMinutes = load.creditedMinute - load.failedMinute;
    const amount = Math.max(10, 2 ** Math.floor(quietMinutes / 5));
    load.failureCost = Math.max(0, load.failureCost - amount);
  }
}

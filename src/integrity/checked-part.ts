// The parts that a data integrity run checks, with their faults. Most parts are derived from
// records, and are rebuilt from them when anything is wrong.

import type { FaultSearch } from '../containers/walk.ts';

/** A fault, seen within one synchronous step. */
export interface Fault {
  /** In one sentence, without a full stop; holds no secret. */
  readonly description: string;
  /**
   * Fixes it at once, or says that the rebuild of its part does. If the fix throws, nothing has
   * changed. Undefined for a fault that cannot be fixed here.
   */
  readonly fix?: (() => void) | 'rebuild' | undefined;
  /** Advice to an administrator if it is not fixed. */
  readonly advice: string;
}

/** One part that a run checks. */
export interface Part {
  /** The name in the log. */
  readonly name: string;
  /**
   * Its faults, as they are found. Each step takes some tens of microseconds; writes may come
   * between two steps. Undefined is a step that found nothing.
   */
  findFaults(): Iterable<Fault | undefined>;
  /** Rebuilds the part, in steps or asynchronously. */
  rebuild?(): Iterable<undefined> | Promise<unknown>;
}

/** A structure that is derived from records: an index, access, the deadlines. */
export interface DerivedPart {
  /** The beginning of the descriptions of its faults. */
  readonly name: string;
  /** Compares it with the records. */
  findFault(): FaultSearch;
  /**
   * Rebuilds it from the records, some tens of microseconds per step: in place, or beside the
   * present one, which is replaced at the end. Writes may come between two steps.
   */
  rebuild(): Iterable<undefined>;
}

/** A derived part as a part of a run: it is checked up to its first fault. */
export function derivedPart({ name, findFault, rebuild }: DerivedPart): Part {
  return {
    name,
    *findFaults() {
      const reason = yield* attempted(findFault());
      if (reason !== undefined) {
        yield { description: `${name}: ${reason}`, fix: 'rebuild', advice: restart };
      }
    },
    rebuild,
  };
}

const restart = 'restart the controller: it makes this again from the records';

/** A damaged structure may throw while it is checked. */
function* attempted(search: FaultSearch): FaultSearch {
  try {
    return yield* search;
  } catch (error) {
    return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

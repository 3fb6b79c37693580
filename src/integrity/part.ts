// What a data integrity run looks at: parts with their faults. Most parts are derived from records,
// and are rebuilt from them when anything is wrong.

import type { FaultSearch } from '../store/steps.ts';

/** Something that is wrong, seen within one synchronous step. */
export interface Fault {
  /** In one sentence, without a full stop; holds no secret. */
  readonly description: string;
  /**
   * Puts it right at once, or says that the rebuild of its part does. It throws whatever keeps it
   * from that; nothing has changed then. Undefined for what cannot be put right here.
   */
  readonly fix?: (() => void) | 'rebuild' | undefined;
  /** What an administrator can do where it is not put right. */
  readonly advice: string;
}

/** One part of what a run looks at. */
export interface Part {
  /** For the log. */
  readonly name: string;
  /**
   * Its faults, as they are found. Each step takes some tens of microseconds; writes may come
   * between two steps. Undefined is a step that found nothing.
   */
  look(): Iterable<Fault | undefined>;
  /** Makes the part again: step by step, or by what is waited for. */
  rebuild?(): Iterable<undefined> | Promise<unknown>;
}

/** Something that is derived from records: an index, access, the deadlines. */
export interface DerivedPart {
  /** Begins the descriptions of its faults. */
  readonly name: string;
  /** Compares it with the records. */
  findFault(): FaultSearch;
  /**
   * Makes it again from the records, some tens of microseconds a step: in place, or beside the
   * present one, which is replaced at the end. Writes may come between two steps.
   */
  rebuild(): Iterable<undefined>;
}

/** A derived part as one of a run: it is looked at up to its first fault. */
export function derivedPart({ name, findFault, rebuild }: DerivedPart): Part {
  return {
    name,
    *look() {
      const reason = yield* attempted(findFault());
      if (reason !== undefined) {
        yield { description: `${name}: ${reason}`, fix: 'rebuild', advice: restart };
      }
    },
    rebuild,
  };
}

const restart = 'restart the controller: it makes this again from the records';

/** What is damaged may well throw. */
function* attempted(search: FaultSearch): FaultSearch {
  try {
    return yield* search;
  } catch (error) {
    return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

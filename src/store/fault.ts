// What a look at the data can find wrong, and what would put it right: the words that every part of
// an integrity run speaks.

import type { Row } from './record.ts';

/**
 * Something that is wrong. It was seen within one synchronous step, so it is so until the next turn
 * of the event loop: whoever takes it reports and mends it at once.
 */
export interface Fault {
  /** In one sentence, without a full stop; holds no secret. */
  readonly description: string;
  /** Puts it right at once. @throws whatever keeps it from that; nothing has changed then. */
  readonly fix?: (() => void) | undefined;
  /** Puts it right together with all of its kind, once they have been looked for. */
  readonly repair?: Repair | undefined;
  /** What an administrator can do where it cannot be put right here. */
  readonly advice: string;
}

/** Mends at length: step by step, or by what is waited for. Shared by the faults it is for. */
export type Repair = () => Iterable<undefined> | Promise<unknown>;

/** Rows that a step looks at while nothing is wrong: 5 to 50 µs. */
export const rowsAStep = 16;

/**
 * One part of a look at the data. Each step takes some tens of microseconds; writes may come
 * between two. Undefined is a step that found nothing.
 */
export type Look = Iterable<Fault | undefined>;

/**
 * The faults of one row, each told once. Whoever takes one may rest or mend before asking for the
 * next, so they are worked out anew when the record has changed meanwhile.
 */
export function* faultsOfRow(
  row: Row,
  isThere: () => boolean,
  faults: () => Iterable<Fault>,
): Generator<Fault> {
  let told: Set<string> | undefined;
  for (let isStale = true; isStale; ) {
    const { record } = row;
    isStale = false;
    for (const fault of faults()) {
      if (told?.has(fault.description)) continue;
      told ??= new Set();
      told.add(fault.description);
      yield fault;
      if (!isThere()) return;
      isStale = row.record !== record;
      if (isStale) break;
    }
  }
}

// Makes the event arbitraries of a machine from nothing but the fields each event has of its own.

import type * as fc from 'fast-check';
import type { MachineArbitraries } from './machine.ts';

/** An event type → the arbitraries of its fields, `type` and `now` left out. */
export type EventFields = Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>>;

/** One arbitrary an event type; `now` is that of every event. */
export function arbitraryEvents(
  check: typeof fc,
  now: fc.Arbitrary<number>,
  fields: EventFields,
): MachineArbitraries['events'] {
  return Object.fromEntries(
    Object.entries(fields).map(([type, own]) => [
      type,
      check.record({ ...own, type: check.constant(type), now }),
    ]),
  );
}

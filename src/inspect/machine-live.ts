// Machines that are no records: parts of the controller that live beside the requests, and are
// forgotten with it.

import type { AnyStateMachine } from 'xstate';

/** One actor of a live machine, as it is now. */
export interface LiveInstance {
  /** As no other one of its machine has it. */
  readonly id: string;
  readonly name: string;
  /** One of the states of its machine's chart. */
  readonly state: string;
  /** Wall-clock ms since when it is in it. */
  readonly sinceMs: number;
  /** What else there is to know of it; nothing secret. */
  readonly record?: Readonly<Record<string, unknown>>;
}

/** A live machine, and who asks for its actors. */
export interface LiveMachine {
  /** As no durable kind has it: `life`, `snapshotter`, `process`, `integrityRun`. */
  readonly id: string;
  /** In words. */
  readonly name: string;
  readonly machine: AnyStateMachine;
  /** A few: they are listed anew for each request. */
  instances(): readonly LiveInstance[];
}

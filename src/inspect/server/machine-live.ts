// Machines whose instances are not records: parts of the controller that run beside the requests.
// They are not stored.

import type { AnyStateMachine } from 'xstate';

/** One actor of a live machine, as it is now. */
export interface LiveInstance {
  /** Unique within its machine. */
  readonly id: string;
  readonly name: string;
  /** One of the states of its machine's chart. */
  readonly state: string;
  /** Wall-clock ms since when it is in this state. */
  readonly sinceMs: number;
  /** Further data; nothing secret. */
  readonly record?: Readonly<Record<string, unknown>>;
}

/** A live machine, and a function that lists its actors. */
export interface LiveMachine {
  /**
   * Different from the name of every durable kind: `life`, `snapshotter`, `process`,
   * `integrityRun`.
   */
  readonly id: string;
  /** A description in words. */
  readonly name: string;
  readonly machine: AnyStateMachine;
  /** There are only a few, so they are listed again for each request. */
  instances(): readonly LiveInstance[];
}

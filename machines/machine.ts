// What a durable machine is: an XState machine whose context is a record, and the effects its actions name.

import type * as fc from 'fast-check';
import type { AnyStateMachine } from 'xstate';

/** Fields every machine's record has; the rest is the kind's own. */
export interface MachineRecord {
  readonly id: string;
  readonly state: string;
}

/** Fields every event has. `now` is wall-clock ms: guards are pure functions of (record, event). */
export interface MachineEvent {
  readonly type: string;
  readonly now: number;
}

/** What an action asks the transaction to do besides changing its own record; effects are data. */
export type Effect =
  | { readonly effect: 'put'; readonly kind: string; readonly record: { readonly id: string } }
  | { readonly effect: 'delete'; readonly kind: string; readonly id: string }
  | {
      readonly effect: 'send';
      readonly kind: string;
      readonly id: string;
      readonly event: MachineEvent;
    };

/** Arbitraries by which a test drives every state × event; handed fast-check, so nothing is loaded in production. */
export interface MachineArbitraries {
  /** Records in any state the machine can be in, `none` and final states left out. */
  readonly record: fc.Arbitrary<MachineRecord>;
  /** One arbitrary an event type. */
  readonly events: Readonly<Record<string, fc.Arbitrary<MachineEvent>>>;
}

/**
 * One durable machine: `machines/<kind>.ts` exports exactly one.
 *
 * Contract: the initial state is `none` (there is no record yet; the creating event's `assign` yields its
 * fields), a final state deletes the record. `assign` yields record fields. A transition without a target
 * whose action is `refuse` with `params: {code}` refuses the event with that error code. Other named actions
 * are keys of `effects`. In XState itself those actions do nothing, so the machine runs there unchanged.
 */
export interface DurableMachine {
  readonly kind: string;
  readonly machine: AnyStateMachine;
  // biome-ignore lint/suspicious/noExplicitAny: each machine narrows record and event in its own file
  readonly effects: Readonly<Record<string, (record: any, event: any, params: any) => Effect[]>>;
  arbitraries(check: typeof fc): MachineArbitraries;
}

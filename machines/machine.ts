// What a durable machine is: an XState machine whose context is a record, and the effects its
// actions name.

import type { AnyStateMachine } from 'xstate';

/** Fields every machine's record has; the rest is the kind's own. What is absent is `undefined`. */
export interface MachineRecord {
  readonly id: string;
  readonly state: string;
}

/** Fields every event has. `now` is wall-clock ms: guards are pure functions of (record, event). */
export interface MachineEvent {
  readonly type: string;
  readonly now: number;
}

/** What a creating event brings: a record's fields without those that runtime and machine set. */
export type NewFields<R extends MachineRecord, Governed extends keyof R = never> = Readonly<
  Omit<R, 'id' | 'state' | Governed>
>;

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

/**
 * Yields an action's effects from the record (with the assigns before it applied, as XState has it;
 * no id yet
 * in a creating event), the event and the action's params. A method, so that a machine may narrow
 * all three.
 */
export type EffectMethod = {
  run(record: MachineRecord, event: MachineEvent, params: unknown): readonly Effect[];
}['run'];

/**
 * A time a record waits for: `event` is due once `at` has come. `at` answers wall-clock ms,
 * undefined for never.
 */
export interface MachineDeadline {
  readonly event: string;
  at(record: MachineRecord): number | undefined;
}

/** Why no events lead to a record as it is: damage, or a bug of long ago. */
export interface MachineFault {
  /** As the end of a sentence that begins with the record. */
  readonly description: string;
  /** The fields that it should have; undefined where the record does not say. */
  readonly patch: Readonly<Record<string, unknown>> | undefined;
}

/**
 * One durable machine: `machines/<kind>.ts` exports exactly one, beside its record and event types.
 *
 * Contract: the initial state is `none` (there is no record yet; the creating event's `assign`
 * yields its
 * fields), a final state deletes the record. `assign` yields record fields, never `id` or `state`.
 * A branch
 * without a target whose one action is `refuse` with `params: {code}` refuses the event with that
 * error code;
 * one without target and actions takes the event and changes nothing. Other named actions are keys
 * of
 * `effects`; in XState itself they do nothing, so the machine runs there unchanged.
 *
 * A machine of parallel regions has the sorted `region:state` pairs, joined by `,`, as its state.
 * Each of its
 * regions begins in `none`, all of them leave it with the same event, and the record is deleted
 * once all are
 * in a final state. In XState "no record" is then simply every region in `none`.
 */
export interface DurableMachine {
  readonly kind: string;
  readonly machine: AnyStateMachine;
  readonly effects: Readonly<Record<string, EffectMethod>>;
  readonly deadline?: MachineDeadline;
  /** What is wrong with a record in a state that the machine has. A method, as `EffectMethod`. */
  faultOf?(record: MachineRecord): MachineFault | undefined;
}

/** Parameters of the action `refuse`. */
export interface RefuseParams {
  readonly code: string;
}

/**
 * The implementation of `refuse` that every machine names in its `setup`: in XState it does
 * nothing.
 */
export function refuseAction(_: unknown, _params: RefuseParams): void {}

/**
 * The branch that refuses an event with an error code of `src/errors.ts`; put a guard beside it if
 * it has one.
 */
export function refuse(code: string) {
  return { actions: { type: 'refuse', params: { code } } } as const;
}

/** The effect that sends an event to another record's machine. */
export function sendTo<E extends MachineEvent>(kind: string, id: string, event: E): Effect {
  return { effect: 'send', kind, id, event };
}

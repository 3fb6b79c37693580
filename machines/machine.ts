// The definition of a durable machine: an XState machine whose context is a record, and the effects
// that its actions name.

import type { AnyStateMachine } from 'xstate';
import type { StateMeanings } from './meaning.ts';

/** Fields of every machine's record; the kind adds its own. Absent values are `undefined`. */
export interface MachineRecord {
  readonly id: string;
  readonly state: string;
}

/** An event with its time, wall-clock ms: guards are pure functions of (record, event). */
export type Timed<Event extends { readonly type: string }> = Event & { readonly now: number };

/** Any event. */
export type MachineEvent = Timed<{ readonly type: string }>;

/**
 * The content of a creating event: a record's fields without those that runtime and machine set.
 */
export type NewFields<R extends MachineRecord, Governed extends keyof R = never> = Readonly<
  Omit<R, 'id' | 'state' | Governed>
>;

/** An event that an action sends to another record's machine; effects are data. */
export interface Effect {
  readonly kind: string;
  readonly id: string;
  readonly event: MachineEvent;
}

/**
 * Yields an action's effects from the record and the event. Earlier assigns are applied to the
 * record, as in XState; in a creating event it has no id yet. This is a method, so that a machine
 * may narrow the types of both.
 */
export type EffectMethod = {
  run(record: MachineRecord, event: MachineEvent): readonly Effect[];
}['run'];

/**
 * A time that a record waits for: `event` is due at the time that `at` returns, in wall-clock ms;
 * undefined for never.
 */
export interface MachineDeadline {
  readonly event: string;
  /** A method, so that a machine may narrow the type. */
  at(record: Pick<MachineRecord, 'id'>): number | undefined;
}

/** Why no sequence of events leads to a record as it is: damage, or an old bug. */
export interface MachineFault {
  /** As the end of a sentence that begins with the record. */
  readonly description: string;
  /** The values that the fields should have; undefined when the record does not tell. */
  readonly patch: Readonly<Record<string, unknown>> | undefined;
}

/**
 * One durable machine: `machines/<kind>.ts` exports exactly one, beside its record and event types.
 * Its id is the kind.
 *
 * Contract: the initial state is `none`, in which there is no record yet; the `assign` of the
 * creating event yields its fields. A final state deletes the record. `assign` yields record
 * fields, never `id` or `state`. A branch without a target whose one action is `refuse` with
 * `params: {code}` refuses the event with that error code. A branch without target and actions
 * accepts the event and changes nothing. Other named actions are keys of `effects`; in XState
 * itself they do nothing, so the machine runs there unchanged.
 *
 * Fields that do not decide the state of a record may be written without an event, also where
 * guards of later events read them; the first comment of a machine's file names them. Two writes
 * pass every machine by: a deletion takes references to the deleted record out of others, and an
 * integrity run repairs a record that `faultOf` reports.
 *
 * The state of a machine with parallel regions is the sorted list of its `region:state` pairs,
 * joined by `,`. Each region begins in `none`, all of them leave it with the same event, and the
 * record is deleted once all are in a final state. In XState "no record" then means every region in
 * `none`. A region that only some records have enters its final state `absent` for the others, and
 * the state of such a record does not name that region.
 */
export interface DurableMachine<Machine extends AnyStateMachine = AnyStateMachine> {
  readonly machine: Machine;
  readonly meanings: StateMeanings<Machine>;
  /** A text for each guard by its name, which completes a sentence that begins with "if". */
  readonly guards: Readonly<Record<string, string>>;
  /** By the names of the actions; without it no action has effects. */
  readonly effects?: Readonly<Record<string, EffectMethod>>;
  readonly deadline?: MachineDeadline;
  /** The fault of a record in a valid state. A method, for the same reason as `EffectMethod`. */
  faultOf?(record: Pick<MachineRecord, 'id'>): MachineFault | undefined;
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
 * The branch that refuses an event with an error code of `src/errors/errors.ts`; put a guard beside
 * it if it has one.
 */
export function refuse(code: string) {
  return { actions: { type: 'refuse', params: { code } } } as const;
}

/** The effect that sends an event to another record's machine. */
export function sendTo<E extends MachineEvent>(kind: string, id: string, event: E): Effect {
  return { kind, id, event };
}

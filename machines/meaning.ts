// The meaning of a state to the people who look at it, in words that all machines share.

import type { AnyStateMachine, StateValueFrom } from 'xstate';

/**
 * `good`: it does what it is there for. `waiting`: something else has to happen first, such as a
 * code, a router, a time, or a decision of an administrator. `bad`: something failed or is lost, so
 * somebody should look at it. `over`: it has ended, or it does not exist yet.
 */
export type StateMeaning = 'good' | 'waiting' | 'bad' | 'over';

/**
 * The meaning of each state of a machine. A state of a parallel region is named `region:state`.
 * A machine of which no type is known, as in tests, may leave any state out.
 */
export type StateMeanings<Machine extends AnyStateMachine> = Readonly<
  Record<NameIn<StateValueFrom<Machine>>, StateMeaning>
>;

/** XState writes the state of regions as an object, and also names the regions alone. */
type NameIn<Value> = [Extract<Value, object>] extends [never]
  ? Value & string
  : NameInRegions<Required<Extract<Value, object>>>;

type NameInRegions<Regions> = {
  [Region in keyof Regions & string]: `${Region}:${Regions[Region] & string}`;
}[keyof Regions & string];

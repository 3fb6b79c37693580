// The frozen transition table a machine compiles to: state × event → branches and outcomes.

import type { Effect, MachineRecord } from './machine.ts';
import type { Branch } from './shape.ts';
import type { Patch, Step } from './steps.ts';

/** A machine's answer to an event. */
export type Decision = Moved | Refused | Unhandled;

/** The event was accepted. `state` may be the previous state. */
export interface Moved {
  readonly kind: 'moved';
  readonly from: string;
  readonly state: string;
  /** Whether the record is to be deleted. */
  readonly final: boolean;
  /** The record fields that change; empty for none. */
  readonly patch: Patch;
  readonly effects: readonly Effect[];
}

/** The machine refused the event, with a code of `src/errors/errors.ts`. */
export interface Refused {
  readonly kind: 'refused';
  readonly from: string;
  readonly code: string;
}

/** The state has no branch for the event, or none whose guard passes. */
export interface Unhandled {
  readonly kind: 'unhandled';
  readonly from: string;
}

/** The result of one choice of branches. */
export interface Outcome {
  readonly state: string;
  readonly final: boolean;
  readonly steps: readonly Step[];
  /** The decision, when it does not depend on the record and the event. */
  readonly constant: Decision | undefined;
}

/** The branches one region has for an event. */
export interface Choice {
  readonly branches: readonly Branch[];
  /** The weight of a branch's index in the position of the cell's outcomes. */
  readonly stride: number;
}

/** One state × event. */
export interface Cell {
  /** One entry per region that has branches for the event. */
  readonly choices: readonly Choice[];
  /** By the sum over `choices` of index × stride; "none passed" is the index after the last. */
  readonly outcomes: readonly Outcome[];
  /** The decision, when it is always the same. */
  readonly always: Decision | undefined;
}

/** One state. */
export interface TableRow {
  readonly state: string;
  readonly final: boolean;
  readonly cells: ReadonlyMap<string, Cell>;
  readonly unhandled: Unhandled;
}

/** A machine, ready to decide without XState. */
export interface CompiledMachine {
  readonly kind: string;
  /** The state of "no record": `none`, or every region in it. */
  readonly initial: string;
  /** Every state that can be reached, `initial` first. */
  readonly rows: ReadonlyMap<string, TableRow>;
  readonly blank: MachineRecord;
}

// The life of a data integrity run: one at a time, either a check or a fix.

import { assign, setup } from 'xstate';
import {
  type DurableMachine,
  type MachineRecord,
  refuse,
  refuseAction,
  type Timed,
} from './machine.ts';

/** A finding of an integrity run. */
export interface IntegrityFinding {
  readonly description: string;
  readonly fixed: boolean;
}

/**
 * The last run (behaviour/database). Times are wall-clock ms. It is not stored: findings from
 * before a restart should be searched for again.
 */
export interface IntegrityRunRecord extends MachineRecord {
  readonly fixingErrors: boolean;
  readonly startTime: number;
  /** Absent while in progress. */
  readonly endTime: number | undefined;
  /** Why the run ended early; empty when it did not. */
  readonly error: string;
  readonly results: readonly IntegrityFinding[];
  readonly tooManyErrors: boolean;
}

/** Events of the integrity run. `abandon`: the controller stops. */
export type IntegrityRunEvent = Timed<
  | { readonly type: 'start'; readonly fixingErrors: boolean }
  | {
      readonly type: 'finish';
      readonly error: string;
      readonly results: readonly IntegrityFinding[];
      readonly tooManyErrors: boolean;
    }
  | { readonly type: 'abandon' }
>;

const machine = setup({
  types: { context: {} as IntegrityRunRecord, events: {} as IntegrityRunEvent },
  actions: {
    refuse: refuseAction,
    begin: assign(({ event }) => ({
      fixingErrors: event.type === 'start' && event.fixingErrors,
      startTime: event.now,
      endTime: undefined,
      error: '',
      results: [],
      tooManyErrors: false,
    })),
  },
}).createMachine({
  id: 'integrityRun',
  context: {} as IntegrityRunRecord,
  initial: 'none',
  states: {
    none: { on: { start: { target: 'running', actions: 'begin' } } },
    running: {
      on: {
        start: refuse('RATE_LIMITED'),
        finish: {
          target: 'idle',
          actions: assign(({ event }) => ({
            endTime: event.now,
            error: event.error,
            results: event.results,
            tooManyErrors: event.tooManyErrors,
          })),
        },
        abandon: {
          target: 'idle',
          actions: assign({
            endTime: ({ event }) => event.now,
            error: 'the controller was stopped',
          }),
        },
      },
    },
    idle: { on: { start: { target: 'running', actions: 'begin' }, abandon: {} } },
  },
});

/** The life of a data integrity run (behaviour/database#integrity). */
export const integrityRun: DurableMachine = { machine };

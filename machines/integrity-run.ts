// The life of the data integrity run: idle, or in progress, either as a check or as a fix.

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

/** The last run, or the one in progress (behaviour/database). Times are wall-clock ms. */
export interface IntegrityRunRecord extends MachineRecord {
  readonly fixingErrors: boolean;
  /** Absent before the first run. */
  readonly startTime: number | undefined;
  /** Absent before the first run has ended, and while a run is in progress. */
  readonly endTime: number | undefined;
  /** Why the run ended early; empty when it did not. */
  readonly error: string;
  readonly results: readonly IntegrityFinding[];
  readonly tooManyErrors: boolean;
}

/**
 * Events of the integrity run. `create`: the first start of a home; `interrupt`: the controller
 * ended while a run was in progress.
 */
export type IntegrityRunEvent = Timed<
  | { readonly type: 'create' }
  | { readonly type: 'start'; readonly fixingErrors: boolean }
  | {
      readonly type: 'finish';
      readonly error: string;
      readonly results: readonly IntegrityFinding[];
      readonly tooManyErrors: boolean;
    }
  | { readonly type: 'interrupt' }
>;

const machine = setup({
  types: { context: {} as IntegrityRunRecord, events: {} as IntegrityRunEvent },
  actions: {
    refuse: refuseAction,
    create: assign({
      fixingErrors: false,
      startTime: undefined,
      endTime: undefined,
      error: '',
      results: [],
      tooManyErrors: false,
    }),
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
    none: {
      on: {
        create: { target: 'idle', actions: 'create' },
        start: { target: 'inProgress', actions: 'begin' },
      },
    },
    inProgress: {
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
        interrupt: {
          target: 'idle',
          actions: assign({
            endTime: ({ event }) => event.now,
            error: 'interrupted: the controller ended before the run did',
          }),
        },
      },
    },
    idle: { on: { start: { target: 'inProgress', actions: 'begin' } } },
  },
});

/** The life of the data integrity run (behaviour/database#integrity). */
export const integrityRun: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    inProgress: 'good',
    idle: 'good',
  },
  guards: {},
};

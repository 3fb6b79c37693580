// The life of a terminator: declared by an operator, or hosted by a client or tunneler that a
// router has told of.

import { assign, setup } from 'xstate';
import type { DurableMachine, MachineRecord, NewFields, Timed } from './machine.ts';

/** The fields of a terminator that its machine reads. */
export interface TerminatorRecord extends MachineRecord {
  /** Whether its router has made it. */
  readonly isOfRouter: boolean;
}

/** Events of a terminator. Cost and precedence change without one. */
export type TerminatorEvent = Timed<
  | { readonly type: 'create'; readonly fields: NewFields<TerminatorRecord> }
  /** By its router, by an operator, or with what it rests on. */
  | { readonly type: 'remove' }
>;

const machine = setup({
  types: { context: {} as TerminatorRecord, events: {} as TerminatorEvent },
  guards: {
    isOfRouter: ({ event }) => event.type === 'create' && event.fields.isOfRouter,
  },
  actions: {
    begin: assign(({ event }) => (event.type === 'create' ? { ...event.fields } : {})),
  },
}).createMachine({
  id: 'terminator',
  context: {} as TerminatorRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        create: [
          { guard: 'isOfRouter', target: 'hosted', actions: 'begin' },
          { target: 'declared', actions: 'begin' },
        ],
      },
    },
    declared: { on: { remove: 'ended' } },
    hosted: { on: { remove: 'ended' } },
    ended: { type: 'final' },
  },
});

/** The life of a terminator (behaviour/services#terminators). */
export const terminator: DurableMachine = { machine };

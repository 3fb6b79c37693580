// The life of a terminator: declared by an operator, or hosted by a client or tunneler that a
// router reported, or failed, while its precedence says so. Its cost and its session are written
// without an event: they say what a circuit pays and by which session the host binds, whatever the
// state is, and hosts change the cost too often for a transition each.

import { assign, setup } from 'xstate';
import type { DurableMachine, MachineRecord, NewFields, Timed } from './machine.ts';

/** How circuits prefer a terminator to others of the same service. */
export type Precedence = 'default' | 'required' | 'failed';

/** The fields of a terminator that its machine reads or sets. */
export interface TerminatorRecord extends MachineRecord {
  /** Whether its router has made it. */
  readonly isOfRouter: boolean;
  readonly precedence: Precedence;
}

/** Events of a terminator. */
export type TerminatorEvent = Timed<
  | { readonly type: 'create'; readonly fields: NewFields<TerminatorRecord> }
  /** By its host or an operator. */
  | { readonly type: 'setPrecedence'; readonly precedence: Precedence }
  /** Its router does not know its address. */
  | { readonly type: 'fail' }
  /** By its router, by an operator, or with the record that it depends on. */
  | { readonly type: 'remove' }
>;

const setPrecedence = [
  { guard: 'isFailed', target: 'failed', actions: 'takePrecedence' },
  { guard: 'isOfRouter', target: 'hosted', actions: 'takePrecedence' },
  { target: 'declared', actions: 'takePrecedence' },
] as const;
const working = {
  setPrecedence,
  fail: { target: 'failed', actions: 'noteFailure' },
  remove: 'ended',
} as const;

const machine = setup({
  types: { context: {} as TerminatorRecord, events: {} as TerminatorEvent },
  guards: {
    isFailed: ({ event }) => precedenceOf(event) === 'failed',
    isOfRouter: ({ context, event }) =>
      event.type === 'create' ? event.fields.isOfRouter : context.isOfRouter,
  },
  actions: {
    begin: assign(({ event }) => (event.type === 'create' ? { ...event.fields } : {})),
    takePrecedence: assign(({ event }) =>
      event.type === 'setPrecedence' ? { precedence: event.precedence } : {},
    ),
    noteFailure: assign({ precedence: 'failed' }),
  },
}).createMachine({
  id: 'terminator',
  context: {} as TerminatorRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        create: [
          { guard: 'isFailed', target: 'failed', actions: 'begin' },
          { guard: 'isOfRouter', target: 'hosted', actions: 'begin' },
          { target: 'declared', actions: 'begin' },
        ],
      },
    },
    declared: { on: working },
    hosted: { on: working },
    failed: { on: { setPrecedence, fail: {}, remove: 'ended' } },
    ended: { type: 'final' },
  },
});

/** The life of a terminator (behaviour/services#terminators). */
export const terminator: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    declared: 'good',
    hosted: 'good',
    failed: 'bad',
    ended: 'over',
  },
  guards: {
    isFailed: 'its precedence is failed',
    isOfRouter: 'a router has created it',
  },
  faultOf(record: TerminatorRecord) {
    const working = record.isOfRouter ? 'hosted' : 'declared';
    const state = record.precedence === 'failed' ? 'failed' : working;
    if (record.state === state) return undefined;
    return {
      description: `is ${record.state}, and its precedence and origin make it ${state}`,
      patch: { state },
    };
  },
};

function precedenceOf(event: TerminatorEvent): Precedence | undefined {
  if (event.type === 'create') return event.fields.precedence;
  return event.type === 'setPrecedence' ? event.precedence : undefined;
}

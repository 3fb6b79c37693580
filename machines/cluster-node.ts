// A node of a cluster: what it may do, from the search for its place in the stream on.

import { assign, setup } from 'xstate';
import type { DurableMachine, MachineRecord, Timed } from './machine.ts';

/** The node of a process; it lives in memory only (behaviour/cluster#roles). */
export interface ClusterNodeRecord extends MachineRecord {
  /** The last term that it has led or tried to lead. */
  readonly term: number;
  /** Why it is in its state; empty where that is what happens when all is well. */
  readonly reason: string;
}

/** Events of a node. */
export type ClusterNodeEvent = Timed<
  | { readonly type: 'start' }
  /** Its place in the stream is known. */
  | { readonly type: 'follow' }
  /** The leader is silent, or has resigned. */
  | { readonly type: 'stand' }
  /** Another leads, or this node may not. */
  | { readonly type: 'withdraw'; readonly reason: string }
  /** The frame of its term is confirmed. */
  | { readonly type: 'lead'; readonly term: number }
  | { readonly type: 'loseContact'; readonly reason: string }
  | { readonly type: 'regainContact' }
  /** An operator is needed. */
  | { readonly type: 'halt'; readonly reason: string }
  /** The process must start again: another leads, it has resigned, or it needs a snapshot. */
  | { readonly type: 'end'; readonly reason: string }
>;

const anyState = {
  halt: { target: 'halted', actions: 'noteReason' },
  end: { target: 'ended', actions: 'noteReason' },
} as const;

const machine = setup({
  types: { context: {} as ClusterNodeRecord, events: {} as ClusterNodeEvent },
  actions: {
    noteReason: assign(({ event }) => ('reason' in event ? { reason: event.reason } : {})),
    clearReason: assign({ reason: '' }),
    noteTerm: assign(({ event }) => (event.type === 'lead' ? { term: event.term } : {})),
  },
}).createMachine({
  id: 'clusterNode',
  context: {} as ClusterNodeRecord,
  initial: 'none',
  states: {
    none: {
      on: { start: { target: 'recovering', actions: assign({ term: 0, reason: '' }) } },
    },
    recovering: { on: { ...anyState, follow: 'following' } },
    following: { on: { ...anyState, stand: { target: 'standing', actions: 'clearReason' } } },
    standing: {
      on: {
        ...anyState,
        withdraw: { target: 'following', actions: 'noteReason' },
        lead: { target: 'leading', actions: 'noteTerm' },
      },
    },
    leading: {
      on: { ...anyState, loseContact: { target: 'isolated', actions: 'noteReason' } },
    },
    isolated: {
      on: { ...anyState, regainContact: { target: 'leading', actions: 'clearReason' } },
    },
    // The first reason is the one that an operator needs.
    halted: { on: { halt: {}, end: anyState.end } },
    ended: { type: 'final' },
  },
});

/** The life of a node of a cluster (behaviour/cluster#roles). */
export const clusterNode: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    recovering: 'waiting',
    following: 'good',
    standing: 'waiting',
    leading: 'good',
    isolated: 'bad',
    halted: 'bad',
    ended: 'over',
  },
  guards: {},
};

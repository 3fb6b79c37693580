// The life of a link between two routers, as the dialing router reports it: pending, connected,
// failed or duplicate. It is live state, so its kind is volatile. Connections, latencies and costs
// are written without an event, because they change whenever routers report and leave the state
// alone.

import { assign, setup } from 'xstate';
import { type DurableMachine, type MachineRecord, refuseAction, type Timed } from './machine.ts';

/** The fields of a link that its machine reads or sets. */
export interface LinkRecord extends MachineRecord {
  /** Counts how often the dialing router has dialed it. */
  readonly iteration: number;
  /** Wall-clock ms at which it was told to be broken; undefined for any other. */
  readonly failedAt: number | undefined;
}

/** Events of a link. */
export type LinkEvent = Timed<
  | {
      readonly type: 'report';
      readonly iteration: number;
      /** The destination router is connected. */
      readonly isReachable: boolean;
      /** The dialing router has listed all its links. */
      readonly isRefresh: boolean;
      /** Its fields besides these. */
      readonly fields: Readonly<Record<string, unknown>>;
    }
  /** The destination router has connected, or its channel has closed. */
  | { readonly type: 'arrive' }
  | { readonly type: 'depart' }
  | { readonly type: 'fail'; readonly iteration: number }
  /** The routers have a better link between them. */
  | { readonly type: 'duplicate'; readonly iteration: number }
  | { readonly type: 'lapse' }
  | { readonly type: 'remove' }
>;

/**
 * How long a broken link is kept, as a report that was overtaken must not bring it back. @bound
 */
const failedKeptMs = 30_000;

const fail = [{ guard: 'isOutdated' }, { target: 'failed', actions: 'noteFailure' }] as const;
const duplicate = [
  { guard: 'isOutdated' },
  { target: 'duplicate', actions: 'noteFailure' },
] as const;
const report = [
  { guard: 'isOutdated' },
  { guard: 'isReachable', target: 'connected', actions: 'takeReport' },
  { target: 'pending', actions: 'takeReport' },
] as const;
const broken = {
  report: [
    { guard: 'isNoNews' },
    { guard: 'isReachable', target: 'connected', actions: 'takeReport' },
    { target: 'pending', actions: 'takeReport' },
  ],
  arrive: {},
  depart: {},
  fail: {},
  duplicate: {},
  lapse: [{ guard: 'isOver', target: 'removed' }, {}],
  remove: 'removed',
} as const;

const machine = setup({
  types: { context: {} as LinkRecord, events: {} as LinkEvent },
  guards: {
    isOutdated: ({ context, event }) => 'iteration' in event && event.iteration < context.iteration,
    /** Only a new dial, or a list of all links, brings a broken link back. */
    isNoNews: ({ context, event }) =>
      event.type === 'report' &&
      (event.isRefresh
        ? event.iteration < context.iteration
        : event.iteration <= context.iteration),
    isReachable: ({ event }) => event.type === 'report' && event.isReachable,
    isOver: ({ context, event }) => (context.failedAt ?? 0) + failedKeptMs <= event.now,
  },
  actions: {
    refuse: refuseAction,
    takeReport: assign(({ event }) =>
      event.type === 'report'
        ? { ...event.fields, iteration: event.iteration, failedAt: undefined }
        : {},
    ),
    noteFailure: assign(({ event }) => ({ failedAt: event.now })),
  },
}).createMachine({
  id: 'link',
  context: {} as LinkRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        report: [
          { guard: 'isReachable', target: 'connected', actions: 'takeReport' },
          { target: 'pending', actions: 'takeReport' },
        ],
      },
    },
    pending: {
      on: {
        report,
        arrive: 'connected',
        depart: {},
        fail,
        duplicate,
        lapse: {},
        remove: 'removed',
      },
    },
    connected: {
      on: { report, arrive: {}, depart: 'pending', fail, duplicate, lapse: {}, remove: 'removed' },
    },
    failed: { on: broken },
    duplicate: { on: broken },
    removed: { type: 'final' },
  },
});

/** The life of a link (behaviour/control-channel#links-and-paths). */
export const link: DurableMachine = {
  machine,
  deadline: {
    event: 'lapse',
    at: ({ failedAt }: LinkRecord) =>
      failedAt === undefined ? undefined : failedAt + failedKeptMs,
  },
  faultOf({ state, failedAt }: LinkRecord) {
    const isBroken = state === 'failed' || state === 'duplicate';
    if (isBroken === (failedAt !== undefined)) return undefined;
    if (!isBroken) {
      return { description: 'works, and has failed', patch: { failedAt: undefined } };
    }
    return { description: 'is broken, and does not say since when', patch: undefined };
  },
};

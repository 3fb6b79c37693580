// The life of a link between two routers, as the dialing router reports it: pending, connected,
// refused, failed or duplicate. It is live state, so its kind is volatile. Connections and
// latencies are written without an event, because they change whenever routers report and leave the
// state alone.

import { assign, setup } from 'xstate';
import { type DurableMachine, type MachineRecord, refuseAction, type Timed } from './machine.ts';

/** The fields of a link that its machine reads or sets. */
export interface LinkRecord extends MachineRecord {
  /** Counts how often the dialing router has dialed it. */
  readonly iteration: number;
  /** Wall-clock ms at which it was told to be broken; undefined for any other. */
  readonly failedAt: number | undefined;
  /** Whether the router that it leads to has named it, too. */
  readonly isNamed: boolean;
  /**
   * The ids of the router that does not know the link and of the one at its other end, with a blank
   * between them. Set in the state `refused` only.
   */
  readonly refusal: string | undefined;
  /** The cost that an administrator has added. */
  readonly staticCost: number;
  /** Whether an administrator has taken it out of all paths. */
  readonly down: boolean;
}

/** Events of a link. */
export type LinkEvent = Timed<
  | {
      readonly type: 'report';
      readonly iteration: number;
      /** The destination router is connected, and accepts links or has named this one. */
      readonly isReachable: boolean;
      /** The dialing router has listed all its links. */
      readonly isRefresh: boolean;
      /** The refusal that it takes back: one of the dialing router itself. */
      readonly refusal: string;
      /** Its fields besides these. */
      readonly fields: Readonly<Record<string, unknown>>;
    }
  /** The destination router can be reached from now on, or no more. */
  | { readonly type: 'arrive' }
  | { readonly type: 'depart' }
  | { readonly type: 'fail'; readonly iteration: number }
  /** The routers have a better link between them. Without an iteration it is the present one. */
  | { readonly type: 'duplicate'; readonly iteration: number | undefined }
  /** A router does not know the link. */
  | { readonly type: 'refuse'; readonly refusal: string; readonly isByDest: boolean }
  /** A router has named the link as one of its own, and so takes a refusal back. */
  | {
      readonly type: 'name';
      readonly refusal: string;
      readonly isByDest: boolean;
      readonly isReachable: boolean;
    }
  /** The router that had refused it has accepted another link of the dialing router. */
  | { readonly type: 'accept' }
  /** By an administrator; undefined leaves a value as it is. */
  | {
      readonly type: 'adjust';
      readonly staticCost: number | undefined;
      readonly down: boolean | undefined;
    }
  | { readonly type: 'lapse' }
  | { readonly type: 'remove' }
>;

/**
 * How long a broken link is kept, as a report that was overtaken must not bring it back. @bound
 */
const failedKeptMs = 30_000;
/**
 * How long a refused link is kept: a router that knows it after all names it in its metrics, once
 * per minute. @bound
 */
const refusedKeptMs = 300_000;

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
const working = {
  report,
  fail,
  duplicate,
  refuse: { target: 'refused', actions: 'noteRefusal' },
  name: [
    { guard: 'isReachable', target: 'connected', actions: 'takeName' },
    { target: 'pending', actions: 'takeName' },
  ],
  accept: {},
  adjust: { actions: 'takeAdjustment' },
  lapse: {},
  remove: 'removed',
} as const;
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
  refuse: {},
  name: {},
  accept: {},
  adjust: { actions: 'takeAdjustment' },
  lapse: [{ guard: 'isOver', target: 'removed' }, {}],
  remove: 'removed',
} as const;
/**
 * Nothing that the dialing router says brings a link back that another router has refused, not even
 * by way of a fault and a list of all its links.
 */
const refused = {
  report: [
    { guard: 'isOutdated' },
    { guard: 'isStillRefused', actions: 'renewReport' },
    { guard: 'isReachable', target: 'connected', actions: 'takeReport' },
    { target: 'pending', actions: 'takeReport' },
  ],
  arrive: {},
  depart: {},
  fail: {},
  duplicate: {},
  refuse: [{ guard: 'isByDest', actions: 'noteRefusal' }, {}],
  name: [
    { guard: 'isStillRefused', actions: 'renewName' },
    { guard: 'isReachable', target: 'connected', actions: 'takeName' },
    { target: 'pending', actions: 'takeName' },
  ],
  accept: { target: 'failed', actions: 'noteFailure' },
  adjust: { actions: 'takeAdjustment' },
  lapse: [{ guard: 'isOver', target: 'removed' }, {}],
  remove: 'removed',
} as const;

const machine = setup({
  types: { context: {} as LinkRecord, events: {} as LinkEvent },
  guards: {
    isOutdated: ({ context, event }) =>
      'iteration' in event && event.iteration !== undefined && event.iteration < context.iteration,
    /** Only a new dial, or a list of all links, brings a broken link back. */
    isNoNews: ({ context, event }) =>
      event.type === 'report' &&
      (event.isRefresh
        ? event.iteration < context.iteration
        : event.iteration <= context.iteration),
    isReachable: ({ event }) => 'isReachable' in event && event.isReachable,
    isByDest: ({ event }) => 'isByDest' in event && event.isByDest,
    isStillRefused: ({ context, event }) => 'refusal' in event && event.refusal !== context.refusal,
    isOver: ({ context, event }) => keptUntil(context) <= event.now,
  },
  actions: {
    refuse: refuseAction,
    takeReport: assign(({ event }) => ({ ...reportedBy(event), ...whole })),
    renewReport: assign(({ event }) => reportedBy(event)),
    takeName: assign(({ context, event }) => ({ isNamed: isNamedBy(context, event), ...whole })),
    renewName: assign(({ context, event }) => ({ isNamed: isNamedBy(context, event) })),
    takeAdjustment: assign(({ context, event }) =>
      event.type === 'adjust'
        ? {
            staticCost: event.staticCost ?? context.staticCost,
            down: event.down ?? context.down,
          }
        : {},
    ),
    noteFailure: assign(({ event }) => ({ failedAt: event.now, refusal: undefined })),
    noteRefusal: assign(({ event }) =>
      event.type === 'refuse' ? { failedAt: event.now, refusal: event.refusal } : {},
    ),
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
    pending: { on: { ...working, arrive: 'connected', depart: {} } },
    connected: { on: { ...working, arrive: {}, depart: 'pending' } },
    refused: { on: refused },
    failed: { on: broken },
    duplicate: { on: broken },
    removed: { type: 'final' },
  },
});

const whole = { failedAt: undefined, refusal: undefined };

function reportedBy(event: LinkEvent): Partial<LinkRecord> {
  return event.type === 'report' ? { ...event.fields, iteration: event.iteration } : {};
}

function isNamedBy({ isNamed }: LinkRecord, event: LinkEvent): boolean {
  return isNamed || (event.type === 'name' && event.isByDest);
}

function keptUntil({ state, failedAt = 0 }: LinkRecord): number {
  return failedAt + (state === 'refused' ? refusedKeptMs : failedKeptMs);
}

/** The life of a link (behaviour/control-channel#links-and-paths). */
export const link: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    pending: 'waiting',
    connected: 'good',
    refused: 'bad',
    failed: 'bad',
    duplicate: 'over',
    removed: 'over',
  },
  guards: {
    isOutdated: 'the message is about an earlier dial of the link',
    isNoNews: 'the message is about a dial that is known to have failed',
    isReachable:
      'the router at the other end is connected, and accepts links or has named this one',
    isByDest: 'the router at the other end says so itself',
    isStillRefused: 'the router that refused the link has not said otherwise',
    isOver: 'the time for which a broken link is remembered is over',
  },
  deadline: {
    event: 'lapse',
    at: (record: LinkRecord) => (record.failedAt === undefined ? undefined : keptUntil(record)),
  },
  faultOf({ state, failedAt, refusal }: LinkRecord) {
    const isRefused = state === 'refused';
    const isBroken = isRefused || state === 'failed' || state === 'duplicate';
    if (isBroken === (failedAt !== undefined) && isRefused === (refusal !== undefined)) {
      return undefined;
    }
    if (!isBroken) return { description: 'works, and has failed', patch: whole };
    return { description: 'is broken, and does not say how', patch: undefined };
  },
};

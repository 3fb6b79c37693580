// The controller's life cycle as a live XState actor: boot, recover, serve, drain, stop. A node of
// a cluster follows before it serves.

import { assign, createActor, fromPromise, setup } from 'xstate';
import type { StateMeaning } from '../../machines/meaning.ts';
import type { Clock } from '../platform/ports.ts';
import { toActorClock } from './actor-clock.ts';

/**
 * The phase of the controller's life. `stopped` and `failed` are the final ones; only a node of a
 * cluster is ever `following` or `takingOver`.
 */
export type LifePhase =
  | 'boot'
  | 'recovering'
  | 'following'
  | 'takingOver'
  | 'serving'
  | 'draining'
  | 'stopped'
  | 'failed';

/** The meaning of each phase. */
export const lifeMeanings: Readonly<Record<LifePhase, StateMeaning>> = {
  boot: 'waiting',
  recovering: 'waiting',
  following: 'good',
  takingOver: 'waiting',
  serving: 'good',
  draining: 'waiting',
  stopped: 'over',
  failed: 'bad',
};

/** The texts of the guards, as `DurableMachine.guards` has them. */
export const lifeGuards: Readonly<Record<string, string>> = {
  stopRequested: 'a stop was requested meanwhile',
  leadRequested: 'the node became the leader meanwhile',
  follows: 'the controller is a node of a cluster',
};

/** The work in the phases that take time. Each step rejects with the error. */
export interface LifeSteps {
  /**
   * Locks the home, recovers, opens the listeners. `signal` aborts when the life ends meanwhile.
   * A node of a cluster does not open the listeners yet, and follows from then on.
   */
  recover(signal: AbortSignal): Promise<void>;
  /** Only of a node of a cluster: ends following, opens the listeners. */
  takeOver?(signal: AbortSignal): Promise<void>;
  /** Stops accepting requests, answers those in flight, writes the last snapshot, closes. */
  drain(signal: AbortSignal): Promise<void>;
}

/** The options of a life. */
export interface LifeOptions {
  readonly steps: LifeSteps;
  readonly clock: Clock;
  /** A drain that takes longer counts as failed. */
  readonly drainMsMax: number;
}

/** The controller's life, seen from outside. Events that come at the wrong time are ignored. */
export interface Life {
  readonly phase: LifePhase;
  /** The reason of the stop; empty while none was requested. */
  readonly reason: string;
  /** The error that made it fail. */
  readonly error: unknown;
  /** Starts the recovery. */
  start(): void;
  /** Lets a node that follows take over; while it still recovers, it does so afterwards. */
  lead(): void;
  /** Requests a clean stop; during recovery, the stop waits for the recovery to end. */
  stop(reason: string): void;
  /** Ends the life at once: nothing can be promised any more. */
  fail(error: unknown): void;
  /** Calls `listener` with every phase from now on. */
  onPhase(listener: (phase: LifePhase) => void): void;
  /** Resolves once the life serves or follows, or has ended before it did. */
  settled(): Promise<LifePhase>;
  /** Resolves once the life has ended. */
  ended(): Promise<LifePhase>;
}

/** A drain took longer than allowed. */
class DrainTooLong extends Error {
  override readonly name = 'DrainTooLong';
  constructor(drainMsMax: number) {
    super(`requests and the last snapshot took more than ${drainMsMax} ms to finish`);
  }
}

/** A life in phase `boot`. */
export function createLife(options: LifeOptions): Life {
  const actor = createActor(lifeMachine(options), { clock: toActorClock(options.clock) });
  const listeners: ((phase: LifePhase) => void)[] = [];
  let phase: LifePhase = 'boot';
  actor.subscribe((snapshot) => {
    if (snapshot.value === phase) return;
    phase = snapshot.value;
    for (const listener of listeners.slice()) listener(phase);
  });
  actor.start();
  const reached = (wanted: (phase: LifePhase) => boolean) =>
    new Promise<LifePhase>((resolve) => {
      if (wanted(phase)) return resolve(phase);
      listeners.push((next) => wanted(next) && resolve(next));
    });
  const send = (event: LifeEvent) => {
    if (!isEnd(phase)) actor.send(event);
  };
  return {
    get phase() {
      return phase;
    },
    get reason() {
      return actor.getSnapshot().context.reason;
    },
    get error() {
      return actor.getSnapshot().context.error;
    },
    start: () => send({ type: 'start' }),
    lead: () => send({ type: 'lead' }),
    stop: (reason) => send({ type: 'stop', reason }),
    fail: (error) => send({ type: 'fail', error }),
    onPhase: (listener) => void listeners.push(listener),
    settled: () => reached((next) => next === 'serving' || next === 'following' || isEnd(next)),
    ended: () => reached(isEnd),
  };
}

function isEnd(phase: LifePhase): boolean {
  return phase === 'stopped' || phase === 'failed';
}

interface LifeContext {
  readonly reason: string;
  readonly error: unknown;
  readonly isAskedToLead: boolean;
}

type LifeEvent =
  | { readonly type: 'start' | 'lead' }
  | { readonly type: 'stop'; readonly reason: string }
  | { readonly type: 'fail'; readonly error: unknown };

type MachineOptions = Pick<LifeOptions, 'steps' | 'drainMsMax'>;

/** The steps, guards and delays that the states of the machine refer to. */
function lifeSetup({ steps, drainMsMax }: MachineOptions) {
  return setup({
    types: { context: {} as LifeContext, events: {} as LifeEvent },
    actors: {
      recover: fromPromise<void>(async ({ signal }) => steps.recover(signal)),
      takeOver: fromPromise<void>(async ({ signal }) => steps.takeOver?.(signal)),
      drain: fromPromise<void>(async ({ signal }) => steps.drain(signal)),
    },
    guards: {
      stopRequested: ({ context }) => context.reason !== '',
      leadRequested: ({ context }) => context.isAskedToLead,
      follows: () => steps.takeOver !== undefined,
    },
    actions: {
      noteError: assign((_, { error }: { readonly error: unknown }) => ({ error })),
      noteReason: assign((_, { reason }: { readonly reason: string }) => ({ reason })),
    },
    delays: { drainMsMax },
  });
}

/** The machine of a life; it can be drawn without running. */
export function lifeMachine(options: MachineOptions) {
  const { drainMsMax } = options;
  return lifeSetup(options).createMachine({
    id: 'life',
    context: { reason: '', error: undefined, isAskedToLead: false },
    initial: 'boot',
    on: { fail: { target: '.failed', ...noteError } },
    states: {
      boot: {
        on: {
          start: 'recovering',
          stop: { target: 'stopped', ...noteReason },
        },
      },
      recovering: {
        on: {
          stop: noteReason,
          lead: { actions: assign({ isAskedToLead: true }) },
        },
        invoke: {
          src: 'recover',
          onDone: [
            { guard: 'stopRequested', target: 'draining' },
            { guard: 'leadRequested', target: 'takingOver' },
            { guard: 'follows', target: 'following' },
            { target: 'serving' },
          ],
          onError: { target: 'failed', ...noteError },
        },
      },
      following: {
        on: {
          lead: 'takingOver',
          stop: { target: 'draining', ...noteReason },
        },
      },
      takingOver: {
        on: { stop: noteReason },
        invoke: {
          src: 'takeOver',
          onDone: [{ guard: 'stopRequested', target: 'draining' }, { target: 'serving' }],
          onError: { target: 'failed', ...noteError },
        },
      },
      serving: {
        on: { stop: { target: 'draining', ...noteReason } },
      },
      draining: {
        invoke: {
          src: 'drain',
          onDone: 'stopped',
          onError: { target: 'failed', ...noteError },
        },
        after: {
          drainMsMax: {
            target: 'failed',
            actions: { type: 'noteError', params: { error: new DrainTooLong(drainMsMax) } },
          },
        },
      },
      stopped: { type: 'final' },
      failed: { type: 'final' },
    },
  });
}

const noteError = { actions: { type: 'noteError', params: errorOf } } as const;
const noteReason = { actions: { type: 'noteReason', params: reasonOf } } as const;

function errorOf({ event }: { readonly event: { readonly error: unknown } }) {
  return { error: event.error };
}

function reasonOf({ event }: { readonly event: { readonly reason: string } }) {
  return { reason: event.reason };
}

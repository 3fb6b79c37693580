// A part of the controller that runs beside it (log writer, listener) as a live actor of its own.

import { assign, createActor, fromPromise, type InspectionEvent, setup } from 'xstate';

/** Where a part is in its life. `stopped` and `failed` are the end. */
export type ProcessPhase = 'idle' | 'starting' | 'running' | 'stopping' | 'stopped' | 'failed';

/** What a part does to come up and to go down. Each rejects with what went wrong. */
export interface ProcessSteps {
  /** For logs and the inspector: `log writer`, `listener 127.0.0.1:1280`. */
  readonly name: string;
  start(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** A running part, seen from outside. */
export interface LiveProcess {
  readonly name: string;
  readonly phase: ProcessPhase;
  /** Resolves when it runs; rejects with what kept it from that. */
  start(): Promise<void>;
  /**
   * Resolves when it has stopped, also where it never ran; rejects when stopping failed or it had
   * failed.
   */
  stop(): Promise<void>;
  /** Says that the part broke by itself. */
  fail(error: unknown): void;
  /** Calls `listener` with every phase from now on; `error` is there in `failed`. */
  onPhase(listener: (phase: ProcessPhase, error: unknown) => void): void;
}

/** A part in phase `idle`; `inspect` sees every event and snapshot of its actor system. */
export function createProcess(
  steps: ProcessSteps,
  inspect?: (event: InspectionEvent) => void,
): LiveProcess {
  const actor = createActor(processMachine(steps), { inspect });
  const listeners: ((phase: ProcessPhase, error: unknown) => void)[] = [];
  let phase: ProcessPhase = 'idle';
  actor.subscribe((snapshot) => {
    if (snapshot.value === phase) return;
    phase = snapshot.value;
    for (const listener of listeners.slice()) listener(phase, snapshot.context.error);
  });
  actor.start();
  const reach = (wanted: ProcessPhase) =>
    new Promise<void>((resolve, reject) => {
      const look = (now: ProcessPhase, error: unknown) => {
        if (now === wanted) resolve();
        else if (now === 'failed') reject(error);
        else if (now === 'stopped') reject(new Error(`${steps.name} was stopped`));
      };
      listeners.push(look);
      look(phase, actor.getSnapshot().context.error);
    });
  const send = (event: ProcessEvent) => {
    if (phase !== 'stopped' && phase !== 'failed') actor.send(event);
  };
  return {
    name: steps.name,
    get phase() {
      return phase;
    },
    start() {
      send({ type: 'start' });
      return reach('running');
    },
    stop() {
      send({ type: 'stop' });
      return reach('stopped');
    },
    fail: (error) => send({ type: 'fail', error }),
    onPhase: (listener) => void listeners.push(listener),
  };
}

interface ProcessContext {
  readonly error: unknown;
  readonly stopAsked: boolean;
}

type ProcessEvent =
  | { readonly type: 'start' }
  | { readonly type: 'stop' }
  | { readonly type: 'fail'; readonly error: unknown };

function processMachine(steps: ProcessSteps) {
  return setup({
    types: { context: {} as ProcessContext, events: {} as ProcessEvent },
    actors: {
      start: fromPromise<void>(async ({ signal }) => steps.start(signal)),
      stop: fromPromise<void>(async () => steps.stop()),
    },
    guards: { stopAsked: ({ context }) => context.stopAsked },
    actions: {
      noteError: assign((_, { error }: { readonly error: unknown }) => ({ error })),
      noteStop: assign({ stopAsked: true }),
    },
  }).createMachine({
    id: steps.name,
    context: { error: undefined, stopAsked: false },
    initial: 'idle',
    on: { fail: { target: '.failed', actions: { type: 'noteError', params: errorOf } } },
    states: {
      idle: { on: { start: 'starting', stop: 'stopped' } },
      starting: {
        // What is half up can't be taken down: a stop waits.
        on: { stop: { actions: 'noteStop' } },
        invoke: {
          src: 'start',
          onDone: [{ guard: 'stopAsked', target: 'stopping' }, { target: 'running' }],
          onError: { target: 'failed', actions: { type: 'noteError', params: errorOf } },
        },
      },
      running: { on: { stop: 'stopping' } },
      stopping: {
        invoke: {
          src: 'stop',
          onDone: 'stopped',
          onError: { target: 'failed', actions: { type: 'noteError', params: errorOf } },
        },
      },
      stopped: { type: 'final' },
      failed: { type: 'final' },
    },
  });
}

function errorOf({ event }: { readonly event: { readonly error: unknown } }) {
  return { error: event.error };
}

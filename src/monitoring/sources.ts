// The parts of a controller that are watched. They are added one by one as the controller starts.

import type { Journal, RecoveryReport } from '../../snapshots/journal.ts';
import type { ClockJumps } from '../actors/clock-watch.ts';
import type { LifePhase } from '../actors/controller-life.ts';
import type { Deadlines } from '../actors/deadlines.ts';
import type { Snapshotter } from '../actors/snapshotter.ts';
import type { CallerRates } from '../auth/caller-rates.ts';
import type { WatchedCluster } from '../cluster/node/watch.ts';
import type { RequestFigures } from '../http/application/request-figures.ts';
import type { FrontCounters } from '../http/front/peers.ts';
import type { WatchedListener } from '../http/server/listeners.ts';
import type { IntegrityRuns } from '../integrity/run.ts';
import type { EventLoopWatch } from '../observe/event-loop.ts';
import type { HeapWatch } from '../observe/heap-watch.ts';
import type { Clock } from '../platform/ports.ts';
import type { ControlPlane } from '../routers/control-plane.ts';
import type { RouterModels } from '../routers/model/model-port.ts';
import type { Config } from '../settings/config.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionFigures, AdmissionTimes } from '../turns/admission.ts';
import type { LogMeter } from './log-meter.ts';

/** The watched parts of a controller that has recovered its home. */
export interface WatchedCore {
  readonly config: Config;
  readonly store: Store;
  readonly journal: Journal;
  readonly logMeter: LogMeter;
  readonly report: RecoveryReport;
  /** The time and work that it took to open the home and build everything. */
  readonly recoveryMs: number;
  readonly snapshotter: Pick<
    Snapshotter,
    'phase' | 'phaseSinceMs' | 'figures' | 'newest' | 'logBytes'
  >;
  readonly integrity: Pick<IntegrityRuns, 'results'>;
  readonly deadlines: Pick<Deadlines, 'size' | 'next' | 'lateness'>;
  readonly clockWatch: { readonly jumps: ClockJumps };
  readonly requests: RequestFigures;
  readonly rates: Pick<CallerRates, 'refused'>;
  /** Answers that wait for the log. */
  readonly held: { readonly size: number };
  readonly hashing: Hashing;
  readonly memory: Pick<HeapWatch, 'liveBytes' | 'limitBytes' | 'isFull'>;
  readonly access: { memos(): number };
  /** Instances by kind and state. */
  readonly machineCounts: () => Iterable<MachineCount>;
  readonly inspectors: () => InspectorFigures;
  readonly events: EventFigures;
  /** Reads the log for inspectors; its thread ends when it has not been used for a while. */
  readonly logReader: { readonly isRunning: boolean };
  /** The control plane of routers. */
  readonly routers: Pick<ControlPlane, 'connected' | 'figures' | 'counts' | 'traffic'>;
  /** What routers know of the model of the network. */
  readonly models: Pick<RouterModels, 'figures'>;
}

/** The queue of password hashes. */
export interface Hashing extends Omit<AdmissionTimes, 'clock'> {
  readonly queue: { readonly figures: AdmissionFigures };
}

/** How many instances of a machine are in one state. */
export interface MachineCount {
  readonly kind: string;
  readonly state: string;
  readonly count: number;
}

/** The inspectors that are attached to the stream of transitions. */
export interface InspectorFigures {
  readonly attached: number;
  /** Transitions that were not sent, because inspectors read too slowly. */
  readonly dropped: number;
}

/** The readers of events. */
export interface EventFigures {
  /** Programs on the WebSocket of the fabric API. */
  readonly subscribers: number;
  /** Events that were not handed over, by sink. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** The watched parts of the listeners. */
export interface WatchedListeners {
  readonly watched: readonly WatchedListener[];
  readonly workers: number;
  /** Requests that had to wait for a later turn of the event loop. */
  readonly requestsDeferred: number;
  frontCounters(): FrontCounters;
}

/** The parts that are watched so far. */
export class Sources {
  readonly clock: Clock;
  /** Wall-clock ms. */
  readonly startedAtMs: number;
  core: WatchedCore | undefined;
  listeners: WatchedListeners | undefined;
  /** Undefined without a cluster. */
  cluster: WatchedCluster | undefined;
  eventLoop: EventLoopWatch | undefined;
  heap: HeapWatch | undefined;
  /** TLS workers that died since the start. */
  workerFailures = 0;
  /** The address of the metrics listener, such as `127.0.0.1:9464`, if there is one. */
  metricsAddress: string | undefined;
  readonly #seen = new Map<string, { readonly state: string; readonly sinceMs: number }>();
  #phase: LifePhase = 'serving';
  #phaseSinceMs: number;

  constructor(clock: Clock) {
    this.clock = clock;
    this.startedAtMs = clock.now();
    this.#phaseSinceMs = this.startedAtMs;
    this.logStateSinceMs = this.startedAtMs;
  }

  /** The state of the controller's life. A core that is tested alone counts as serving. */
  get phase(): LifePhase {
    return this.#phase;
  }

  set phase(phase: LifePhase) {
    this.#phase = phase;
    this.#phaseSinceMs = this.clock.now();
  }

  /** Wall-clock ms. */
  get phaseSinceMs(): number {
    return this.#phaseSinceMs;
  }

  /** Wall-clock ms since when the log is in its state. */
  logStateSinceMs: number;

  /**
   * Wall-clock ms since when a part was seen in its present state, for parts that do not note it
   * themselves. It is as exact as the calls are frequent.
   */
  seenSinceMs(name: string, state: string): number {
    const seen = this.#seen.get(name);
    if (seen?.state === state) return seen.sinceMs;
    const sinceMs = this.clock.now();
    this.#seen.set(name, { state, sinceMs });
    return sinceMs;
  }

  /** Watches the parts of a core from now on. */
  watch(core: WatchedCore): void {
    this.core = core;
    let state = core.journal.health.state;
    core.journal.onHealth((health) => {
      if (health.state !== state) this.logStateSinceMs = this.clock.now();
      state = health.state;
    });
  }
}

// What a bench run found, as it is printed, kept as JSON and plotted.

import type { EndingMeasurement } from './endings.ts';
import type { LatencyFigures, SparseHistogram } from './load/histogram.ts';
import type { MicroMeasurement } from './micro/micro.ts';
import type { SnapshotMeasurement } from './snapshots.ts';
import type { StormMeasurement } from './storm.ts';

/** One scenario at one size and one concurrency. */
export interface Measurement {
  readonly scenario: string;
  readonly title: string;
  /** Identities in the home when it was made. */
  readonly identities: number;
  readonly connections: number;
  readonly answered: number;
  readonly windowMs: number;
  readonly perSecond: number;
  readonly latencyMs: LatencyFigures;
  readonly histogram: SparseHistogram;
  /** CPU of the whole server process a request, in µs; and of its main thread alone. */
  readonly cpuMicros: number;
  readonly mainThreadMicros: number;
  /** CPU of the load generator a request, in µs. */
  readonly clientMicros: number;
  /** Share of the machine that something else used during the window, 0 to 1. */
  readonly foreignShare: number;
  readonly answerBytes: number;
  readonly residentBytes: number;
  /** Only where each request writes. */
  readonly log?: LogMeasurement;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
  readonly profile?: readonly ProfileLine[];
}

/** What a writing scenario left in the log, its warm-up included. */
export interface LogMeasurement {
  readonly requests: number;
  readonly frames: number;
  /** Bytes of frames a request. */
  readonly frameBytes: number;
  /**
   * Bytes written to the block device a request: whole pages, the zeros laid ahead, other
   * processes.
   */
  readonly deviceBytes?: number;
}

/** Own time of one function in a profile. */
export interface ProfileLine {
  readonly thread: string;
  readonly place: string;
  /** Share of the thread's time on CPU, 0 to 1. */
  readonly share: number;
}

/** A start of the controller on a home. */
export interface RestartMeasurement {
  readonly identities: number;
  readonly services: number;
  readonly routers: number;
  /** Identities with a password. */
  readonly logins: number;
  readonly apiSessions: number;
  /**
   * From the start of the process until `version` answered, after a clean stop (from a snapshot).
   */
  readonly startMs: number;
  /** The same after SIGKILL: all of it from the log. */
  readonly startFromLogMs: number;
  /** Resident once `version` answered, and some seconds later. */
  readonly residentBytes: number;
  readonly settledBytes: number;
  /** What a clean stop took, with its snapshot. */
  readonly stopMs: number;
}

/** A physical limit at one concurrency. */
export interface LimitMeasurement {
  readonly limit: string;
  readonly title: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly latencyMs: LatencyFigures;
  /** CPU each, in µs; absent where it says nothing. */
  readonly cpuMicros?: number;
}

/** The machine and the versions a run was made with. */
export interface MachineDescription {
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly fileSystem: string;
  readonly node: string;
  readonly version: string;
  readonly commit: string;
}

/** A whole run. */
export interface BenchResults {
  readonly startedAt: string;
  readonly machine: MachineDescription;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly limits: readonly LimitMeasurement[];
  readonly measurements: readonly Measurement[];
  readonly restarts: readonly RestartMeasurement[];
  readonly micros: readonly MicroMeasurement[];
  readonly storms: readonly StormMeasurement[];
  readonly endings: readonly EndingMeasurement[];
  readonly snapshots: readonly SnapshotMeasurement[];
}

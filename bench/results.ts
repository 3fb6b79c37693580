// What a bench run found, as it is printed, kept as JSON and plotted.

import type { EndingMeasurement } from './endings.ts';
import type { InspectorsMeasurement } from './inspectors.ts';
import type { LatencyFigures, SparseHistogram } from './load/histogram.ts';
import type { FootprintMeasurement } from './micro/footprint.ts';
import type { MicroMeasurement } from './micro/micro.ts';
import type { MixMeasurement } from './mixed.ts';
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
  /**
   * CPU of the whole server process a request, in µs; and of its main thread alone. Absent, as what
   * else is asked of the kernel, where the server is not a process started here.
   */
  readonly cpuMicros?: number;
  readonly mainThreadMicros?: number;
  /** CPU of the load generator a request, in µs. */
  readonly clientMicros: number;
  /** Share of the machine that something else used during the window, 0 to 1. */
  readonly foreignShare?: number;
  readonly answerBytes: number;
  readonly residentBytes?: number;
  /** Only where each request writes. */
  readonly log?: LogMeasurement;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
  readonly profile?: readonly ProfileLine[];
}

/** A scenario under an open loop: its latencies count from when requests should have been sent. */
export interface OpenMeasurement extends Measurement {
  /** Requests a second that were to arrive. */
  readonly rate: number;
  /** What share of the closed loop's throughput that is; absent where the rate was given. */
  readonly share?: number;
  /** The most requests that waited for a connection at a time. */
  readonly backlogMost: number;
  /** More waited than may, and it was ended: the latencies are lower bounds. */
  readonly isOverrun: boolean;
  /** How late the generator itself sent, connections being free; part of the latencies. */
  readonly latenessMs: LatencyFigures;
}

/** A home as it was made through the API. */
export interface HomeMeasurement {
  readonly identities: number;
  readonly services: number;
  readonly madeMs: number;
  /** Entities made a second, over 64 connections. */
  readonly createsPerSecond: number;
  readonly residentBytes?: number;
  /** Bytes of all frames in its log; absent where snapshots took the oldest away already. */
  readonly logBytes?: number;
}

/** The same figure of two revisions, measured in turns. */
export interface Comparison {
  /** What was measured, with its size. */
  readonly subject: string;
  readonly figure: string;
  readonly unit: string;
  /** One a turn. */
  readonly here: readonly number[];
  readonly there: readonly number[];
  /** Here against there: the median of the turns, the least and the greatest. */
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
}

/** What a revision, or a controller by URL, can't be measured at. */
export interface Incapability {
  readonly subject: string;
  readonly reason: string;
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
  /** Whether files differ from that commit. */
  readonly isDirty: boolean;
  /** Versions of the packages the controller runs on, as they are installed. */
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Version of the JSON file's layout: it grows when a reader of the last one would go wrong. */
export const schemaVersion = 1;

/** A whole run. */
export interface BenchResults {
  readonly schemaVersion: typeof schemaVersion;
  readonly startedAt: string;
  readonly tookMs: number;
  /** The controller that was measured by its URL; absent: this checkout's. */
  readonly url?: string;
  /** The revision that was measured in turns with this checkout. */
  readonly against?: string;
  /** What the measured controllers could not do. */
  readonly incapable: readonly Incapability[];
  /** What was not measured, and why, in sentences. */
  readonly leftOut: readonly string[];
  readonly machine: MachineDescription;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly limits: readonly LimitMeasurement[];
  readonly homes: readonly HomeMeasurement[];
  readonly measurements: readonly Measurement[];
  readonly opens: readonly OpenMeasurement[];
  readonly comparisons: readonly Comparison[];
  readonly mixes: readonly MixMeasurement[];
  readonly restarts: readonly RestartMeasurement[];
  readonly micros: readonly MicroMeasurement[];
  readonly footprints: readonly FootprintMeasurement[];
  readonly storms: readonly StormMeasurement[];
  readonly endings: readonly EndingMeasurement[];
  readonly snapshots: readonly SnapshotMeasurement[];
  readonly inspectors: readonly InspectorsMeasurement[];
}

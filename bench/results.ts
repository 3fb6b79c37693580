// The results of a bench run, which are printed, stored as JSON and plotted.

import type { CampaignResult } from './cluster/campaign.ts';
import type { ClusterCreateMeasurement } from './cluster/creates.ts';
import type { FrontLoginMeasurement } from './cluster/front-logins.ts';
import type { FrontReadMeasurement } from './cluster/front-reads.ts';
import type { ReadsUnderWritesMeasurement } from './cluster/reads-under-writes.ts';
import type { SingleNodeMeasurement } from './cluster/single-node.ts';
import type { TakeoverMeasurement } from './cluster/takeover.ts';
import type { EndingMeasurement } from './endings.ts';
import type { InspectorsMeasurement } from './inspectors.ts';
import type { LatencyFigures, SparseHistogram } from './load/histogram.ts';
import type { FootprintMeasurement } from './micro/footprint.ts';
import type { MicroMeasurement } from './micro/micro.ts';
import type { MixMeasurement } from './mixed.ts';
import type { RatioMeasurement } from './ratio.ts';
import type { AccessEndingMeasurement } from './routers/access-endings.ts';
import type { FleetMeasurement } from './routers/reconnect.ts';
import type { SharedLoginMeasurement } from './routers/shared-logins.ts';
import type { RouterWorkMeasurement } from './routers/work-rows.ts';
import type { SnapshotMeasurement } from './snapshots.ts';
import type { StormMeasurement } from './storm.ts';

/** One scenario at one size and one concurrency. */
export interface Measurement {
  readonly scenario: string;
  readonly title: string;
  /** Identities in the home at its creation. */
  readonly identities: number;
  readonly connections: number;
  readonly answered: number;
  readonly windowMs: number;
  readonly perSecond: number;
  readonly latencyMs: LatencyFigures;
  readonly histogram: SparseHistogram;
  /**
   * CPU of the whole server process per request, in µs, and of its main thread alone. Like other
   * figures of the kernel, it is absent if the server is not a process started here.
   */
  readonly cpuMicros?: number;
  readonly mainThreadMicros?: number;
  /** CPU of the load generator per request, in µs. */
  readonly clientMicros: number;
  /** Share of the machine that other processes used during the window, 0 to 1. */
  readonly foreignShare?: number;
  readonly answerBytes: number;
  readonly residentBytes?: number;
  /** Only if each request writes. */
  readonly log?: LogMeasurement;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
  readonly profile?: readonly ProfileLine[];
}

/** A scenario under an open loop: its latencies count from when requests should have been sent. */
export interface OpenMeasurement extends Measurement {
  /** Arrival rate in requests per second. */
  readonly rate: number;
  /** Its share of the closed loop's throughput; absent if the rate was given. */
  readonly share?: number;
  /** The most requests that waited for a connection at a time. */
  readonly backlogMost: number;
  /** Too many requests waited and the run was ended, so the latencies are lower bounds. */
  readonly isOverrun: boolean;
  /** The generator's own delay in sending when connections were free; part of the latencies. */
  readonly latenessMs: LatencyFigures;
}

/** A home that was created through the API. */
export interface HomeMeasurement {
  readonly identities: number;
  readonly services: number;
  readonly madeMs: number;
  /** Entities created per second, over 64 connections. */
  readonly createsPerSecond: number;
  readonly residentBytes?: number;
  /** Bytes of all frames in its log; absent if snapshots have already removed the oldest. */
  readonly logBytes?: number;
}

/** The same figure of two revisions, measured in turns. */
export interface Comparison {
  /** What was measured, with its size. */
  readonly subject: string;
  readonly figure: string;
  readonly unit: string;
  /** One per turn. */
  readonly here: readonly number[];
  readonly there: readonly number[];
  /** Ratio of this revision to the other: the median of the turns, the least and the greatest. */
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
}

/** A scenario that a revision, or a controller by URL, does not support. */
export interface Incapability {
  readonly subject: string;
  readonly reason: string;
  /** Whether the bench itself failed: nothing that the controller answered. */
  readonly isFault?: boolean;
}

/** The frames that a writing scenario appended to the log, including its warm-up. */
export interface LogMeasurement {
  readonly requests: number;
  readonly frames: number;
  /** Bytes of frames per request. */
  readonly frameBytes: number;
  /**
   * Bytes written to the block device per request, including whole pages, zeros of new segments,
   * and other processes.
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
   * From the start of the process until `version` was answered, after a clean stop (from a
   * snapshot).
   */
  readonly startMs: number;
  /** The same after SIGKILL (from the log alone). */
  readonly startFromLogMs: number;
  /** Resident memory once `version` was answered, and some seconds later. */
  readonly residentBytes: number;
  readonly settledBytes: number;
  /** Duration of a clean stop, with its snapshot. */
  readonly stopMs: number;
}

/** A physical limit at one concurrency. */
export interface LimitMeasurement {
  readonly limit: string;
  readonly title: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly latencyMs: LatencyFigures;
  /** CPU per operation, in µs; absent if it is meaningless. */
  readonly cpuMicros?: number;
  /** Share of the machine that other processes used, 0 to 1; only if a server was loaded. */
  readonly foreignShare?: number;
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
  /** Installed versions of the packages that the controller uses. */
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * Version of the JSON file's layout. It grows when readers of the former version would misread the
 * file.
 */
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
  /** Scenarios that the measured controllers do not support. */
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
  readonly fleets: readonly FleetMeasurement[];
  readonly routerWork: readonly RouterWorkMeasurement[];
  readonly sharedLogins: readonly SharedLoginMeasurement[];
  readonly accessEndings: readonly AccessEndingMeasurement[];
  readonly fabricRatios: readonly RatioMeasurement[];
  readonly oidcRatios: readonly RatioMeasurement[];
  readonly cliRatios: readonly RatioMeasurement[];
  readonly migrateRatios: readonly RatioMeasurement[];
  readonly takeovers: readonly TakeoverMeasurement[];
  /** What was cited, not measured. */
  readonly campaigns: readonly CampaignResult[];
  readonly clusterCreates: readonly ClusterCreateMeasurement[];
  readonly frontLogins: readonly FrontLoginMeasurement[];
  readonly frontReads: readonly FrontReadMeasurement[];
  readonly readsUnderWrites: readonly ReadsUnderWritesMeasurement[];
  readonly singleNodes: readonly SingleNodeMeasurement[];
}

// The type of scenarios: the requests and the expected answers.

import type { ClientCertificates, Expectation, RequestTemplate } from './load/job.ts';
import type { Network } from './network.ts';
import type { Target } from './target.ts';

/** The controller and network that a scenario is given when a run begins. */
export interface Stage {
  readonly target: Target;
  readonly network: Network;
  /**
   * Requests that earlier runs of the same scenario sent, so that new names continue after them.
   */
  readonly sentBefore: number;
  /** Text that is unique to this run, 6 characters. */
  readonly runName: string;
  /** The most requests that the run sends, if that is known; no more need be prepared. */
  readonly wanted?: number;
}

/** How many requests to prepare that use something up; fewer in the small home of a smoke run. */
export function supplyOf({ network, wanted }: Stage, count: number): number {
  const { callers, identities } = network.size;
  const few = callers < 100 ? identities * 2 : count;
  return Math.max(1, Math.min(count, few, wanted ?? count));
}

/** The requests of a run. */
export interface Load {
  readonly request: RequestTemplate;
  readonly expect: Expectation;
  readonly client?: ClientCertificates;
  /** Each request uses a new connection. */
  readonly isFresh?: boolean;
  /** Number of the first request. */
  readonly firstRequest?: number;
}

/** A row of the table. */
export interface Scenario {
  readonly name: string;
  /** For people, as shown in reports. */
  readonly title: string;
  readonly listener: 'front' | 'direct';
  /** Whether each answer stands for a frame in the log: checked, and its bytes counted. */
  readonly writes: boolean;
  /** Part of the smoke run. */
  readonly smoke: boolean;
  /**
   * Each request uses up something that must be prepared, so the length of a measurement is
   * bounded.
   */
  readonly spends?: boolean;
  /** Identity counts in the full run; if absent, the sizes of the run. */
  readonly sizes?: readonly number[];
  load(stage: Stage): Promise<Load> | Load;
}

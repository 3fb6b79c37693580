// What a scenario is: what it sends and what each answer must be.

import type { ClientCertificates, Expectation, RequestTemplate } from './load/job.ts';
import type { Network } from './network.ts';
import type { Target } from './target.ts';

/** What a scenario finds when a run of it begins. */
export interface Stage {
  readonly target: Target;
  readonly network: Network;
  /** Requests that earlier runs of the same scenario sent: what must be new goes on behind them. */
  readonly sentBefore: number;
  /** Text no other run has, 6 characters. */
  readonly runName: string;
  /** Requests that the run sends at most, where that is known: no more need be prepared. */
  readonly wanted?: number;
}

/** How many to prepare of what each request uses up: fewer in the small home of a smoke run. */
export function supplyOf({ network, wanted }: Stage, count: number): number {
  const { callers, identities } = network.size;
  const few = callers < 100 ? identities * 2 : count;
  return Math.max(1, Math.min(count, few, wanted ?? count));
}

/** What a run sends. */
export interface Load {
  readonly request: RequestTemplate;
  readonly expect: Expectation;
  readonly client?: ClientCertificates;
  /** Each request over a connection of its own. */
  readonly isFresh?: boolean;
  /** Number of the first request. */
  readonly firstRequest?: number;
}

/** A row of the table. */
export interface Scenario {
  readonly name: string;
  /** For people, as it stands in reports. */
  readonly title: string;
  readonly listener: 'front' | 'direct';
  /** Whether each answer stands for a frame in the log: checked, and its bytes counted. */
  readonly writes: boolean;
  /** Wanted in the smoke run. */
  readonly smoke: boolean;
  /** Each request uses up something that must be prepared: what it is measured for is bounded. */
  readonly spends?: boolean;
  /** Identity counts it is asked for in the full run; absent: the sizes of the run. */
  readonly sizes?: readonly number[];
  load(stage: Stage): Promise<Load> | Load;
}

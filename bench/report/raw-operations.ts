// The raw operations that goals are compared with. They need no controller, and are measured in the
// same run.

import type { BenchResults, LimitMeasurement } from '../results.ts';
import type { Pauses } from '../server/pauses.ts';
import { atMost, type GoalLine, span, times } from './goal-line.ts';

/** The number of connections to which goals refer. */
export const busy = 64;

/** An operation and what one of it takes, in µs; undefined if the run did not measure it. */
export interface RawOperation {
  readonly name: string;
  readonly micros: number | undefined;
}

/** CPU of an answer of uWebSockets.js alone over a kept-alive TLS connection. */
export function bareAnswer(results: BenchResults): RawOperation {
  return { name: 'a bare answer', micros: limit(results, 'bare-answer')?.cpuMicros };
}

/** The time of such an answer while `busy` connections send requests. */
export function bareAnswerTime(results: BenchResults): RawOperation {
  const found = limit(results, 'bare-answer');
  return { name: 'a bare answer', micros: found && 1e6 / found.perSecond };
}

/** The same with a `busy`th of an fdatasync, because so many writes can share one. */
export function durableAnswerTime(results: BenchResults): RawOperation {
  const answer = bareAnswerTime(results).micros;
  const sync = limit(results, 'disk-sync', 1)?.latencyMs.p50;
  const isKnown = answer !== undefined && sync !== undefined;
  return {
    name: 'a bare answer and its share of a sync',
    micros: isKnown ? answer + (sync * 1000) / busy : undefined,
  };
}

/** CPU of a password hash. */
export function rawHash(results: BenchResults): RawOperation {
  return { name: 'the raw hash', micros: limit(results, 'argon2')?.cpuMicros };
}

/** CPU of a TLS handshake of `openssl s_server`. */
export function rawHandshake(results: BenchResults): RawOperation {
  return { name: 'a raw handshake', micros: limit(results, 'raw-handshake')?.cpuMicros };
}

/** The time from the start of a process until uWebSockets.js alone listens. */
export function bareStart(results: BenchResults): RawOperation {
  const found = limit(results, 'bare-start', 1);
  return { name: 'a bare start', micros: found && found.latencyMs.p50 * 1000 };
}

/**
 * A goal that a figure in µs is at most `goal` times a raw operation. If only the figure was
 * measured, it is shown without a verdict.
 */
export function timesRaw(
  work: string,
  rival: string,
  micros: number | undefined,
  goal: number,
  raw: RawOperation,
): GoalLine {
  const ratio = ratioOf(micros, raw.micros);
  const line = atMost(`${work} against ${raw.name}`, rival, ratio, goal, times);
  if (micros === undefined) return line;
  if (raw.micros === undefined) return { ...line, measured: span(micros) };
  return { ...line, measured: `${line.measured} (${span(micros)} against ${span(raw.micros)})` };
}

/**
 * A goal for the longest pause of a thread. The load generator uses the same machine, so the pause
 * is also given with the waits for a core.
 */
export function longestPause(
  work: string,
  { longestMs, longestOwnMs }: Pauses,
  goal: number,
  raw: RawOperation,
): GoalLine {
  const line = timesRaw(`${work}: longest pause`, '–', longestOwnMs * 1000, goal, raw);
  const whole = `${span(longestMs * 1000)} with waits for a core`;
  return { ...line, measured: `${line.measured}; ${whole}` };
}

/** One figure divided by another, if both were measured. */
export function ratioOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one / other;
}

function limit(
  { limits }: BenchResults,
  name: string,
  connections = busy,
): LimitMeasurement | undefined {
  return limits.find((found) => found.limit === name && found.connections === connections);
}

// The tables of a report, from a run's results.

import type { BenchResults, Measurement } from '../results.ts';
import type { Pauses } from '../server/pauses.ts';
import { grouped } from './goal-line.ts';
import { goalLines, sizeOf } from './goals.ts';
import { columns, type TextTable } from './table.ts';

/** The goals with the measured figures and those of OpenZiti. */
export function goalTable(results: BenchResults, beside?: BenchResults): TextTable {
  return {
    columns: columns('work', 'goal', '#measured', 'met', 'rival', 'why it is missed'),
    rows: goalLines(results, beside).map(({ work, goal, measured, met, rival, reason = '' }) => [
      work,
      goal,
      measured === '' ? 'not measured' : measured,
      met === undefined ? '' : met ? 'yes' : 'NO',
      rival,
      met === false ? reason : '',
    ]),
  };
}

/** Every scenario at every size and concurrency. */
export function scenarioTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      'scenario',
      '#identities',
      '#connections',
      '#per second',
      '#p50 ms',
      '#p90 ms',
      '#p99 ms',
      '#max ms',
      '#CPU µs',
      '#main thread µs',
      '#client µs',
      '#other work',
      '#resident MB',
      '#wrong',
    ),
    rows: results.measurements.map((found) => [
      found.title,
      grouped(found.identities),
      String(found.connections),
      grouped(found.perSecond),
      ...latencyCells(found.latencyMs),
      fixed(found.cpuMicros, 1),
      fixed(found.mainThreadMicros, 1),
      fixed(found.clientMicros, 1),
      percent(found.foreignShare),
      megabytes(found.residentBytes),
      String(found.wrong),
    ]),
  };
}

/** The physical limits of the machine. */
export function limitTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      'limit',
      '#connections',
      '#per second',
      '#p50 ms',
      '#p90 ms',
      '#p99 ms',
      '#max ms',
      '#CPU µs',
      '#other work',
    ),
    rows: results.limits.map((found) => [
      found.title,
      String(found.connections),
      grouped(found.perSecond),
      ...latencyCells(found.latencyMs),
      fixed(found.cpuMicros, 1),
      percent(found.foreignShare),
    ]),
  };
}

/** Bytes that writing scenarios wrote to the log. */
export function logTable(results: BenchResults): TextTable {
  const writing = results.measurements.filter((found) => found.log !== undefined);
  return {
    columns: columns(
      'scenario',
      '#identities',
      '#connections',
      '#requests',
      '#frames',
      '#frame bytes each',
      '#device bytes each',
    ),
    rows: writing.map(({ title, identities, connections, log }) => [
      title,
      grouped(identities),
      String(connections),
      grouped(log?.requests ?? 0),
      grouped(log?.frames ?? 0),
      grouped(log?.frameBytes ?? 0),
      log?.deviceBytes === undefined ? '' : grouped(log.deviceBytes),
    ]),
  };
}

/** Starts and their memory. */
export function restartTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      'home',
      '#start s',
      '#start from log alone s',
      '#resident MB',
      '#resident 5 s later MB',
      '#clean stop s',
    ),
    rows: results.restarts.map((found) => [
      sizeOf(found),
      (found.startMs / 1000).toFixed(2),
      (found.startFromLogMs / 1000).toFixed(2),
      megabytes(found.residentBytes),
      megabytes(found.settledBytes),
      (found.stopMs / 1000).toFixed(2),
    ]),
  };
}

/** Pieces of the controller in isolation. */
export function microTable(results: BenchResults): TextTable {
  return {
    columns: columns('piece', '#units', '#median µs', '#p90 µs', 'unit'),
    rows: results.micros.map((found) => [
      found.title,
      grouped(found.units),
      found.medianMicros.toPrecision(3),
      found.p90Micros.toPrecision(3),
      found.unit,
    ]),
  };
}

/** Storms of logins, and their effect on other clients. */
export function stormTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      '#clients',
      '#connections',
      '#all in s',
      '#logins per second',
      '#CPU µs a login',
      '#login p50 ms',
      '#login p99 ms',
      '#others p99 in peace ms',
      '#others p99 ms',
      '#others max ms',
      '#wrong',
    ),
    rows: results.storms.map((found) => [
      grouped(found.clients),
      String(found.connections),
      (found.allInMs / 1000).toFixed(1),
      grouped((found.clients / found.allInMs) * 1000),
      found.cpuMicros === undefined ? '' : grouped(found.cpuMicros),
      found.loginMs.p50.toFixed(0),
      found.loginMs.p99.toFixed(0),
      found.othersInPeaceMs.p99.toFixed(2),
      found.othersMs.p99.toFixed(1),
      found.othersMs.max.toFixed(1),
      String(found.wrong),
    ]),
  };
}

/** Changes that end many sessions at once. */
export function endingTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      'change',
      '#sessions',
      '#seen when answered',
      '#answer ms',
      '#done ms',
      '#frames',
      '#longest pause ms',
      '#of its own ms',
      '#in peace ms',
      '#of its own ms',
      '#others p99 ms',
      '#others max ms',
      '#wrong',
    ),
    rows: results.endings.map((found) => [
      found.title,
      grouped(found.sessions),
      grouped(found.leftAtOnce),
      found.answerMs.toFixed(1),
      found.doneMs.toFixed(0),
      grouped(found.frames),
      ...longestOf(found.pauses),
      ...longestOf(found.inPeace),
      found.othersMs.p99.toFixed(1),
      found.othersMs.max.toFixed(1),
      String(found.wrong),
    ]),
  };
}

/** Snapshots while sessions are made. */
export function snapshotTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      '#records',
      '#took s',
      '#file bytes a record',
      '#log bytes a record',
      '#creates/s in peace',
      '#meanwhile',
      '#p99 ms in peace',
      '#meanwhile',
      '#longest pause ms in peace',
      '#of its own ms',
      '#meanwhile',
      '#of its own ms',
      '#wrong',
    ),
    rows: results.snapshots.map(({ inPeace, meanwhile, ...found }) => [
      grouped(found.records),
      (found.tookMs / 1000).toFixed(2),
      found.recordBytes.toFixed(0),
      found.logBytes.toFixed(0),
      ...[inPeace, meanwhile].map(({ perSecond }) => grouped(perSecond)),
      ...[inPeace, meanwhile].map(({ latencyMs }) => latencyMs.p99.toFixed(1)),
      ...[inPeace, meanwhile].flatMap(({ pauses }) => longestOf(pauses)),
      String(found.wrong),
    ]),
  };
}

/** How the CPU time of each profiled run was spent. */
export function profileTable({ profile = [] }: Pick<Measurement, 'profile'>): TextTable {
  return {
    columns: columns('thread', '#share', 'function'),
    rows: profile.map(({ thread, place, share }) => [
      thread,
      `${(share * 100).toFixed(1)}%`,
      place,
    ]),
  };
}

/** The longest pause, and the longest without the waits for a core. */
function longestOf({ longestMs, longestOwnMs }: Pauses): string[] {
  return [longestMs.toFixed(1), longestOwnMs.toFixed(1)];
}

/** A number, or nothing if it was not measured. */
export function fixed(value: number | undefined, digits: number): string {
  return value === undefined ? '' : value.toFixed(digits);
}

/** Bytes in MB, or nothing if they were not measured. */
export function megabytes(bytes: number | undefined): string {
  return fixed(bytes && bytes / 1e6, 0);
}

/** Share of the machine that other work may use before a figure counts as disturbed, 0 to 1. */
export const foreignShareMax = 0.05;

/** A share in percent, or nothing if it was not measured. */
export function percent(share: number | undefined): string {
  return share === undefined ? '' : `${(share * 100).toFixed(0)}%`;
}

/** p50, p90, p99 and max. */
export function latencyCells({ p50, p90, p99, max }: Measurement['latencyMs']): string[] {
  return [p50, p90, p99, max].map((ms) => ms.toFixed(ms < 10 ? 2 : 1));
}

// The tables of open loops, mixes, homes, comparisons, and of what was not measured.

import type { BenchResults } from '../results.ts';
import { grouped } from './goal-line.ts';
import { columns, type TextTable } from './table.ts';
import { fixed, latencyCells, megabytes, percent } from './tables.ts';

/** Open loops, each beside the closed loop it was derived from. */
export function openTable({ opens, measurements }: BenchResults): TextTable {
  return {
    columns: columns(
      'scenario',
      '#identities',
      '#connections',
      '#of closed loop',
      '#arrive/s',
      '#answered/s',
      '#p50 ms',
      '#p90 ms',
      '#p99 ms',
      '#max ms',
      '#closed p50 ms',
      '#closed p99 ms',
      '#sent late p99 ms',
      '#back-log',
      'kept up',
      '#wrong',
    ),
    rows: opens.map((open) => {
      const closed = measurements.find(
        ({ scenario, identities, connections }) =>
          scenario === open.scenario &&
          identities === open.identities &&
          connections === open.connections,
      );
      return [
        open.title,
        grouped(open.identities),
        String(open.connections),
        percent(open.share),
        grouped(open.rate),
        grouped(open.perSecond),
        ...latencyCells(open.latencyMs),
        fixed(closed?.latencyMs.p50, 2),
        fixed(closed?.latencyMs.p99, 2),
        open.latenessMs.p99.toFixed(2),
        grouped(open.backlogMost),
        open.isOverrun ? 'NO' : 'yes',
        String(open.wrong),
      ];
    }),
  };
}

/** The main thread under each mix. */
export function mixTable({ mixes }: BenchResults): TextTable {
  return {
    columns: columns(
      '#identities',
      '#saturation',
      '#window s',
      '#delay p99 ms',
      '#delay p99.9 ms',
      '#longest ms',
      '#waiting for a core',
      '#waits p99.9 ms',
      '#longest wait ms',
      '#main thread',
      '#server, of machine',
      '#client',
      '#other work',
      '#wrong',
    ),
    rows: mixes.map(({ delay, coreWait, ...mix }) => [
      grouped(mix.identities),
      mix.saturation.toFixed(2),
      (mix.windowMs / 1000).toFixed(0),
      delay.p99Ms.toFixed(1),
      delay.p999Ms.toFixed(1),
      delay.longestMs.toFixed(1),
      `${(coreWait.share * 100).toFixed(1)}%`,
      coreWait.p999Ms.toFixed(1),
      coreWait.longestMs.toFixed(1),
      percent(mix.mainThreadShare),
      percent(mix.serverShare),
      percent(mix.clientShare),
      percent(mix.foreignShare),
      String(mix.wrong),
    ]),
  };
}

/** The scenarios of each mix. */
export function mixPartTable({ mixes }: BenchResults): TextTable {
  return {
    columns: columns(
      'scenario',
      '#identities',
      '#alone/s',
      '#arrive/s',
      '#answered/s',
      '#p50 ms',
      '#p90 ms',
      '#p99 ms',
      '#max ms',
      'kept up',
    ),
    rows: mixes.flatMap(({ identities, parts }) =>
      parts.map((part) => [
        part.title,
        grouped(identities),
        grouped(part.alonePerSecond),
        fixed(part.rate, 1),
        fixed(part.perSecond, 1),
        ...latencyCells(part.latencyMs),
        part.isOverrun ? 'NO' : 'yes',
      ]),
    ),
  };
}

/** Homes that were created through the API. */
export function homeTable({ homes }: BenchResults): TextTable {
  return {
    columns: columns(
      '#identities',
      '#services',
      '#created in s',
      '#creates/s',
      '#resident MB',
      '#log MB',
      '#log bytes per entity',
    ),
    rows: homes.map((home) => [
      grouped(home.identities),
      grouped(home.services),
      (home.madeMs / 1000).toFixed(1),
      grouped(home.createsPerSecond),
      megabytes(home.residentBytes),
      fixed(home.logBytes && home.logBytes / 1e6, 1),
      fixed(home.logBytes && home.logBytes / (home.identities + home.services), 0),
    ]),
  };
}

/** Memory per entity. */
export function footprintTable({ footprints }: BenchResults): TextTable {
  return {
    columns: columns('kind', '#entities', '#bytes each'),
    rows: footprints.map(({ kind, entities, bytesEach }) => [
      kind,
      grouped(entities),
      bytesEach.toFixed(0),
    ]),
  };
}

/** Two revisions, figure by figure. */
export function comparisonTable({ comparisons }: BenchResults): TextTable {
  return {
    columns: columns(
      'work',
      'figure',
      '#turns',
      '#here',
      '#there',
      '#here/there',
      '#least',
      '#greatest',
    ),
    rows: comparisons.map(({ here, there, ...found }) => [
      found.subject,
      `${found.figure}, ${found.unit}`,
      String(here.length),
      middle(here),
      middle(there),
      found.ratio.toFixed(3),
      found.ratioMin.toFixed(3),
      found.ratioMax.toFixed(3),
    ]),
  };
}

/** Scenarios that a controller does not support. */
export function incapableTable({ incapable }: Pick<BenchResults, 'incapable'>): TextTable {
  return {
    columns: columns('work', 'why not'),
    rows: incapable.map(({ subject, reason, isFault }) => [
      subject,
      oneLine(isFault === true ? `the bench failed: ${reason}` : reason),
    ]),
  };
}

function middle(values: readonly number[]): string {
  const value = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  return value === undefined ? '' : value >= 1000 ? grouped(value) : value.toPrecision(3);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

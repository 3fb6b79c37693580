// Two controllers side by side, from the results of two runs.

import type { BenchResults, Measurement } from '../results.ts';
import { grouped } from './goal-line.ts';
import { incapableTable } from './load-tables.ts';
import type { Section } from './sections.ts';
import { columns, type TextTable } from './table.ts';

/** The section that compares a run with the results of another controller. */
export function besideSection(here: BenchResults, there: BenchResults): Section {
  return {
    heading: 'Side by side',
    text: [
      `A is ${nameOf(here)}, B is ${nameOf(there)}: the same scenarios, by the same load generator, in`,
      'closed loops. A scenario that a controller refused has the word "refused" in place of its',
      'rate, and its answer below. The figures can be compared only if both runs had the machine, or',
      'machines of one kind, to themselves.',
    ].join('\n'),
    tables: [besideTable(here, there), refusalTable(here, there)],
    flags: '--beside FILE',
    isOursAlone: false,
  };
}

/** Rates and latencies of both, scenario by scenario in the order of A, then those of B alone. */
export function besideTable(here: BenchResults, there: BenchResults): TextTable {
  const pairs = new Map<string, [Measurement | undefined, Measurement | undefined]>();
  for (const found of here.measurements) pairs.set(keyOf(found), [found, undefined]);
  for (const found of there.measurements) {
    pairs.set(keyOf(found), [pairs.get(keyOf(found))?.[0], found]);
  }
  return {
    columns: columns(
      'scenario',
      '#identities',
      '#connections',
      '#A/s',
      '#B/s',
      '#A/B',
      '#A p50 ms',
      '#B p50 ms',
      '#A p99 ms',
      '#B p99 ms',
      '#A wrong',
      '#B wrong',
    ),
    rows: [...pairs.values()].flatMap(([a, b]) => {
      const subject = a ?? b;
      if (subject === undefined) return [];
      return [
        [
          subject.title,
          grouped(subject.identities),
          String(subject.connections),
          rateOf(here, subject, a),
          rateOf(there, subject, b),
          a === undefined || b === undefined ? '' : (a.perSecond / b.perSecond).toFixed(2),
          ...[a, b].map((found) => found?.latencyMs.p50.toFixed(2) ?? ''),
          ...[a, b].map((found) => found?.latencyMs.p99.toFixed(2) ?? ''),
          ...[a, b].map((found) => (found === undefined ? '' : String(found.wrong))),
        ],
      ];
    }),
  };
}

function keyOf({ scenario, identities, connections }: Measurement): string {
  return `${scenario} ${identities} ${connections}`;
}

function rateOf(
  { incapable }: BenchResults,
  { title }: Measurement,
  found: Measurement | undefined,
): string {
  if (found !== undefined) return grouped(found.perSecond);
  const why = incapable.find(({ subject }) => subject === title);
  if (why === undefined) return '';
  return why.isFault === true ? 'failed' : 'refused';
}

/** The measurements that are missing for one of the two controllers, each with the reason. */
function refusalTable(here: BenchResults, there: BenchResults): TextTable {
  const rows = [['A', here] as const, ['B', there] as const].flatMap(([name, { incapable }]) =>
    incapableTable({ incapable }).rows.map(([subject = '', reason = '']) => [
      subject,
      name,
      reason,
    ]),
  );
  return { columns: columns('work', 'not by', 'why not'), rows };
}

/** The controller of a run, for readers. */
function nameOf({ url, machine, startedAt }: BenchResults): string {
  const name = url === undefined ? `edge-control ${machine.version} (${machine.commit})` : url;
  return `${name}, measured on ${startedAt.slice(0, 10)}`;
}

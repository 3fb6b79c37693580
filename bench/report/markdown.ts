// The published document: the machine, the goals with their figures, and every table of the run.

import type { BenchResults, MachineDescription } from '../results.ts';
import { isSmoke } from './goals.ts';
import { measuredRows, type Section, sectionsOf } from './sections.ts';
import { markdownTable } from './table.ts';
import { profileTable } from './tables.ts';

/**
 * The text of `docs/generated/benchmarks.md`; with `only`, that of `benchmarks-<only>.md`, which
 * has only what was measured.
 */
export function benchmarksDocument(
  results: BenchResults,
  beside?: BenchResults,
  only?: string,
): string {
  const command = `npm run bench -- ${only === undefined ? '' : `--only ${only} `}--publish`;
  const sections = sectionsOf(results, beside);
  const parts = [
    only === undefined ? '# Benchmarks' : `# Benchmarks: ${only}`,
    `Written by \`${command}\`; do not edit. All figures are from one run on one machine.`,
    machineSentence(results),
    packageSentence(results),
    readersText,
    ...results.leftOut.map((sentence) => `- ${sentence}`),
    ...(only === undefined ? sections : sections.flatMap(measuredOnly)).flatMap(sectionParts),
    ...profiles(results),
  ];
  return `${parts
    .filter((part) => part !== '')
    .join('\n\n')
    .trimEnd()}\n`;
}

/** A note for readers who have another controller. */
const readersText = [
  'Each section names the flags of `npm run bench --` that repeat its figures. Sections marked "ours',
  'alone" need more than the API: the process, the log, or single pieces of the code. Everything else',
  'is measured through the API only, and `--url https://HOST:PORT` measures it on any controller with',
  'the same API, with the same load and the same checks of the answers.',
].join('\n');

/** A section without figures that were not measured; none if nothing of it was. */
function measuredOnly(section: Section): Section[] {
  const tables = section.tables.map((table) => measuredRows(section, table));
  return tables.some(({ rows }) => rows.length > 0) ? [{ ...section, tables }] : [];
}

function sectionParts(section: Section): string[] {
  return [
    `## ${section.heading}`,
    section.text,
    originOf(section),
    ...section.tables.map((table) => markdownTable(table).trimEnd()),
  ];
}

/** Whether it can measure only this controller, and the command that repeats it. */
export function originOf({ isOursAlone, flags }: Section): string {
  const words = [
    isOursAlone ? '**Ours alone.**' : '',
    flags === '' ? '' : `Repeat: \`npm run bench -- ${flags}\`.`,
  ];
  return words.filter((word) => word !== '').join(' ');
}

/** The machine and the run, in one paragraph. */
export function machineSentence(results: BenchResults): string {
  const { machine, startedAt, settings, url, tookMs } = results;
  const seconds = Number(settings['measureMs']) / 1000;
  const edited = machine.isDirty ? ', with uncommitted changes' : '';
  const subject =
    url === undefined
      ? `edge-control ${machine.version} (${machine.commit}${edited})`
      : `the controller at ${url}, measured by the bench of edge-control ${machine.commit}${edited}`;
  const place = url === undefined ? '' : 'The load came from: ';
  return [
    `${place}${machineText(machine)}, ${subject}, ${startedAt.slice(0, 10)}.`,
    url === undefined ? '`--durability disk`, EC P-256 keys, windows' : 'Windows',
    `of ${seconds} s; the run took ${Math.round(tookMs / 60_000)} minutes.`,
    settings['profiled'] === true ? '**Profiled: the figures are worse than without it.**' : '',
    isSmoke(results) ? '**A smoke run on small homes: its figures say nothing about speed.**' : '',
  ]
    .join(' ')
    .trim();
}

/** The packages that the controller ran on. */
export function packageSentence({ machine, url }: BenchResults): string {
  if (url !== undefined) return '';
  const packages = Object.entries(machine.dependencies).map(([name, version]) => {
    return `${name} ${version}`;
  });
  return packages.length === 0 ? '' : `Packages: ${packages.join(', ')}.`;
}

function machineText(machine: MachineDescription): string {
  const { processor, cores, memoryBytes, system, fileSystem, node } = machine;
  const memory = `${Math.round(memoryBytes / 1e9)} GB`;
  return `${processor}, ${cores} cores, ${memory}, ${system}, ${fileSystem}, Node ${node}`;
}

function profiles(results: BenchResults): string[] {
  return results.measurements
    .filter(({ profile }) => profile !== undefined)
    .flatMap((found) => [
      `### Profile: ${found.title}, ${found.identities} identities, ${found.connections} connections`,
      markdownTable(profileTable(found)).trimEnd(),
    ]);
}

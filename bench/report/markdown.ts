// The published document: the goals with their figures, the machine, and every table of the run.

import type { BenchResults, MachineDescription } from '../results.ts';
import { markdownTable } from './table.ts';
import {
  endingTable,
  goalTable,
  limitTable,
  logTable,
  microTable,
  profileTable,
  restartTable,
  scenarioTable,
  snapshotTable,
  stormTable,
} from './tables.ts';

/** The text of `docs/generated/benchmarks.md`. */
export function benchmarksDocument(results: BenchResults): string {
  const parts = [
    '# Benchmarks',
    'Written by `npm run bench -- --publish`; do not edit. All figures of one run on one machine.',
    machineSentence(results),
    '## Goals',
    'CPU is that of the whole server process a request, all threads, at 64 connections. The rival is the',
    'OpenZiti controller on this kind of machine (issue 3).',
    markdownTable(goalTable(results)),
    '## Scenarios',
    methodText,
    markdownTable(scenarioTable(results)),
    '## Physical limits, measured in the same run',
    markdownTable(limitTable(results)),
    '## Bytes written',
    'Frame bytes are what the log holds of a request. Device bytes are what the block device was written:',
    'whole pages a sync, the zeros that segments are laid out with, and whatever else used the disk.',
    markdownTable(logTable(results)),
    '## Pieces by themselves',
    'In a process of their own, without HTTP and log; the middle one and the ninetieth of a hundred slices.',
    markdownTable(microTable(results)),
    '## Reconnect storm',
    'Clients that log in by certificate, each over a new TLS connection, while others ask for their session',
    'over kept-alive ones.',
    markdownTable(stormTable(results)),
    '## Changes that end sessions',
    'One change of a policy takes the right that all these sessions rest on. A pause is how late a timer of',
    '1 ms of the main thread was, waiting for a core included; done is the last frame of the consequences.',
    markdownTable(endingTable(results)),
    '## Snapshots while serving',
    'Asked for by an administrator while 64 connections create sessions; it took until it was durable, read',
    'back and named. Pauses as above.',
    markdownTable(snapshotTable(results)),
    '## Restart and memory',
    'From the start of the process until `version` answers over TLS, the median of three.',
    markdownTable(restartTable(results)),
    ...profiles(results),
  ];
  return `${parts
    .join('\n\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

/** How the figures come about; also in the HTML page. */
export const methodText = [
  'A closed loop: each connection (TLS, keep-alive, no pipelining) sends its next request when its answer',
  'is in. The client is a process of its own on the same cores, so that the rates are those of both',
  'together. CPU comes from the scheduler, `/proc/<pid>/task/*/schedstat`; where threads ended within the',
  'window (Argon2 starts its own) from `/proc/<pid>/stat`, exact to 10 ms. "Other work" is the share of',
  'the machine that neither of the two used; where it is over 5%, this is the least disturbed of three',
  'windows. Every answer is checked: status, content, ids never seen before; where requests write, the',
  'frames in the log are counted.',
].join('\n');

/** The machine and the run, in one paragraph. */
export function machineSentence({ machine, startedAt, settings }: BenchResults): string {
  const seconds = Number(settings['measureMs']) / 1000;
  return [
    `${machineText(machine)}, edge-control ${machine.version} (${machine.commit}), ${startedAt.slice(0, 10)}.`,
    `\`--durability disk\`, EC P-256 keys, windows of ${seconds} s.`,
    settings['profiled'] === true ? '**Profiled: the figures are worse than without.**' : '',
  ]
    .join(' ')
    .trim();
}

function machineText({
  processor,
  cores,
  memoryBytes,
  system,
  ...rest
}: MachineDescription): string {
  const memory = `${Math.round(memoryBytes / 1e9)} GB`;
  return `${processor}, ${cores} cores, ${memory}, ${system}, ${rest.fileSystem}, Node ${rest.node}`;
}

function profiles(results: BenchResults): string[] {
  return results.measurements
    .filter(({ profile }) => profile !== undefined)
    .flatMap((found) => [
      `### Profile: ${found.title}, ${found.identities} identities, ${found.connections} connections`,
      markdownTable(profileTable(found)),
    ]);
}

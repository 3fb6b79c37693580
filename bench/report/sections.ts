// The sections of a report, the same on the terminal, in the page and in the document: the figures,
// how they were measured, whether only this controller can have them, and the command that repeats
// them.

import type { BenchResults } from '../results.ts';
import { inspectorTable, inspectorText } from './inspector-table.ts';
import {
  comparisonTable,
  footprintTable,
  homeTable,
  incapableTable,
  mixPartTable,
  mixTable,
  openTable,
} from './load-tables.ts';
import type { TextTable } from './table.ts';
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

/** One section. */
export interface Section {
  readonly heading: string;
  /** How the figures are measured: Markdown, in sentences. */
  readonly text: string;
  readonly tables: readonly TextTable[];
  /** The flags that repeat the measurement; empty if the section follows from others. */
  readonly flags: string;
  /** Whether the figures need more than the API, so that `--url` cannot have them. */
  readonly isOursAlone: boolean;
}

/** All sections of a run; those without a row are left out. */
export function sectionsOf(results: BenchResults): Section[] {
  const all = [
    ...judged(results),
    ...underLoad(results),
    ...behindTheApi(results),
    ...scenes(results),
  ];
  return all
    .map((section) => ({
      ...section,
      tables: section.tables.filter(({ rows }) => rows.length > 0),
    }))
    .filter(({ tables }) => tables.length > 0);
}

function judged(results: BenchResults): Section[] {
  return [
    {
      heading: 'Goals',
      text: goalText,
      tables: results.url === undefined ? [goalTable(results)] : [],
      flags: '',
      isOursAlone: true,
    },
    {
      heading: 'Against another revision',
      text: againstText(results),
      tables: [comparisonTable(results)],
      flags: `--against ${results.against?.split(' ', 1)[0] ?? 'GIT-REF'}`,
      isOursAlone: true,
    },
    {
      heading: 'What could not be measured',
      text: 'The work, and what stood in its way.',
      tables: [incapableTable(results)],
      flags: '',
      isOursAlone: false,
    },
  ];
}

function underLoad(results: BenchResults): Section[] {
  return [
    {
      heading: 'Scenarios',
      text: closedText,
      tables: [scenarioTable(results)],
      flags: '--only SCENARIO --load none',
      isOursAlone: false,
    },
    {
      heading: 'Open loops',
      text: openText,
      tables: [openTable(results)],
      flags: '--only SCENARIO --load 0.25,0.5,0.75,0.9',
      isOursAlone: false,
    },
    {
      heading: 'All scenarios at once',
      text: mixText,
      tables: [mixTable(results), mixPartTable(results), ...results.mixes.map(profileTable)],
      flags: '--only mixed',
      isOursAlone: true,
    },
    {
      heading: 'Homes',
      text: 'The networks of the scenarios, made through the management API over 64 connections.',
      tables: [homeTable(results)],
      flags: '--sizes 1000,100000,1000000 --only version --load none',
      isOursAlone: false,
    },
  ];
}

function behindTheApi(results: BenchResults): Section[] {
  return [
    {
      heading: 'Physical limits, measured in the same run',
      text: 'What this machine does at best, without a controller: figures must be read beside these.',
      tables: [limitTable(results)],
      flags: '--only limits',
      isOursAlone: true,
    },
    {
      heading: 'Bytes written',
      text: bytesText,
      tables: [logTable(results)],
      flags: '--only SCENARIO --load none',
      isOursAlone: true,
    },
    {
      heading: 'Pieces by themselves',
      text: pieceText,
      tables: [microTable(results), footprintTable(results)],
      flags: '--only micro (or footprint, events, frames, access, filter)',
      isOursAlone: true,
    },
  ];
}

function scenes(results: BenchResults): Section[] {
  return [
    {
      heading: 'Reconnect storm',
      text: stormText,
      tables: [stormTable(results)],
      flags: '--only storm',
      isOursAlone: false,
    },
    {
      heading: 'Changes that end sessions',
      text: endingText,
      tables: [endingTable(results)],
      flags: '--only endings',
      isOursAlone: true,
    },
    {
      heading: 'Snapshots while serving',
      text: snapshotText,
      tables: [snapshotTable(results)],
      flags: '--only snapshots',
      isOursAlone: true,
    },
    {
      heading: 'Attached inspectors',
      text: inspectorText,
      tables: [inspectorTable(results)],
      flags: '--only inspectors',
      isOursAlone: true,
    },
    {
      heading: 'Restart and memory',
      text: 'From the start of the process until `version` answers over TLS, the median of three.',
      tables: [restartTable(results)],
      flags: '--only restart',
      isOursAlone: true,
    },
  ];
}

const goalText = [
  'CPU is that of the whole server process a request, all threads, at 64 connections. The rival is the',
  'OpenZiti controller on a machine of this kind.',
].join('\n');

function againstText({ against = '' }: BenchResults): string {
  return [
    `This checkout ("here") and ${against} ("there"), each on a home it made itself, measured in turns`,
    'on one machine: here, there, here, there. The load generator is the same; only the controller',
    'differs. The ratio is taken of each turn; its median, least and greatest are told. A ratio whose',
    'least and greatest lie on both sides of 1 shows no difference.',
  ].join('\n');
}

const closedText = [
  'A closed loop: each connection (TLS, keep-alive, no pipelining) sends its next request when its answer',
  'is in. The client is a process of its own on the same cores, so that the rates are those of both',
  'together. CPU comes from the scheduler, `/proc/<pid>/task/*/schedstat`; where threads ended within the',
  'window (Argon2 starts its own) from `/proc/<pid>/stat`, exact to 10 ms. "Other work" is the share of',
  'the machine that neither of the two used; where it is over 5%, this is the least disturbed of three',
  'windows. Every answer is checked: status, content, ids never seen before; where requests write, the',
  'frames in the log are counted.',
].join('\n');

const openText = [
  'Requests arrive evenly at a fixed rate, whatever the answers do, and wait for a free connection. Each',
  'latency counts from the moment the request should have been sent, so that a stall of the server is',
  'told by all requests that came meanwhile, not by one (no coordinated omission). "Sent late" is the',
  'generator’s own lateness while connections were free: its timers are no finer than a millisecond, and',
  'that is in the latencies. Where more than 10,000 requests waited the run was ended: it did not keep',
  'up, and its latencies are lower bounds.',
].join('\n');

const mixText = [
  'Every scenario in an open loop of its own, all at the same time, each at an equal part of what it',
  'reached alone. Saturation is the greatest such mix that was kept up with, found by trying ever smaller',
  'ones; here half of it is asked for. It is less than 1 because alone nothing changes what was computed',
  'for the request before, while in the mix everything changes all the time. Logins by password have one',
  'connection, so that one hash is computed at a time. The delay is that of the main thread’s event loop:',
  'how late a timer of 1 ms was. What the thread waited for a core is the kernel’s figure (`schedstat`), in',
  'slices of 5 ms: that part of the delay comes from the machine being shared with the load generator.',
].join('\n');

const bytesText = [
  'Frame bytes are what the log holds of a request. Device bytes are what the block device was written:',
  'whole pages a sync, the zeros that segments are laid out with, and whatever else used the disk.',
].join('\n');

const pieceText = [
  'In a process of their own, without HTTP and disk; the middle one and the ninetieth of a hundred',
  'slices. Bytes are heap and buffers of rows in their table with its indexes, after a collection.',
].join('\n');

const stormText = [
  'Clients that log in by certificate, each over a new TLS connection, while others ask for their session',
  'over kept-alive ones.',
].join('\n');

const endingText = [
  'One change of a policy takes the right that all these sessions rest on. A pause is how late a timer of',
  '1 ms of the main thread was, waiting for a core included; its own is the longest when what the kernel',
  'says of such waits is taken off each. Done is the last frame of the consequences.',
].join('\n');

const snapshotText = [
  'Asked for by an administrator while 64 connections create sessions; it took until it was durable, read',
  'back and named. Pauses as above. The load generator gives way here (niceness 10), as clients on other',
  'machines would: else V8’s threads wait for a core behind it, and the main thread for those.',
].join('\n');

// The sections of a report, the same on the terminal, in the page and in the document: the figures,
// how they were measured, whether only this controller can have them, and the command that repeats
// them.

import type { BenchResults } from '../results.ts';
import { besideSection } from './beside.ts';
import {
  clusterCreateTable,
  clusterLoadText,
  frontLoginTable,
  frontLoginText,
  frontReadTable,
  frontReadText,
  lagTable,
  readsUnderWritesTable,
  singleNodeTable,
  singleNodeText,
  takeoverTable,
  takeoverText,
} from './cluster-tables.ts';
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
import { commandsText, fabricText, migrateText, oidcText, ratioTable } from './ratio-table.ts';
import {
  accessEndingTable,
  fleetTable,
  fleetText,
  routerWorkTable,
  sharedLoginTable,
  trafficText,
} from './router-tables.ts';
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

/** A table of a section without goals of which nothing was measured. */
export function measuredRows({ heading }: Section, table: TextTable): TextTable {
  if (heading !== 'Goals') return table;
  return { ...table, rows: table.rows.filter(([, , measured]) => measured !== 'not measured') };
}

/**
 * All sections of a run; those without a row are left out.
 * @param beside the results of another controller, shown beside those of the run
 */
export function sectionsOf(results: BenchResults, beside?: BenchResults): Section[] {
  const all = [
    ...(beside === undefined ? [] : [besideSection(results, beside)]),
    ...evaluated(results, beside),
    ...underLoad(results),
    ...behindTheApi(results),
    ...scenes(results),
    ...routers(results),
    ...cluster(results),
  ];
  return all
    .map((section) => ({
      ...section,
      tables: section.tables.filter(({ rows }) => rows.length > 0),
    }))
    .filter(({ tables }) => tables.length > 0);
}

function evaluated(results: BenchResults, beside?: BenchResults): Section[] {
  return [
    {
      heading: 'Goals',
      text: goalText,
      tables: results.url === undefined ? [goalTable(results, beside)] : [],
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
      text: 'The work, and the reason.',
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
      text: 'The networks of the scenarios, created through the management API over 64 connections.',
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
      text: 'The most that this machine can do, without a controller, for comparison with the other figures.',
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
      heading: 'Pieces in isolation',
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

function routers(results: BenchResults): Section[] {
  return [
    {
      heading: 'A fleet of routers',
      text: fleetText,
      tables: [fleetTable(results), ...results.fleets.map(profileTable)],
      flags: '--only routers-fleet',
      isOursAlone: true,
    },
    {
      heading: 'Routers that carry traffic',
      text: trafficText,
      tables: [
        routerWorkTable(results),
        sharedLoginTable(results),
        accessEndingTable(results),
        ...results.routerWork.map(profileTable),
        ...results.accessEndings.map(profileTable),
      ],
      flags: '--only routers-traffic',
      isOursAlone: true,
    },
    {
      heading: 'The fabric',
      text: fabricText,
      tables: [ratioTable(results.fabricRatios)],
      flags: '--only fabric',
      isOursAlone: true,
    },
    {
      heading: 'OIDC',
      text: oidcText,
      tables: [ratioTable(results.oidcRatios)],
      flags: '--only oidc',
      isOursAlone: true,
    },
    {
      heading: 'Commands of a network',
      text: commandsText,
      tables: [ratioTable(results.cliRatios)],
      flags: '--only cli',
      isOursAlone: true,
    },
    {
      heading: 'Taking over a network',
      text: migrateText,
      tables: [ratioTable(results.migrateRatios)],
      flags: '--only migrate',
      isOursAlone: true,
    },
  ];
}

function cluster(results: BenchResults): Section[] {
  const sections = [
    {
      heading: 'Takeovers of a cluster',
      text: takeoverText,
      tables: [takeoverTable(results)],
      flags: '--only cluster-takeover',
    },
    {
      heading: 'Session creates in a cluster',
      text: clusterLoadText,
      tables: [clusterCreateTable(results), lagTable(results)],
      flags: '--only cluster-creates',
    },
    {
      heading: 'Logins through a follower',
      text: frontLoginText,
      tables: [frontLoginTable(results)],
      flags: '--only cluster-logins',
    },
    {
      heading: 'Reads at a follower',
      text: frontReadText,
      tables: [frontReadTable(results), readsUnderWritesTable(results)],
      flags: '--only cluster-reads',
    },
    {
      heading: 'One node without a cluster',
      text: singleNodeText,
      tables: [singleNodeTable(results)],
      flags: '--only cluster-single',
    },
  ];
  return sections.map((section) => ({ ...section, isOursAlone: true }));
}

const goalText = [
  'Most goals are ratios to an operation without a controller that is measured in the same run, so',
  'that they mean the same on any machine. CPU is the CPU time of the whole server process, all',
  'threads, per request at 64 connections; time is the mean time from one answer to the next. A bare',
  'answer is one of uWebSockets.js alone over a kept-alive TLS connection. Its share of a sync is a',
  '64th of an `fdatasync`, because the writes of 64 connections can share one. A raw handshake is one',
  'of `openssl s_server` with the same key exchange. A bare start is that of a process until',
  'uWebSockets.js listens. Without a figure of both there is no verdict, as on a machine without',
  'openssl. Times that users feel have goals in milliseconds or seconds: what other clients wait, and',
  'how long a cluster gives no answer or an old one. `docs/measurements/2026-11-25-goals.md` says how',
  'the ratios were derived. A reason stands beside a missed goal if the measurements name one.',
  '',
  'The rival is the OpenZiti controller, measured earlier on a machine of this kind and not in the',
  'same run. A run with `--beside` compares its rates with those of that file, too.',
].join('\n');

function againstText({ against = '' }: BenchResults): string {
  return [
    `This checkout ("here") and ${against} ("there"), each on a home that it created, are measured in`,
    'turns on one machine: here, there, here, there. The load generator is the same; only the controller',
    'differs. Each turn gives a ratio; the table shows its median, minimum and maximum. A ratio whose',
    'minimum and maximum lie on both sides of 1 shows no difference.',
  ].join('\n');
}

const closedText = [
  'In a closed loop each connection (TLS, keep-alive, no pipelining) sends its next request when the',
  'last answer has arrived. The client is a separate process on the same cores, so the rates are',
  'those of both together. It knows one key exchange, X25519, because every server has it. CPU comes',
  'from the scheduler, `/proc/<pid>/task/*/schedstat`; if threads ended within the window (Argon2',
  'starts its own), it comes from `/proc/<pid>/stat`, which is exact to 10 ms. "Other work" is the',
  'share of the machine that neither of the two used; if it is over 5%, the least disturbed of three',
  'windows is shown. Every answer is checked: its status, its content, and that its id is new. If',
  'requests write, the frames in the log are counted.',
].join('\n');

const openText = [
  'Requests arrive evenly at a fixed rate, however slow the answers are, and wait for a free',
  'connection. Each latency counts from the moment at which the request should have been sent, so',
  'that a stall of the server shows in all requests that arrived meanwhile, not in one (no',
  'coordinated omission). "Sent late" is the delay of the generator itself while connections were',
  'free: its timers have a resolution of a millisecond, and that is included in the latencies. If',
  'more than 10,000 requests waited, the run was ended: the server did not keep up, and the latencies',
  'are lower bounds.',
].join('\n');

const mixText = [
  'All scenarios run at the same time, each in its own open loop with an equal share of the rate that',
  'it reached alone. Saturation is the greatest such mix that the controller kept up with, found by',
  'trying smaller and smaller ones; the table shows half of it. It is less than 1, because a scenario',
  'that runs alone does not invalidate cached results of others. Logins by password have one',
  'connection, so that one hash is computed at a time. The delay is that of the main thread’s event',
  'loop: how late a timer of 1 ms was. The time that the thread waited for a core is the kernel’s',
  'figure (`schedstat`), in slices of 5 ms: that part of the delay comes from sharing the machine',
  'with the load generator.',
].join('\n');

const bytesText = [
  'Frame bytes are the bytes in the log per request. Device bytes are those written to the block',
  'device: whole pages per sync, the zeros with which segments are filled in advance, and whatever',
  'else used the disk.',
].join('\n');

const pieceText = [
  'Each piece runs in a process of its own, without HTTP and disk. The figures are the median and the',
  '90th percentile of a hundred slices. Bytes are the heap and buffers of rows in their table with',
  'its indexes, after a garbage collection.',
].join('\n');

const stormText = [
  'Many clients log in by certificate, each over a new TLS connection, while other clients request',
  'their session over kept-alive connections.',
].join('\n');

const endingText = [
  'One change of a policy or a signer removes the right on which all these sessions depend. A pause',
  'is how late a timer of 1 ms on the main thread was, including waits for a core. Its own longest',
  'pause is the longest after those waits, as the kernel reports them, are subtracted. Done is the',
  'time of the last frame of the consequences.',
].join('\n');

const snapshotText = [
  'An administrator requests a snapshot while 64 connections create sessions. It took until the',
  'snapshot was durable, verified and in the manifest. Pauses as above. The load generator runs at a',
  'lower priority here (niceness 10), as if it ran on another machine: otherwise V8’s threads wait',
  'for a core behind it, and the main thread waits for them.',
].join('\n');

// The tables of routers in the report.

import type { BenchResults } from '../results.ts';
import { grouped } from './goal-line.ts';
import { bytesEach, routersOf } from './router-goals.ts';
import { columns, type TextTable } from './table.ts';
import { latencyCells } from './tables.ts';

/** How the figures of the fleet are measured. */
export const fleetText = [
  'A controller starts again on its home, and all routers dial within a second, as routers do that',
  'have waited for it. Each has a time of 5 s for connection, TLS with its client certificate and',
  'hello, and redials after 1 s, 2 s, 4 s and so on. A router is synced when it has received all API',
  'sessions of its class. Other clients request their session over kept-alive connections meanwhile.',
  'The simulated routers run in two processes on the same cores, which need their part of the CPU.',
  'At rest they send heartbeats, and metrics every minute. Memory is the growth of the controller’s',
  'resident memory from before their return to the end of the rest.',
].join('\n');

/** Fleets after a restart, and at rest. */
export function fleetTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      '#routers',
      '#API sessions',
      '#API sessions each',
      '#synced p50 s',
      '#all synced s',
      '#failed attempts',
      '#CPU ms a router',
      '#CPU ms a router, fleet',
      '#others p99 ms in peace',
      '#others p50 ms',
      '#p99 ms',
      '#max ms',
      '#cores at rest',
      '#of them main thread',
      '#KB a router',
      '#wrong',
    ),
    rows: results.fleets.map((found) => [
      grouped(routersOf(found)),
      grouped(found.classes * found.apiSessionsEach),
      grouped(found.apiSessionsEach),
      (found.syncedMs.p50 / 1000).toFixed(1),
      (found.allSyncedMs / 1000).toFixed(1),
      grouped(found.failures),
      ...[found.serverCpuMs, found.fleetCpuMs].map((ms) => (ms / routersOf(found)).toFixed(2)),
      found.othersInPeaceMs.p99.toFixed(2),
      found.othersMs.p50.toFixed(2),
      found.othersMs.p99.toFixed(1),
      found.othersMs.max.toFixed(1),
      found.restCores.toFixed(3),
      found.restMainThreadCores.toFixed(3),
      (bytesEach(found) / 1000).toFixed(0),
      String(found.wrong),
    ]),
  };
}

/** How the figures of traffic are measured. */
export const trafficText = [
  'A hundred simulated routers are connected. Circuits and terminators are created in batches and',
  'removed between the batches; CPU is that of the controller’s process, for the creation and for the',
  'removal. A circuit leads over one router: request, route, result of the route, answer.',
  'A terminator is durable when it is answered; its requests come from several routers, as one may',
  'create only 1,000 per second. Logins are by certificate over kept-alive connections, in turns; the',
  'shared routers are told of each login before its answer. A right is taken away from clients with',
  'circuits, each over one router: the last router is told when the last message has arrived in the',
  'process of the routers, counted from the request of the change.',
].join('\n');

/** Circuits and terminators. */
export function routerWorkTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      'work',
      '#routers',
      '#in flight',
      '#created',
      '#per second',
      '#p50 ms',
      '#p90 ms',
      '#p99 ms',
      '#max ms',
      '#CPU µs',
      '#main thread µs',
      '#CPU µs a removal',
      '#wrong',
    ),
    rows: results.routerWork.map((found) => [
      found.work,
      String(found.routers),
      String(found.inFlight),
      grouped(found.created),
      grouped(found.perSecond),
      ...latencyCells(found.latencyMs),
      found.createMicros.toFixed(1),
      found.mainThreadMicros.toFixed(1),
      found.removeMicros.toFixed(1),
      String(found.wrong),
    ]),
  };
}

/** Logins of identities that share routers. */
export function sharedLoginTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      '#connections',
      '#shared routers',
      '#CPU µs without',
      '#with',
      '#ratio',
      '#least',
      '#greatest',
      '#logins/s without',
      '#with',
      '#p50 ms without',
      '#with',
      '#wrong',
    ),
    rows: results.sharedLogins.map((found) => [
      String(found.connections),
      String(found.routers),
      ...[found.aloneMicros, found.sharedMicros].map((micros) => micros.toFixed(1)),
      ...[found.ratio, found.ratioMin, found.ratioMax].map((ratio) => ratio.toFixed(2)),
      ...[found.alonePerSecond, found.sharedPerSecond].map(grouped),
      ...[found.aloneP50Ms, found.sharedP50Ms].map((ms) => ms.toFixed(2)),
      String(found.wrong),
    ]),
  };
}

/** Rights that are taken away under circuits. */
export function accessEndingTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      'change',
      '#circuits',
      '#routers',
      '#answer ms',
      '#last told ms',
      '#circuits told',
      '#messages about sessions',
      '#CPU ms',
      '#main thread ms',
      '#longest pause ms',
      '#of its own ms',
      '#wrong',
    ),
    rows: results.accessEndings.map((found) => [
      found.title,
      grouped(found.circuits),
      String(found.routers),
      found.answerMs.toFixed(1),
      found.lastToldMs.toFixed(1),
      grouped(found.unroutes),
      grouped(found.sessionRemovals),
      found.serverCpu.cpuMs.toFixed(1),
      found.serverCpu.mainThreadMs.toFixed(1),
      found.pauses.longestMs.toFixed(1),
      found.pauses.longestOwnMs.toFixed(1),
      String(found.wrong),
    ]),
  };
}

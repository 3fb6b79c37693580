// The tables of routers in the report.

import type { BenchResults } from '../results.ts';
import { grouped } from './goal-line.ts';
import { bytesEach, forNothingEach, routersOf } from './router-goals.ts';
import { columns, type TextTable } from './table.ts';
import { foreignShareMax, latencyCells, percent } from './tables.ts';

/** How the figures of the fleet are measured. */
export const fleetText = [
  'A controller starts again on its home, and all routers dial within a second, as routers do that',
  'have waited for it. Each has a time of 5 s for connection, TLS with its client certificate and',
  'hello. An attempt that does not end in an accepted hello was for nothing; the next ones follow',
  'after 2 s, 4 s, 8 s and so on, as stock routers pause after a lost connection, or after 1 s, 2 s,',
  '4 s, the back-off of earlier figures. A router is synced when it has received all API sessions of',
  'its class. Other clients request their session over kept-alive connections meanwhile, which is',
  'part of the controller’s CPU. The simulated routers are a program in Go on the same cores, which',
  'needs its part of the CPU. With the stock back-off, it offers the key exchange that Go prefers, as',
  'stock routers do; else X25519 alone. Other work is what everything else on the machine used. At rest they send heartbeats, and metrics every minute.',
  'Memory is the growth of the controller’s resident memory from before their return to the end of',
  'the rest.',
].join('\n');

/** Fleets after a restart, and at rest. */
export function fleetTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      '#routers',
      'back-off',
      'key exchange',
      '#API sessions each',
      '#last hello s',
      '#synced p50 s',
      '#all synced s',
      '#attempts for nothing each',
      '#lost',
      '#CPU ms a router to hello',
      '#to sync',
      '#of the fleet',
      '#against the controller',
      '#other work',
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
      found.backOff,
      found.keyExchange,
      grouped(found.apiSessionsEach),
      (found.lastHelloMs / 1000).toFixed(1),
      (found.syncedMs.p50 / 1000).toFixed(1),
      (found.allSyncedMs / 1000).toFixed(1),
      forNothingEach(found).toFixed(2),
      grouped(found.lost),
      ...[found.helloCpu.serverMs, found.syncCpu.serverMs, found.syncCpu.fleetMs].map((ms) =>
        (ms / routersOf(found)).toFixed(2),
      ),
      (found.syncCpu.fleetMs / found.syncCpu.serverMs).toFixed(2),
      otherWork(found.foreignShare),
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

/** The share of other work; the times of a run that was disturbed say little. */
function otherWork(share: number): string {
  return share > foreignShareMax ? `${percent(share)}: disturbed` : percent(share);
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

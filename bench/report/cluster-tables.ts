// The tables of a cluster in the report.

import type { Ratio } from '../cluster/single-node.ts';
import { medianOf } from '../compare.ts';
import type { BenchResults } from '../results.ts';
import { quantileOf } from './cluster-goals.ts';
import { grouped } from './goal-line.ts';
import { columns, type TextTable } from './table.ts';

/** How the figures of takeovers are measured. */
export const takeoverText = [
  'Three NATS servers (three replicas, `sync_interval: always`) and three nodes run on this one',
  'machine. Three clients, one at each node, create identities, one every 20 ms. A client that has',
  'no answer tries the same write again after 50 ms, and at the next address if its own took no',
  'connection. Then the process of the leader gets SIGKILL; or it and the NATS server that leads the',
  'stream, at once, which stand for a machine; or the leader is told to step down. A write counts as',
  'the first answered one if the attempt that was answered began after the fault. "First" is the client',
  'that was answered first in its round, "last" the one that was answered last; the goal is about the',
  'last. The pause is the longest time in which a client had no answer. After each round, what was',
  'ended is started again, all nodes have to be well, and all answered writes are looked for. Idle',
  'clients are connected to the nodes that live and have had an answer of the leader. The cluster has',
  '100,000 identities and 1,000,000 sessions.',
].join('\n');

/** Takeovers by what caused them. */
export function takeoverTable({ takeovers }: BenchResults): TextTable {
  return {
    columns: columns(
      'fault',
      '#rounds',
      '#first p50 s',
      '#last p50 s',
      '#p90 s',
      '#p99 s',
      '#max s',
      '#pause p50 s',
      '#max s',
      '#answered writes',
      '#lost',
      '#twice',
      '#idle clients',
      '#closed',
      '#wrong',
    ),
    rows: takeovers.map((found) => [
      found.fault,
      String(found.rounds),
      // After a step-down has begun, the old leader still answers what came before.
      ...(found.fault === 'step-down'
        ? ['–', '–', '–', '–', '–']
        : [...secondsAt(found.firstMs, [0.5]), ...secondsAt(found.lastMs, [0.5, 0.9, 0.99, 1])]),
      ...secondsAt(found.pauseMs, [0.5, 1]),
      grouped(found.acknowledged),
      String(found.lost),
      String(found.doubled),
      grouped(found.idle),
      String(found.idleClosed),
      String(found.wrong),
    ]),
  };
}

/** How the loads are measured. */
export const clusterLoadText = [
  'Session creates arrive over 64 connections in open loops, in turns at one node without a cluster and',
  'at the leader of three nodes, at the same rate: 60% of what the slower of the two reached in a',
  'closed loop, as three NATS servers, three nodes and the clients share the machine’s cores. CPU is that',
  'of the controller’s process, all threads; that of followers and of NATS servers is listed apart.',
  'A follower’s lag is measured in further runs of the same load. A probe writes an identity at the',
  'leader; when its answer has arrived, the leader is asked for its last confirmed frame, and the',
  'follower for the last frame that its main thread has applied, until this is as new. So the lag',
  'contains two messages over NATS and the waits of the bench for a core; it is an upper bound.',
].join('\n');

/** Session creates on a leader and on one node. */
export function clusterCreateTable({ clusterCreates }: BenchResults): TextTable {
  return {
    columns: columns(
      '#connections',
      '#turns',
      '#reached/s, one node',
      '#leader',
      '#rate/s',
      '#CPU µs, one node',
      '#leader',
      '#ratio',
      '#least',
      '#greatest',
      '#p50 ms, one node',
      '#leader',
      '#p99 ms, one node',
      '#leader',
      '#CPU µs of a follower',
      '#of all NATS servers',
      '#wrong',
    ),
    rows: clusterCreates.map((found) => [
      String(found.connections),
      String(found.leaderMicros.length),
      ...[found.aloneReached, found.clusterReached, found.rate].map(grouped),
      ...[found.aloneMicros, found.leaderMicros].map((all) => medianOf(all).toFixed(1)),
      ...[found.ratio, found.ratioMin, found.ratioMax].map((ratio) => ratio.toFixed(2)),
      ...[found.aloneP50Ms, found.leaderP50Ms, found.aloneP99Ms, found.leaderP99Ms].map((all) =>
        medianOf(all).toFixed(2),
      ),
      ...[found.followerMicros, found.natsMicros].map((micros) => micros.toFixed(1)),
      String(found.wrong),
    ]),
  };
}

/** The lag of followers. */
export function lagTable({ clusterCreates }: BenchResults): TextTable {
  return {
    columns: columns('lag of a follower', '#probes', '#p50 ms', '#p90 ms', '#p99 ms', '#max ms'),
    rows: clusterCreates.map(({ lags, lagMs: { p50, p90, p99, max } }) => [
      'behind the leader’s answer',
      grouped(lags),
      ...[p50, p90, p99, max].map((ms) => ms.toFixed(2)),
    ]),
  };
}

/** How logins are measured. */
export const frontLoginText = [
  'Logins by certificate arrive in open loops, each over a new connection, in turns at the leader’s own',
  'front and at a follower’s, at 60% of the rate that both reach. CPU is that of the leader’s process.',
].join('\n');

/** Logins through the leader's own front and a follower's. */
export function frontLoginTable({ frontLogins }: BenchResults): TextTable {
  return {
    columns: columns(
      '#connections',
      '#turns',
      '#reached/s, own front',
      '#follower’s',
      '#rate/s',
      '#CPU µs of the leader, own front',
      '#follower’s',
      '#ratio',
      '#least',
      '#greatest',
      '#CPU µs of the follower',
      '#p50 ms, own front',
      '#follower’s',
      '#wrong',
    ),
    rows: frontLogins.map((found) => [
      String(found.connections),
      String(found.ownMicros.length),
      ...[found.ownReached, found.relayedReached, found.rate].map(grouped),
      ...[found.ownMicros, found.relayedMicros].map((all) => medianOf(all).toFixed(1)),
      ...[found.ratio, found.ratioMin, found.ratioMax].map((ratio) => ratio.toFixed(2)),
      found.frontMicros.toFixed(1),
      ...[found.ownP50Ms, found.relayedP50Ms].map((ms) => ms.toFixed(2)),
      String(found.wrong),
    ]),
  };
}

/** How reads at followers are measured. */
export const frontReadText = [
  'Requests arrive in open loops, in turns at the leader’s own front, at a follower’s and at a node',
  'without a cluster, at 60% of the rate that all three reach. A follower answers reads itself, and',
  'sends session creates to the leader.',
].join('\n');

/** Reads through a follower. */
export function frontReadTable({ frontReads }: BenchResults): TextTable {
  return {
    columns: columns(
      'work',
      '#connections',
      '#turns',
      '#rate/s',
      '#CPU µs of the leader, own front',
      '#follower’s',
      '#ratio',
      '#CPU µs of the follower',
      '#of one node',
      '#ratio',
      '#p50 ms, own front',
      '#follower’s',
      '#wrong',
    ),
    rows: frontReads.map((found) => [
      found.work,
      String(found.connections),
      String(found.turns),
      grouped(found.rate),
      ...[found.ownMicros, found.relayedMicros].map((micros) => micros.toFixed(1)),
      (found.relayedMicros / found.ownMicros).toFixed(2),
      ...[found.frontMicros, found.aloneMicros].map((micros) => micros.toFixed(1)),
      (found.frontMicros / found.aloneMicros).toFixed(2),
      ...[found.ownP50Ms, found.frontP50Ms].map((ms) => ms.toFixed(2)),
      String(found.wrong),
    ]),
  };
}

/** Reads at a follower while the leader writes. */
export function readsUnderWritesTable({ readsUnderWrites }: BenchResults): TextTable {
  return {
    columns: columns(
      'under writes',
      '#turns',
      '#rate/s of each',
      '#p50 ms of a read',
      '#of the lag',
      '#wrong',
    ),
    rows: readsUnderWrites.map((found) => [
      'services list',
      String(found.turns),
      grouped(found.rate),
      ...[found.readP50Ms, found.lagP50Ms].map((ms) => ms.toFixed(2)),
      String(found.wrong),
    ]),
  };
}

/** How one node is compared. */
export const singleNodeText = [
  'One node without a cluster, of this revision and of the last one whose followers answered nothing,',
  'in closed loops, in turns. The control is a second process of that former revision, so its ratio',
  'shows how far two equal programs differ. The memory is that of the process after a start, with 1,000',
  'identities and as many services; it is started again for each turn.',
].join('\n');

/** One node of two revisions. */
export function singleNodeTable({ singleNodes }: BenchResults): TextTable {
  return {
    columns: columns(
      'work',
      'against',
      '#connections',
      '#turns',
      'figure',
      '#here',
      '#before',
      '#ratio',
      '#least',
      '#greatest',
      '#control',
      '#least',
      '#greatest',
      '#wrong',
    ),
    rows: singleNodes.map((found) => [
      found.work,
      found.against ?? 'itself',
      String(found.connections),
      String(found.here.length),
      found.figure,
      ...[found.here, found.before].map((all) => medianOf(all).toFixed(1)),
      ...ratioCells(found.ratio),
      ...ratioCells(found.control),
      String(found.wrong),
    ]),
  };
}

function ratioCells({ median, least, greatest }: Ratio): string[] {
  return [median, least, greatest].map((ratio) => ratio.toFixed(3));
}

function secondsAt(ms: readonly number[], shares: readonly number[]): string[] {
  return shares.map((share) => ((quantileOf(ms, share) ?? 0) / 1000).toFixed(2));
}

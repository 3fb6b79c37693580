// The goals of a cluster.

import type { ReadsUnderWritesMeasurement } from '../cluster/reads-under-writes.ts';
import type { SingleNodeMeasurement } from '../cluster/single-node.ts';
import { beforeReads, singleNodeWorks } from '../cluster/single-node.ts';
import type { TakeoverFault, TakeoverMeasurement } from '../cluster/takeover.ts';
import { medianOf } from '../compare.ts';
import type { BenchResults } from '../results.ts';
import { atMost, type GoalLine, grouped, millis, seconds, times } from './goal-line.ts';

/** The goals with the figures of a run. */
export function clusterGoals(results: BenchResults): GoalLine[] {
  return [
    ...takeovers(results),
    campaign(results),
    ...creates(results),
    logins(results),
    ...reads(results),
    readsUnderWrites(results),
    ...singleNodes(results),
  ];
}

/** The value that `share` (0 to 1) of all values do not exceed; undefined if there are none. */
export function quantileOf(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

function takeovers({ takeovers }: BenchResults): GoalLine[] {
  const of = (fault: TakeoverFault) => takeovers.find((found) => found.fault === fault);
  return [
    kill(`leader killed, ${full}`, 50, of('leader killed'), 5000),
    kill('machine with the leader and the NATS leader killed', 20, of('machine killed'), 12_000),
    stepDown(of('step-down')),
    closed(takeovers),
  ];
}

const full = '100,000 identities and 1,000,000 sessions';

/** Connections of idle clients of the nodes that live. */
function closed(takeovers: readonly TakeoverMeasurement[]): GoalLine {
  const found = takeovers.find(({ fault }) => fault === 'leader killed');
  const work = 'leader killed: connections of idle clients of the other nodes that close';
  return atMost(work, '–', found?.idleClosed, 0, (count) => grouped(count));
}

/** The client that was answered last counts, so the figure holds for each front. */
function kill(
  what: string,
  usual: number,
  found: TakeoverMeasurement | undefined,
  goalMs: number,
): GoalLine {
  const p99 = found && quantileOf(found.lastMs, 0.99);
  const work = `${what}: first answered write from any front, p99 of ${found?.rounds ?? usual}`;
  return atMost(work, '–', p99, goalMs, seconds);
}

function stepDown(found: TakeoverMeasurement | undefined): GoalLine {
  const longest = found && quantileOf(found.pauseMs, 0.99);
  const work = `clean step-down: longest time without an answer, p99 of ${found?.rounds ?? 20}`;
  return { ...atMost(work, '–', longest, 1000, seconds), reason: tunnelsReason };
}

const tunnelsReason =
  'a leader closes the tunnels of all clients before it resigns, here of 2,000; with 20 it takes 0.5 s';

/** Fewer rounds show too little. */
const campaignRounds = 200;

function campaign({ campaigns, takeovers }: BenchResults): GoalLine {
  const [found] = campaigns;
  const work = 'campaign of failures: answered writes lost or done twice; histories linearizable';
  const line = { work, goal: '0 in 200 rounds; all', rival: '–' };
  if (found === undefined) {
    // The table of a cluster says so; other runs have nothing to do with it.
    const measured = takeovers.length === 0 ? '' : 'not run here';
    return { ...line, measured, met: undefined };
  }
  const { rounds, acknowledged, lost, doubled, operations, isLinearizable } = found;
  const faults = lost + doubled;
  const histories = `${isLinearizable ? 'all' : 'NOT all'} ${grouped(operations)} operations`;
  return {
    ...line,
    measured: `${faults} of ${grouped(acknowledged)} in ${rounds} rounds; ${histories}`,
    met: faults === 0 && isLinearizable && rounds >= campaignRounds,
  };
}

function creates({ clusterCreates }: BenchResults): GoalLine[] {
  const [found] = clusterCreates;
  const work = 'session create on a leader against one node';
  const cpu = atMost(`${work}: CPU of our process`, '–', found?.ratio, 1.3, times);
  const both = found && [found.leaderMicros, found.aloneMicros].map((all) => millis(medianOf(all)));
  const added = found && found.addedP50Ms * 1000;
  const lag = found && found.lagMs.p99 * 1000;
  return [
    both === undefined ? cpu : { ...cpu, measured: `${cpu.measured} (${both.join(' against ')})` },
    {
      ...atMost(`${work}: p50 more`, '–', added, 3000, millis),
      reason: 'a change passes eight threads of five processes, which wait for two cores',
    },
    atMost('follower behind the leader’s answers under this load: p99', '–', lag, 50_000, millis),
  ];
}

function logins({ frontLogins }: BenchResults): GoalLine {
  const [found] = frontLogins;
  const work = 'login by certificate, a connection each, through a follower: CPU of the leader';
  return {
    ...atMost(`${work} against its own front`, '–', found?.ratio, 0.5, times),
    reason: 'the tunnel takes as much CPU of the leader as the login itself',
  };
}

function reads({ frontReads }: BenchResults): GoalLine[] {
  return frontReads.flatMap(({ work, ownMicros, relayedMicros, frontMicros, aloneMicros }) => {
    const ofLeader = relayedMicros / ownMicros;
    const leader = `${work} through a follower: CPU of the leader against its own front`;
    if (work === 'session create') return atMost(leader, '–', ofLeader, 1.0, times);
    const follower = `${work} at a follower: its CPU against one node`;
    return [
      { ...atMost(leader, '–', ofLeader, 0.1, times), reason: questionReason },
      atMost(follower, '–', frontMicros / aloneMicros, 1.15, times),
    ];
  });
}

const questionReason =
  'a question of the follower is a message over NATS, which costs the leader 0.2 ms and serves ten reads';

const writtenReason =
  'a read also waits for what is written and not confirmed, since another follower may show it already';

function readsUnderWrites({ readsUnderWrites: [found] }: BenchResults): GoalLine {
  const work = 'services list at a follower under 500 writes per second: p50';
  const measured = atMost(work, '–', found && found.readP50Ms * 1000, lagGoal(found), millis);
  const line = { ...measured, reason: writtenReason };
  return found === undefined ? { ...line, goal: 'lag p50 + 1 ms' } : line;
}

/** In µs: the follower's lag in the same run and 1 ms. */
function lagGoal(found: ReadsUnderWritesMeasurement | undefined): number {
  return ((found?.lagP50Ms ?? 0) + 1) * 1000;
}

function singleNodes({ singleNodes }: BenchResults): GoalLine[] {
  return singleNodeWorks.map((work) => {
    const found = singleNodes.find((one) => one.work === work && one.against !== undefined);
    const than = found?.against ?? beforeReads;
    const figure = work === 'memory' ? work : `${work}: CPU`;
    const subject = `one node without a cluster, ${figure} against ${than}`;
    const line = atMost(subject, '–', found?.ratio.median, 1.03, times);
    if (found === undefined) return line;
    return { ...line, measured: withControl(line, found), reason: noiseReason };
  });
}

const noiseReason = 'two processes of the former revision differ as much, see the control';

function withControl({ measured }: GoalLine, { control }: SingleNodeMeasurement): string {
  const [least, greatest] = [control.least, control.greatest].map((ratio) => ratio.toFixed(2));
  return `${measured} (control ${control.median.toFixed(2)}, ${least} to ${greatest})`;
}

// The scenes of a cluster: takeovers, session creates, logins and reads through followers, and one
// node without a cluster.

import { Lacking } from '../test/system/endings.ts';
import { measureClusterCreates } from './cluster/creates.ts';
import { measureFrontLogins } from './cluster/front-logins.ts';
import { measureFrontReads } from './cluster/front-reads.ts';
import { fillForTakeovers } from './cluster/full-stage.ts';
import type { LoadOptions } from './cluster/load.ts';
import { measureReadsUnderWrites } from './cluster/reads-under-writes.ts';
import { beforeReads, measureSingleNode } from './cluster/single-node.ts';
import { type ClusterStage, onClusterStage } from './cluster/stage.ts';
import { measureTakeovers } from './cluster/takeover.ts';
import type { HomeRun } from './local-homes.ts';
import type { BenchOptions } from './options.ts';
import { buildRevision } from './revision.ts';

/** Turns of each load unless the options say otherwise. */
const turnsUsual = 7;

/** Kills of leaders unless the options say otherwise. */
const killsUsual = 50;

/** For so many kills of a leader there are so many of a machine, and so many step-downs. */
const shareOfKills = 2 / 5;

/** Leaders and machines are killed, and leaders step down. */
export async function measureClusterTakeovers(run: HomeRun): Promise<void> {
  const { options, found, progress } = run;
  const kills = options.kills ?? (options.smoke ? 1 : killsUsual);
  const others = Math.ceil(kills * shareOfKills);
  const rounds = { 'leader killed': kills, 'machine killed': others, 'step-down': others };
  await onStage(run, 'takeovers of a cluster', async (stage) => {
    const { smoke } = options;
    progress(`  ${await fillForTakeovers(stage, smoke)} records`);
    const idleClients = smoke ? 10 : 1000;
    found.takeovers.push(...(await measureTakeovers(stage, { rounds, idleClients, progress })));
  });
}

/** Session creates on a leader and on one node, and the lag of the followers. */
export async function measureCreatesOfCluster(run: HomeRun): Promise<void> {
  const { found, progress } = run;
  await onStage(run, 'session creates in a cluster', async (stage) => {
    const made = await measureClusterCreates(stage, loadOptionsOf(run.options));
    found.clusterCreates.push(made);
    const { rate, ratio, addedP50Ms, lagMs } = made;
    progress(
      `  at ${rate.toFixed(0)}/s ${ratio.toFixed(2)} times the CPU, ` +
        `p50 +${addedP50Ms.toFixed(1)} ms, p99 of the lag ${lagMs.p99.toFixed(1)} ms`,
    );
  });
}

/** Logins through the leader's own front and through a follower's. */
export async function measureLoginsOfCluster(run: HomeRun): Promise<void> {
  const { found, progress } = run;
  await onStage(run, 'logins through followers', async (stage) => {
    const made = await measureFrontLogins(stage, loadOptionsOf(run.options));
    found.frontLogins.push(made);
    const { rate, ratio } = made;
    progress(`  at ${rate.toFixed(0)}/s ${ratio.toFixed(2)} times the CPU of the leader`);
  });
}

/** Reads and session creates through a follower. */
export async function measureReadsOfCluster(run: HomeRun): Promise<void> {
  const { found, progress } = run;
  await onStage(run, 'reads at followers', async (stage) => {
    for (const made of await measureFrontReads(stage, loadOptionsOf(run.options))) {
      found.frontReads.push(made);
      const { work, ownMicros, relayedMicros, frontMicros, aloneMicros } = made;
      const [ofLeader, ofFront] = [relayedMicros / ownMicros, frontMicros / aloneMicros];
      progress(
        `  ${work}: ${ofLeader.toFixed(2)} times the CPU of the leader, ` +
          `${ofFront.toFixed(2)} times that of one node`,
      );
    }
    const under = await measureReadsUnderWrites(stage, loadOptionsOf(run.options));
    found.readsUnderWrites.push(under);
    const { readP50Ms, lagP50Ms } = under;
    progress(`  under writes: p50 ${readP50Ms.toFixed(2)} ms, lag ${lagP50Ms.toFixed(2)} ms`);
  });
}

/** One node without a cluster against the revision before followers answered reads. */
export async function measureSingleNodes({
  options,
  found,
  progress,
  other,
}: HomeRun): Promise<void> {
  const { smoke } = options;
  // A smoke run builds no other revision.
  const built = smoke || other !== undefined ? undefined : buildRevision(beforeReads, progress);
  try {
    progress('one node against the revision before followers answered');
    const made = await measureSingleNode(loadOptionsOf(options), other ?? built);
    found.singleNodes.push(...made);
    for (const { work, ratio, control } of made) {
      const [here, again] = [ratio, control].map(({ median }) => median.toFixed(2));
      progress(`  ${work}: ${here} times, ${again} in the control run`);
    }
  } finally {
    built?.remove();
  }
}

function loadOptionsOf({ smoke, turns, measureMs }: BenchOptions): LoadOptions {
  return { smoke, turns: turns ?? (smoke ? 1 : turnsUsual), measureMs };
}

/** Says what is left out where there are no NATS servers. */
async function onStage(
  { found, progress }: HomeRun,
  title: string,
  play: (stage: ClusterStage) => Promise<void>,
): Promise<void> {
  progress(title);
  try {
    await onClusterStage(play);
  } catch (thrown) {
    if (!(thrown instanceof Lacking)) throw thrown;
    found.leftOut.push(`Not measured: ${title}, because ${thrown.message}.`);
  }
}

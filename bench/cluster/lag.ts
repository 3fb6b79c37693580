// How far followers are behind the answers of the leader, as a client could notice it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from '../../src/cluster/membership.ts';
import { NatsLink } from '../../src/cluster/nats/link.ts';
import { NatsMembers } from '../../src/cluster/nats/members.ts';
import { NatsPositions } from '../../src/cluster/nats/positions.ts';
import type { AskMember } from '../../src/cluster/node/candidate.ts';
import { sharedClock } from '../../src/platform/clock-and-random.ts';
import { Client, management } from '../../test/system/client.ts';
import { Histogram } from '../load/histogram.ts';
import { type ClusterStage, dataSetOf } from './stage.ts';

/** Between two probes. */
const pauseMs = 20;

/** The cluster whose lag is measured, and how. */
export interface LagOptions {
  readonly stage: ClusterStage;
  readonly leader: number;
  /** Of an API session of an administrator. */
  readonly token: string;
  /** The names of the identities that the probes create begin with it. */
  readonly prefix: string;
}

/** The lag of all followers, and what went wrong. */
export interface Lag {
  readonly histogram: Histogram;
  readonly wrongs: readonly string[];
}

/**
 * Probes until `load` has ended. A probe writes an identity at the leader. When the answer has
 * arrived, it asks the leader for its last confirmed frame, and each follower again and again for
 * the last frame that it has applied, until this is as new. Lag is the time from the answer of the
 * write to that answer. So it is an upper bound: it contains two messages over NATS, the frames
 * that the leader confirmed meanwhile, and the waits of this process for a core.
 */
export async function lagWhile(options: LagOptions, load: Promise<unknown>): Promise<Lag> {
  const { stage, leader, token, prefix } = options;
  const { cluster, servers } = stage;
  const dataSet = dataSetOf(cluster);
  const link = new NatsLink(servers.access('node'), sharedClock, 'edge-control bench');
  const { url, ca } = cluster.serving(leader);
  const client = new Client(url, { ca }, 1);
  const histogram = new Histogram();
  const wrongs: string[] = [];
  let isOver = false;
  const over = load.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  try {
    const { ask } = new NatsPositions(link, dataSet, sharedClock);
    const sealing = readFileSync(join(cluster.home(leader), 'pki/sealing.key'), 'utf8');
    const sealingKey = Buffer.from(sealing.trim(), 'hex');
    const members = await new NatsMembers(link, dataSet, sealingKey).list();
    const leading = members.find(({ role }) => role === 'leading');
    const following = members.filter((member) => member !== leading);
    if (leading === undefined) throw new Error('no node leads');
    for (let number = 0; !isOver; number++) {
      const body = { name: `${prefix}-${number}`, type: 'Default', isAdmin: false };
      const { status } = await client.call('POST', `${management}/identities`, { token, body });
      const answeredMs = performance.now();
      if (status !== 201) wrongs.push(`probe: status ${status}`);
      for (const lagMs of await lagsOf(ask, leading, following, answeredMs)) {
        histogram.record(lagMs);
      }
      await sleep(pauseMs);
    }
    await over;
    return { histogram, wrongs };
  } finally {
    await Promise.all([client.close(), link.close()]);
  }
}

async function lagsOf(
  ask: AskMember,
  leading: Member,
  following: readonly Member[],
  answeredMs: number,
): Promise<readonly number[]> {
  let wantedLsn: number | undefined;
  const wanted = ask(leading).then(({ lsn }) => {
    wantedLsn = lsn;
  });
  const lags = following.map(async (member) => {
    const seen: { readonly lsn: number; readonly atMs: number }[] = [];
    while (true) {
      const { lsn } = await ask(member);
      seen.push({ lsn, atMs: performance.now() });
      // A follower may have been asked before it is known how far the leader was.
      await (wantedLsn === undefined ? wanted : undefined);
      const least = wantedLsn ?? 0;
      const found = seen.find((one) => one.lsn >= least);
      if (found !== undefined) return found.atMs - answeredMs;
    }
  });
  return await Promise.all(lags);
}

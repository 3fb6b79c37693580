// What happens to a cluster in a round. Each fault is over when it resolves: everything that was
// ended runs again, and what was cut is whole.

import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import type { Dice } from '../dice.ts';
import { until } from '../nats/server.ts';
import type { Ended } from '../process.ts';
import { FullAccount } from './full-account.ts';
import { type CampaignNodes, indexes } from './nodes.ts';
import type { Cut } from './relay.ts';

/** Where a fault happens. */
export interface FaultField {
  readonly nodes: CampaignNodes;
  readonly dice: Dice;
}

/** Carries a fault out. @returns what was done, in a few words */
type Fault = (field: FaultField) => Promise<string>;

/** A stopped leader, or one that is cut off, is passed over after 3 s. */
const longMs = 8000;
/** Many stops, so that some come between the question of a read to the leader and its answer. */
const followerStops = 8;
const followerStopMsMax = 1500;
const followerRunsMsMax = 300;
/** A process that was killed comes back at once, or after a takeover. */
const backAfterMs = [0, 1000, 6000] as const;
const cuts: readonly Cut[] = ['refused', 'silent', 'unanswered'];

const allFaults = {
  'the leader is killed': async ({ nodes, dice }) => {
    const leader = await nodes.leader();
    await nodes.kill(leader);
    const ms = await backLater(dice);
    await nodes.back(leader);
    return `node ${leader}, back after ${ms} ms`;
  },
  'a follower is killed': async ({ nodes, dice }) => {
    const leader = await nodes.leader();
    const follower = dice.one(indexes.filter((index) => index !== leader)) ?? 0;
    await nodes.kill(follower);
    const ms = await backLater(dice);
    await nodes.back(follower);
    return `node ${follower}, back after ${ms} ms`;
  },
  'the NATS leader is killed': async ({ nodes, dice }) => {
    const server = await nodes.servers.awaitLeader(nodes.logStream);
    await server.kill();
    const ms = await backLater(dice);
    await nodes.serverBack(server);
    return `${server.name}, back after ${ms} ms`;
  },
  'machine by machine is killed': async (field) => {
    const first = field.dice.integer(0, 2);
    const step = field.dice.integer(1, 2);
    const done: string[] = [];
    for (const index of indexes) {
      if (index > 0) await field.nodes.well();
      done.push(await killMachine(field, (first + index * step) % 3));
    }
    return done.join('; ');
  },
  'the leader is stopped and resumed': async ({ nodes }) => {
    const leader = await nodes.leader();
    await stopFor(nodes, leader, longMs);
    return `node ${leader}`;
  },
  'a follower is stopped and resumed': async ({ nodes, dice }) => {
    const leader = await nodes.leader();
    const follower = dice.one(indexes.filter((index) => index !== leader)) ?? 0;
    const stops: number[] = [];
    while (stops.length < followerStops) {
      const ms = dice.integer(1, followerStopMsMax);
      await stopFor(nodes, follower, ms);
      stops.push(ms);
      await setTimeout(dice.integer(0, followerRunsMsMax));
    }
    return `node ${follower} for ${stops.join(', ')} ms`;
  },
  'the leader is cut off from NATS': (field) => cutOff(field, { nats: true, nodes: false }),
  'the leader is cut off from followers': (field) => cutOff(field, { nats: false, nodes: true }),
  'the leader is cut off from both': (field) => cutOff(field, { nats: true, nodes: true }),
  'everything is killed': async ({ nodes }) => {
    const { servers } = nodes;
    await Promise.all([
      ...indexes.map((index) => nodes.kill(index)),
      ...servers.all.map((server) => server.kill()),
    ]);
    await Promise.all([
      ...servers.all.map((server) => nodes.serverBack(server)),
      ...indexes.map((index) => nodes.back(index)),
    ]);
    return 'three nodes and three servers';
  },
  'the leader steps down': async ({ nodes }) => {
    let leader = 0;
    let ended: Promise<Ended> | undefined;
    // A node that another one has passed over refuses.
    await until('a leader steps down', async () => {
      leader = await nodes.leader();
      ({ ended } = nodes.serving(leader).process);
      const told = await nodes.cluster.run(leader, ['step-down'], 'node');
      assert.equal(told.code, 0, told.stderr);
      return true;
    });
    assert.equal((await ended)?.code, 3);
    return `node ${leader}`;
  },
  'the account is full': async ({ nodes }) => {
    const account = new FullAccount(nodes.servers);
    let bytes = await account.fill();
    try {
      const endMs = performance.now() + longMs;
      while (performance.now() < endMs) {
        bytes += await account.fillUp();
        await setTimeout(200);
      }
    } finally {
      await account.empty();
    }
    return `it took ${bytes} bytes`;
  },
} as const satisfies Readonly<Record<string, Fault>>;

/** The name of a fault. */
export type FaultName = keyof typeof allFaults;

/** All names. */
export const faultNames = Object.keys(allFaults) as readonly FaultName[];

/** Carries one out. @returns what was done */
export async function carryOut(name: FaultName, field: FaultField): Promise<string> {
  return await allFaults[name](field);
}

/** So many faults, chosen by the dice so that all come in turn. */
export function faultsInTurn(rounds: number, dice: Dice): FaultName[] {
  const chosen: FaultName[] = [];
  let left: FaultName[] = [];
  while (chosen.length < rounds) {
    if (left.length === 0) left = [...faultNames];
    const [next] = left.splice(dice.integer(0, left.length - 1), 1);
    if (next !== undefined) chosen.push(next);
  }
  return chosen;
}

async function stopFor(nodes: CampaignNodes, index: number, ms: number): Promise<void> {
  const { process } = nodes.serving(index);
  process.signal('SIGSTOP');
  try {
    await setTimeout(ms);
  } finally {
    process.signal('SIGCONT');
  }
}

/** Kills a node, and the NATS server beside it. */
async function killMachine({ nodes, dice }: FaultField, machine: number): Promise<string> {
  const leader = await nodes.leader();
  const server = nodes.servers.all[machine];
  assert.ok(server);
  const hasNatsLeader = (await nodes.servers.leaderOf(nodes.logStream)) === server;
  await Promise.all([nodes.kill(machine), server.kill()]);
  const ms = await backLater(dice);
  await Promise.all([nodes.serverBack(server), nodes.back(machine)]);
  const had = [machine === leader ? 'the leader' : 'a follower'];
  if (hasNatsLeader) had.push('the NATS leader');
  return `machine ${machine} with ${had.join(' and ')}, back after ${ms} ms`;
}

async function backLater(dice: Dice): Promise<number> {
  const ms = dice.one(backAfterMs) ?? 0;
  await setTimeout(ms);
  return ms;
}

async function cutOff(
  { nodes, dice }: FaultField,
  from: { readonly nats: boolean; readonly nodes: boolean },
): Promise<string> {
  const leader = await nodes.leader();
  const how = dice.one(cuts) ?? 'refused';
  if (from.nats) nodes.cutFromNats(leader, how);
  if (from.nodes) nodes.cutFromNodes(leader, how);
  try {
    await setTimeout(longMs);
  } finally {
    nodes.heal();
  }
  return `node ${leader}, connections are ${how}`;
}

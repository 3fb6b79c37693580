// Takeovers: the leader is killed, its machine is, or it steps down, and clients at all fronts
// write on. How long each of them waits for the next answer, and whether anything answered is lost.

import { setTimeout as sleep } from 'node:timers/promises';
import { logStream } from '../../src/cluster/nats/names.ts';
import { sendToOwnerSocket } from '../../src/http/server/owner-socket.ts';
import { Api, Client, logIn } from '../../test/system/client.ts';
import type { Progress } from '../findings.ts';
import { IdleClients } from './idle-clients.ts';
import { type ClusterStage, dataSetOf, rolesOf } from './stage.ts';
import { WritingClient } from './writing-client.ts';

/** The ways in which a leadership ends. */
export type TakeoverFault = 'leader killed' | 'machine killed' | 'step-down';

/** All rounds of one kind. Lists have one entry per round. */
export interface TakeoverMeasurement {
  readonly fault: TakeoverFault;
  readonly rounds: number;
  /**
   * From the fault to the first answered write that was begun after it, in ms: of the client that
   * was answered first, and of the one that was answered last.
   */
  readonly firstMs: readonly number[];
  readonly lastMs: readonly number[];
  /** The longest time in which one of the clients had no answer, in ms. */
  readonly pauseMs: readonly number[];
  /** Writes that were answered, and those of them that were not there afterwards, or twice. */
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** Clients of the nodes that lived, in all rounds, and how many of their connections closed. */
  readonly idle: number;
  readonly idleClosed: number;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
}

/** How takeovers are measured. */
export interface TakeoverOptions {
  /** How many rounds of each kind. */
  readonly rounds: Readonly<Record<TakeoverFault, number>>;
  /** Clients of each node that lives. */
  readonly idleClients: number;
  readonly progress: Progress;
}

/** The kill falls into all parts of the second between two heartbeats. */
const phaseMs = 373;
/** Clients go on for so long after a step-down, in which all pauses end. */
const afterStepDownMs = 1500;
/** For the answer to an order. */
const orderTimeoutMs = 30_000;
const wrongSamplesMax = 5;

/** Measures the rounds, kind by kind. The cluster is well before each of them. */
export async function measureTakeovers(
  stage: ClusterStage,
  { rounds, idleClients, progress }: TakeoverOptions,
): Promise<readonly TakeoverMeasurement[]> {
  const { token } = await administratorAt(stage);
  const found: TakeoverMeasurement[] = [];
  for (const fault of ['leader killed', 'machine killed', 'step-down'] as const) {
    const made: Round[] = [];
    while (made.length < rounds[fault]) {
      const round = await playRound(stage, fault, made.length, { token, idleClients });
      made.push(round);
      const { firstMs, lastMs, pauseMs, lost, idleClosed } = round;
      const times = [firstMs, lastMs, pauseMs].map((ms) => ms.toFixed(0)).join(', ');
      progress(
        `  ${fault} ${made.length}: first, last, pause ${times} ms, ` +
          `${lost} lost, ${idleClosed} closed`,
      );
    }
    found.push(measurementOf(fault, made));
  }
  return found;
}

interface Round {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly pauseMs: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  readonly idle: number;
  readonly idleClosed: number;
  readonly wrongs: readonly string[];
}

async function playRound(
  stage: ClusterStage,
  fault: TakeoverFault,
  number: number,
  { token, idleClients }: { readonly token: string; readonly idleClients: number },
): Promise<Round> {
  const { cluster } = stage;
  const { leader, followers } = await rolesOf(stage);
  const idle: IdleClients[] = [];
  for (const index of followers) {
    idle.push(await IdleClients.open(cluster.serving(index), idleClients));
  }
  const prefix = `${fault.replaceAll(' ', '-')}-${number}`;
  const clients = cluster.nodes.map(
    (_, first) =>
      new WritingClient({ nodes: cluster.nodes, first, token, prefix: `${prefix}-at-${first}` }),
  );
  const running = Promise.all(clients.map((client) => client.run()));
  const since = (atMs: number) => Promise.all(clients.map((client) => client.answeredSince(atMs)));
  await since(performance.now());
  await sleep((number * phaseMs) % 1000);
  const { end, comeBack } = await endingOf(stage, fault, leader);
  const atMs = performance.now();
  await end();
  const answeredMs = await since(atMs);
  if (fault === 'step-down') await sleep(afterStepDownMs);
  for (const client of clients) client.stop();
  await running;
  const idleClosed = idle.reduce((sum, { closed }) => sum + closed, 0);
  for (const each of idle) each.end();
  await comeBack();
  await cluster.well();
  const written = clients.flatMap(({ acknowledged }) => acknowledged);
  return {
    firstMs: Math.min(...answeredMs) - atMs,
    lastMs: Math.max(...answeredMs) - atMs,
    pauseMs: Math.max(...clients.map((client) => client.longestPauseSince(atMs))),
    ...(await audit(stage, prefix, token, written)),
    idle: idle.length * idleClients,
    idleClosed,
    wrongs: clients.flatMap(({ wrongs }) => wrongs),
  };
}

interface Ending {
  end(): Promise<unknown>;
  /** Starts again what was ended. */
  comeBack(): Promise<void>;
}

async function endingOf(
  { cluster, servers, supervisor }: ClusterStage,
  fault: TakeoverFault,
  leader: number,
): Promise<Ending> {
  const { process: node, home } = cluster.serving(leader);
  const restart = () => supervisor.start(leader);
  switch (fault) {
    case 'leader killed':
      return { end: () => node.kill(), comeBack: restart };
    case 'machine killed': {
      const server = await servers.awaitLeader(logStream(dataSetOf(cluster)));
      return {
        end: () => Promise.all([node.kill(), server.kill()]),
        comeBack: async () => {
          server.start();
          await server.ready();
          await restart();
        },
      };
    }
    case 'step-down': {
      const returned = supervisor.returned(leader);
      return {
        end: () => sendToOwnerSocket(home, { order: 'clusterStepDown' }, orderTimeoutMs),
        comeBack: () => returned,
      };
    }
  }
}

/** Looks for what was answered, at a node that followed or leads. */
async function audit(
  stage: ClusterStage,
  prefix: string,
  token: string,
  written: readonly string[],
): Promise<Pick<Round, 'acknowledged' | 'lost' | 'doubled'>> {
  const { url, ca } = stage.cluster.serving(0);
  const connection = new Client(url, { ca }, 1);
  try {
    const api = new Api(connection, token, '');
    const rows = await api.all('identities', `name contains "${prefix}-at-"`);
    const names = rows.map(({ name }) => String(name));
    const there = new Set(names);
    return {
      acknowledged: written.length,
      lost: written.filter((name) => !there.has(name)).length,
      doubled: names.length - there.size,
    };
  } finally {
    await connection.close();
  }
}

async function administratorAt({ cluster }: ClusterStage): Promise<Api> {
  const { url, ca } = cluster.serving(0);
  const connection = new Client(url, { ca }, 1);
  try {
    return await logIn(connection);
  } finally {
    await connection.close();
  }
}

function measurementOf(fault: TakeoverFault, rounds: readonly Round[]): TakeoverMeasurement {
  const sum = (read: (round: Round) => number) =>
    rounds.reduce((total, round) => total + read(round), 0);
  const wrongs = rounds.flatMap((round) => round.wrongs);
  const lost = sum((round) => round.lost);
  const doubled = sum((round) => round.doubled);
  return {
    fault,
    rounds: rounds.length,
    firstMs: rounds.map(({ firstMs }) => firstMs),
    lastMs: rounds.map(({ lastMs }) => lastMs),
    pauseMs: rounds.map(({ pauseMs }) => pauseMs),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    lost,
    doubled,
    idle: sum((round) => round.idle),
    idleClosed: sum((round) => round.idleClosed),
    wrong: wrongs.length + lost + doubled,
    wrongSamples: wrongs.slice(0, wrongSamplesMax),
  };
}

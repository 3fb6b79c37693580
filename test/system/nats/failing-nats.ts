// Checks of whole controllers whose NATS servers fail: what an operator sees, and that what the
// table of docs/cluster.md says to do helps.

import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { keyValueStream, logStream, membersBucket } from '../../../src/cluster/nats/names.ts';
import { temporaryDirectory } from '../endings.ts';
import { linesWith } from '../process.ts';
import { SmallDisk } from '../small-disk.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';
import { wipeStore } from './damage.ts';
import { Filler } from './filler.ts';
import { asked, moveLead } from './orders.ts';
import { type NatsServer, type NatsServers, startServers, until } from './server.ts';
import { look, Writes } from './writes.ts';

/** How long NATS is away: longer than lease, silence and time-outs of requests. */
const awayMs = process.env['NIGHTLY'] === undefined ? 8000 : 60_000;

/** For so long a server with room again is given the chance to turn JetStream on. */
const noJetStreamMs = 3000;

/** Room for the streams of a server, and for what is written meanwhile. */
const diskMebibytes = 48;

/** Waiting writes are answered early, so that a check need not wait for them. */
const configuration = { limits: { stalledWriteAnswerMs: 300 } };

/** What holds while NATS is full, away, or lets nobody in, or some of its disks fail. */
export const failingNatsChecks: readonly Check[] = [
  {
    name: 'failures: a full account, NATS away and back, a password that was replaced',
    body: async ({ endings }) => {
      const servers = await startServers(endings, {
        count: 1,
        isTls: true,
        accountBytesMax: 4_000_000,
      });
      const cluster = await Cluster.running({ servers, endings, count: 1, configuration }, 3);
      const writes = new Writes();
      await accountIsFull(cluster, servers, writes);
      await natsIsAway(cluster, servers, writes);
      await passwordIsReplaced(cluster, servers, writes);
    },
  },
  {
    name: 'failures: disks of NATS servers hang, and are full',
    body: async ({ endings }) => {
      const directory = temporaryDirectory(endings, 'edge-control-disks-');
      const disks: SmallDisk[] = [];
      for (let n = 0; n < 3; n++) {
        disks.push(await SmallDisk.mountFor(endings, directory, 'ext4', diskMebibytes));
      }
      const diskOf = (name: string) => disks[Number(name.slice(1)) - 1] ?? nothing();
      const storeOf = (name: string) => join(diskOf(name).path, 'store');
      const servers = await startServers(endings, { count: 3, isTls: true, storeOf });
      const cluster = await Cluster.running({ servers, endings, count: 3, configuration }, 2);
      const writes = new Writes();
      await disksHang(cluster, servers, diskOf, writes);
      await disksAreFull(cluster, servers, diskOf, writes);
    },
  },
  {
    name: 'failures: two NATS servers are killed, and one of them is replaced',
    body: async ({ endings }) => {
      const servers = await startServers(endings, { count: 3, isTls: true });
      const cluster = await Cluster.running({ servers, endings, count: 3, configuration }, 2);
      const writes = new Writes();
      const lost = await twoServersFail(cluster, servers, writes);
      await serverIsReplaced(cluster, servers, lost, writes);
    },
  },
];

/** Kills the server that leads the log and another one. @returns the one that stays away */
async function twoServersFail(
  cluster: Cluster,
  servers: NatsServers,
  writes: Writes,
): Promise<NatsServer> {
  const [first = nothing(), second = nothing()] = await byRank(cluster, servers);
  const leader = await cluster.leader();
  const apis = [await cluster.admin(0), await cluster.admin(1)];
  await writes.createAtLast(apis[0] ?? nothing());
  await Promise.all([first.kill(), second.kill()]);
  await isolated(cluster, leader, /./);
  for (const api of apis) {
    assert.equal(await look(api), 503);
    assert.equal((await writes.create(api)).status, 503);
  }
  second.start();
  await servesAgain(cluster, writes);
  await names(cluster, first);
  return first;
}

/** Replaces a server that has lost its disk, as docs/cluster.md says. */
async function serverIsReplaced(
  cluster: Cluster,
  servers: NatsServers,
  lost: NatsServer,
  writes: Writes,
): Promise<void> {
  const left = servers.all.filter((server) => server !== lost);
  await asked(servers, left, 'system', '$JS.API.SERVER.REMOVE', { peer: lost.name });
  wipeStore(lost);
  lost.rename('n4');
  lost.start();
  await lost.ready();
  const stream = logStream({ dataSetId: cluster.dataSetId, generation: 1 });
  await until('the stream has three current replicas', async () => {
    const text = await asked(servers, left, 'init', `$JS.API.STREAM.INFO.${stream}`, {});
    const { cluster: group } = JSON.parse(text) as StreamInfo;
    const others = group.replicas.filter(({ current, offline }) => current && offline !== true);
    const all = [group.leader, ...others.map(({ name }) => name)].sort();
    return String(all) === String(servers.all.map(({ name }) => name).sort());
  });
  await goesOn(cluster, writes);
}

/** The part of the answer to `STREAM.INFO` that is looked at. */
interface StreamInfo {
  readonly cluster: {
    readonly leader: string;
    readonly replicas: readonly {
      readonly name: string;
      readonly current: boolean;
      readonly offline?: boolean;
    }[];
  };
}

type DiskOf = (name: string) => SmallDisk;

/** The server that leads the log comes first. */
async function byRank(cluster: Cluster, servers: NatsServers): Promise<readonly NatsServer[]> {
  const dataSetId = readManifest(nodeDisk, cluster.home(0))?.dataSetId ?? '';
  const leader = await servers.awaitLeader(logStream({ dataSetId, generation: 1 }));
  return [leader, ...servers.all.filter((server) => server !== leader)];
}

async function disksHang(
  cluster: Cluster,
  servers: NatsServers,
  diskOf: DiskOf,
  writes: Writes,
): Promise<void> {
  const [first = nothing(), second = nothing()] = await byRank(cluster, servers);
  // Such a server gives up the lead of the log, and may keep that of the directory.
  const members = membersBucket({ dataSetId: cluster.dataSetId, generation: 1 });
  await moveLead(servers, keyValueStream(members), first);
  try {
    await diskOf(first.name).freeze();
    await writes.createAtLast(await cluster.admin(1));
    await names(cluster, first);
    const leader = await leading(cluster);
    const api = await cluster.admin(leader);
    await diskOf(second.name).freeze();
    assert.equal((await writes.create(api)).status, 503);
    await isolated(cluster, leader, /./);
  } finally {
    for (const server of [first, second]) await diskOf(server.name).thaw();
  }
  await goesOn(cluster, writes);
}

/** A server whose disk is full turns JetStream off, until it is started again. */
async function disksAreFull(
  cluster: Cluster,
  servers: NatsServers,
  diskOf: DiskOf,
  writes: Writes,
): Promise<void> {
  const [first = nothing(), second = nothing()] = await byRank(cluster, servers);
  diskOf(first.name).fill();
  for (let n = 0; n < 5; n++) await writes.createAtLast(await cluster.admin(1), 200_000);
  await names(cluster, first);
  const leader = await cluster.leader();
  const api = await cluster.admin(leader);
  diskOf(second.name).fill();
  await refused(cluster, leader, () => writes.create(api, 200_000));
  await isolated(cluster, leader, /./);
  for (const server of [first, second]) {
    await isWithoutJetStream(server);
    // Room alone changes nothing.
    diskOf(server.name).free();
    await setTimeout(noJetStreamMs);
    await isWithoutJetStream(server);
    await server.stop();
    server.start();
  }
  for (const server of servers.all) await server.ready();
  await goesOn(cluster, writes);
}

/** Waits until `healthz` of a server says that its JetStream is off. */
async function isWithoutJetStream({ monitoring, name }: NatsServer): Promise<void> {
  await until(`${name} says that JetStream is off`, async () => {
    const answer = await fetch(`${monitoring}/healthz`);
    return answer.status === 503 && /JetStream[^"]* not enabled/i.test(await answer.text());
  });
}

/** Waits until `status` says which server keeps nothing new. */
async function names(cluster: Cluster, { name }: NatsServer): Promise<void> {
  await until(`status names ${name}`, async () => {
    const { code, problems, stderr } = await cluster.status(0);
    const beginning = `NATS server ${name} keeps nothing of the log any more and is `;
    if (code === 1 && problems.some((text) => text.startsWith(beginning))) return true;
    throw new Error(`${code}: ${problems.join(' ')}${stderr}`);
  });
}

/** The node that leads, as it says itself: the directory may not answer. */
async function leading(cluster: Cluster): Promise<number> {
  let found = -1;
  await until('a node leads', async () => {
    const all = await Promise.all([cluster.health(0), cluster.health(1)]);
    found = all.findIndex(({ role }) => role === 'leading');
    return found >= 0;
  });
  return found;
}

function nothing(): never {
  throw new Error('it is not there');
}

async function accountIsFull(cluster: Cluster, servers: NatsServers, writes: Writes) {
  const leader = await cluster.leader();
  const api = await cluster.admin(leader);
  const filler = await Filler.open(servers);
  await filler.fill();
  await refused(cluster, leader, () => writes.create(api));
  await isolated(cluster, leader, /storage|resource|maximum/);
  assert.equal(await look(api), 503);
  await until('status names the account', async () => {
    const { code, problems } = await cluster.status(leader);
    assert.equal(code, 1);
    return problems.some((text) => /^The account at NATS keeps \d+ of \d+ bytes/.test(text));
  });
  await servers.all[0]?.reconfigure((text) => text.replace(/max_file: \d+/, 'max_file: 400000000'));
  await goesOn(cluster, writes);
}

async function natsIsAway(cluster: Cluster, servers: NatsServers, writes: Writes) {
  const leader = await cluster.leader();
  const api = await cluster.admin(leader);
  const { term } = await cluster.health(leader);
  await servers.all[0]?.kill();
  await isolated(cluster, leader, /./);
  assert.equal(await look(api), 503);
  assert.equal((await writes.create(api)).status, 503);
  const { code, stderr } = await cluster.status(leader);
  assert.equal(code, 1);
  assert.match(stderr, /^edge-control: The NATS servers cannot be asked: /);
  await setTimeout(awayMs);
  const others = [0, 1, 2].filter((index) => index !== leader);
  for (const index of others) assert.equal((await cluster.health(index)).role, 'following');
  servers.all[0]?.start();
  await servers.all[0]?.ready();
  await until('the leader goes on', async () => {
    return (await cluster.health(leader)).role === 'leading';
  });
  // Nobody else has led, and the API session of before still lasts.
  assert.equal((await cluster.health(leader)).term, term);
  assert.equal(await look(api), 200);
  await goesOn(cluster, writes);
}

async function passwordIsReplaced(cluster: Cluster, servers: NatsServers, writes: Writes) {
  const leader = await cluster.leader();
  await servers.all[0]?.reconfigure((text) => text.replace('password-of-node', 'another-one'));
  await isolated(cluster, leader, /Authorization/i);
  const { code, stderr } = await cluster.status(leader);
  assert.equal(code, 1);
  assert.match(stderr, /cannot be asked: .*Authorization/);
  cluster.replacePassword('node', 'another-one');
  await goesOn(cluster, writes);
}

/** Writes until a write is refused for want of room: a slow machine alone refuses some, too. */
async function refused(
  cluster: Cluster,
  leader: number,
  write: () => Promise<{ readonly status: number }>,
): Promise<void> {
  await until('a write is refused, and the leader is isolated', async () => {
    const { status } = await write();
    assert.ok([201, 429, 503].includes(status), `${status}`);
    return status === 503 && (await cluster.health(leader)).role === 'isolated';
  });
}

/** Waits until a leader has no contact, and looks at what it says of that. */
async function isolated(cluster: Cluster, leader: number, trouble: RegExp): Promise<void> {
  await until('the leader is isolated', async () => {
    return (await cluster.health(leader)).role === 'isolated';
  });
  const { status, state, failing } = await cluster.health(leader);
  assert.deepEqual([status, state], [503, 'recovering']);
  assert.match(failing.get('cluster') ?? '', /^the NATS servers do not answer, and nothing is/);
  assert.match(failing.get('cluster') ?? '', trouble);
  assert.equal(failing.get('storage'), undefined);
  const message =
    'the node has lost contact to the NATS servers and answers nothing until it is back';
  await until('the log says it', () =>
    linesWith(cluster.process(leader), message).some((line) =>
      trouble.test(String(line['trouble'] ?? '')),
    ),
  );
}

/** Waits until all is well again, with nobody's help, and looks at what was written. */
async function goesOn(cluster: Cluster, writes: Writes): Promise<void> {
  await until('all is well again', async () => {
    await cluster.revive();
    return (await cluster.status(0)).code === 0;
  });
  await servesAgain(cluster, writes);
}

/** Waits until a write is acknowledged, and looks at what was written. */
async function servesAgain(cluster: Cluster, writes: Writes): Promise<void> {
  await until('a node leads again', async () => {
    await cluster.revive();
    for (const index of cluster.nodes.keys()) {
      if ((await cluster.health(index)).role === 'leading') return true;
    }
    return false;
  });
  const api = await cluster.admin(0);
  await writes.createAtLast(api);
  await writes.lookUp(api);
}

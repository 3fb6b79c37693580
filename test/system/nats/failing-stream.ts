// Checks of whole controllers whose stream has lost messages, or has one that is wrong: they halt,
// say why, and go on after a reseed.

import { strict as assert } from 'node:assert';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { temporaryDirectory } from '../endings.ts';
import { linesWith } from '../process.ts';
import { type Check, open, type World } from './check.ts';
import { Cluster } from './cluster.ts';
import { type NatsServer, startServers, until } from './server.ts';
import { look, Writes } from './writes.ts';

const configuration = { limits: { stalledWriteAnswerMs: 300 } };

/** What holds while the stream is not what it was. */
export const failingStreamChecks: readonly Check[] = [
  {
    name: 'failures: the stream has lost messages, then it has one that is wrong',
    body: async (world) => {
      const { endings } = world;
      const store = join(temporaryDirectory(endings, 'edge-control-store-'), 'store');
      mkdirSync(store);
      const wanted = { count: 1, isTls: true, storeOf: () => store } as const;
      const servers = await startServers(endings, wanted);
      const [server] = servers.all;
      assert.ok(server);
      const cluster = await Cluster.running({ servers, endings, count: 1, configuration }, 2);
      const writes = new Writes();
      await lostMessages(cluster, server, store, writes);
      await wrongMessage(cluster, { ...world, servers });
    },
  },
];

async function lostMessages(cluster: Cluster, server: NatsServer, store: string, writes: Writes) {
  const leader = await cluster.leader();
  const older = `${store}-older`;
  await server.stop();
  cpSync(store, older, { recursive: true });
  await started(server);
  const api = await cluster.admin(leader);
  for (let n = 0; n < 3; n++) await writes.createAtLast(api);
  await server.stop();
  rmSync(store, { recursive: true });
  cpSync(older, store, { recursive: true });
  await started(server);
  await halted(cluster, /the stream ends/);
  assert.equal(await look(api), 503);
  const { code, problems } = await cluster.status(0);
  assert.equal(code, 1);
  assert.ok(
    problems.some((text) =>
      /^No node may lead until a reseed: node \w+ has halted .*: the stream ends/.test(text),
    ),
  );
  await reseeded(cluster);
  await writes.lookUp(await cluster.admin(1));
  await writes.createAtLast(await cluster.admin(1));
}

/** Stops all, begins a new stream with the records of the home that has most, and starts all. */
async function reseeded(cluster: Cluster): Promise<void> {
  const early = await cluster.run(0, ['reseed', '--yes'], 'init');
  assert.equal(early.code, 2);
  for (const index of [0, 1]) await cluster.process(index).stop();
  let most = 0;
  await until('a reseed says what it would do', async () => {
    const { code, stdout, stderr } = await cluster.run(most, ['reseed'], 'init');
    if (/has more than this node/.test(stderr)) most = 1 - most;
    return code === 1 && /confirm it with --yes/.test(stdout);
  });
  const done = await cluster.run(most, ['reseed', '--yes'], 'init');
  assert.equal(done.code, 0, done.stderr);
  for (const index of [most, 1 - most]) await cluster.start(index);
  await cluster.well(2);
  assert.ok(existsSync(join(cluster.home(1 - most), 'aside')));
}

/** A message that was sent again, as somebody may who can write to the subject. */
async function wrongMessage(cluster: Cluster, world: World): Promise<void> {
  const dataSetId = readManifest(nodeDisk, cluster.home(0))?.dataSetId ?? '';
  const { stream } = open({ ...world, dataSetId, generation: 2 }, world.servers.access('node'));
  const { last } = await stream.state();
  const sent = await stream.read(last);
  assert.ok(sent);
  await until('the message is in the stream', async () => {
    const { last: before } = await stream.state();
    return (await stream.publish(sent, before)).outcome === 'acknowledged';
  });
  await halted(cluster, /message \d+ .*MAC/);
}

/** Waits until both nodes are halted, and looks at what they say of that. */
async function halted(cluster: Cluster, trouble: RegExp): Promise<void> {
  for (const index of [0, 1]) {
    await until(`node ${index} is halted`, async () => {
      return (await cluster.health(index)).role === 'halted';
    });
    const { status, state, failing } = await cluster.health(index);
    assert.deepEqual([status, state], [503, 'failed']);
    assert.match(
      failing.get('cluster') ?? '',
      /^the node is halted and serves nothing \(.*\): see/,
    );
    assert.match(failing.get('cluster') ?? '', trouble);
    const message = 'this node is halted and serves nothing: an operator has to look';
    await until(`the log of node ${index} says why`, () => {
      const [line] = linesWith(cluster.process(index), message);
      return trouble.test(String(line?.['reason']));
    });
    const sentence = new RegExp(`^${cluster.nodeId(index)} is halted: `);
    await until(`status says that node ${index} is halted`, async () => {
      const { code, problems } = await cluster.status(index);
      return code === 1 && problems.some((text) => sentence.test(text) && trouble.test(text));
    });
  }
}

async function started(server: NatsServer): Promise<void> {
  server.start();
  await server.ready();
}

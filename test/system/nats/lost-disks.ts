// Checks of whole controllers whose NATS servers lose their disks: what the homes of the nodes keep
// is all there is, and a reseed begins with it.

import { strict as assert } from 'node:assert';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';
import { wipeStore } from './damage.ts';
import { type NatsServers, startServers, until } from './server.ts';
import { look, Writes } from './writes.ts';

const configuration = { limits: { stalledWriteAnswerMs: 300 } };
const indexes = [0, 1] as const;

/** Checks of a cluster whose servers keep nothing any more. */
export const lostDiskChecks: readonly Check[] = [
  {
    name: 'failures: the disks of two NATS servers are destroyed, then those of all',
    body: async ({ endings }) => {
      const servers = await startServers(endings, { count: 3, isTls: true });
      const cluster = await Cluster.running({ servers, endings, count: 3, configuration }, 2);
      const writes = new Writes();
      for (const destroyed of [2, 3]) {
        await writes.createAtLast(await cluster.admin(0));
        await disksAreDestroyed(cluster, servers, destroyed);
        await begunAnew(cluster);
        await writes.lookUp(await cluster.admin(1));
      }
      await writes.createAtLast(await cluster.admin(1));
    },
  },
];

/**
 * Destroys the disks of so many servers. The servers that are left are no majority, so all of them
 * are started again with empty disks.
 */
async function disksAreDestroyed(
  cluster: Cluster,
  servers: NatsServers,
  count: number,
): Promise<void> {
  const leader = await cluster.leader();
  const api = await cluster.admin(leader);
  for (const server of servers.all.slice(0, count)) {
    await server.kill();
    wipeStore(server);
  }
  await until('the leader is isolated', async () => {
    return (await cluster.health(leader)).role === 'isolated';
  });
  assert.equal(await look(api), 503);
  await Promise.all(indexes.map((index) => cluster.process(index).stop()));
  for (const server of servers.all) {
    await server.stop();
    wipeStore(server);
    server.start();
  }
  for (const server of servers.all) await server.ready();
}

/** Makes a new stream from the home that has most, which only the operator can find out. */
async function begunAnew(cluster: Cluster): Promise<void> {
  const lsns: number[] = [];
  for (const index of indexes) {
    const { code, stdout, stderr } = await cluster.run(index, ['reseed'], 'init');
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^others +not known: the NATS servers have no stream/m);
    lsns.push(Number(/^this node .* LSN (\d+)$/m.exec(stdout)?.[1]));
  }
  const most = lsns.indexOf(Math.max(...lsns));
  const done = await cluster.run(most, ['reseed', '--yes'], 'init');
  assert.equal(done.code, 0, done.stdout + done.stderr);
  for (const index of [most, 1 - most]) await cluster.start(index);
  await cluster.well(2);
}

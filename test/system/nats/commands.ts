// Checks of the commands of a cluster, on one real server: homes on a real disk.

import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { readMembership } from '../../../snapshots/home/membership.ts';
import { openHome } from '../../../snapshots/home/open.ts';
import { NatsClusterAccess } from '../../../src/cluster/nats/access.ts';
import type { ClusterCommand } from '../../../src/commands/cluster/command.ts';
import { newestStream } from '../../../src/commands/cluster/command.ts';
import { DiskHome } from '../../../src/commands/cluster/disk-home.ts';
import { joinCluster } from '../../../src/commands/cluster/join.ts';
import { leaveCluster } from '../../../src/commands/cluster/leave.ts';
import { readFacts, reportOf } from '../../../src/commands/cluster/report.ts';
import { initCluster, reseedCluster } from '../../../src/commands/cluster/seed.ts';
import { openAuthority } from '../../../src/pki/authority/authority.ts';
import { systemClock, systemRandom } from '../../../src/platform/clock-and-random.ts';
import { createFetch } from '../../../src/platform/fetch.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { temporaryDirectory } from '../endings.ts';
import { type Check, message, type World } from './check.ts';

/** A command on the home in `directory`, with the credential of `init` or of a node. */
function commandOn(
  world: World,
  home: string,
  user: 'init' | 'node',
): ClusterCommand & {
  readonly said: string[];
} {
  const config = loadConfig({
    flags: {
      home,
      clusterServers: '127.0.0.1:4222',
      clusterListen: '127.0.0.1:1290',
      clusterReplicas: '1',
    },
    environment: {},
    directory: '/',
    cores: 1,
    readFile: () => '{}',
  });
  if (config.cluster === undefined) throw new Error('no cluster is configured');
  const parts = { clock: systemClock, random: systemRandom, disk: nodeDisk };
  const access = new NatsClusterAccess(world.servers.access(user), {
    replicas: 1,
    monitoring: [],
    fetch: createFetch({ clock: systemClock }),
    ...parts,
  });
  world.endings.teardown(() => access.close());
  const said: string[] = [];
  const [version, formats] = ['1.0.0', { log: 2 }];
  const self = { version, formats, settingsHash: '' };
  return {
    build: { version, reads: formats, writes: formats },
    cluster: config.cluster,
    access,
    home: new DiskHome({ ...parts, config }),
    clock: systemClock,
    random: systemRandom,
    self: { ...self, advertised: 'localhost:1280', internal: '127.0.0.1:1290' },
    said,
    out: (line) => void said.push(line),
    err: (line) => void said.push(line),
  };
}

/** A home that stands alone, with keys. @returns its data set */
async function aloneAt(home: string): Promise<string> {
  const { journal } = await openHome({
    home,
    disk: nodeDisk,
    clock: systemClock,
    level: 'disk',
    writer: 'inline',
    newDataSetId: randomBytes(16).toString('hex'),
    segmentBytes: 8 * 1024 * 1024,
    frameBytesMax: 1024 * 1024,
    pendingBytesMax: 4 * 1024 * 1024,
    snapshotsKept: 2,
    load: () => undefined,
  });
  await journal.writeSnapshot([
    { kind: 'identity', id: 'one', lsn: 0, version: 1, values: [0, 0] },
  ]);
  await journal.close();
  const directory = join(home, 'pki');
  mkdirSync(directory, { recursive: true });
  const parts = { disk: nodeDisk, clock: systemClock, random: systemRandom };
  await openAuthority({ ...parts, directory, host: 'localhost', settings: { keyType: 'ec-p256' } });
  writeFileSync(join(directory, 'sealing.key'), `${randomBytes(32).toString('hex')}\n`);
  return readManifest(nodeDisk, home)?.dataSetId ?? '';
}

/** What the commands promise of NATS. */
export const commandChecks: readonly Check[] = [
  {
    name: 'commands make a cluster, let a node join and leave, and reseed it',
    body: async (world) => {
      const base = temporaryDirectory(world.endings, 'edge-commands-');
      const [one, two] = [join(base, 'one'), join(base, 'two')];
      const dataSetId = await aloneAt(one);
      const init = commandOn(world, one, 'init');
      await initCluster(init);
      const member = readMembership(nodeDisk, one);
      assert.equal(member?.generation, 1);

      const joining = commandOn(world, two, 'node');
      await joinCluster(joining, { pki: join(one, 'pki'), dataSetId });
      assert.equal(readManifest(nodeDisk, two)?.dataSetId, dataSetId);
      assert.equal(readManifest(nodeDisk, two)?.snapshots[0]?.records, 1);

      const open = await newestStream(commandOn(world, one, 'node'), dataSetId);
      const facts = await readFacts(open, { dataSetId, generation: 1, atMs: Date.now() });
      assert.equal(facts.members.length, 2);
      const [nobody, ...recovering] = reportOf(facts, {
        clockSkewMs: 500,
        snapshotAgeMs: 3_600_000,
      }).problems;
      assert.equal(nobody, 'No node leads: nothing is served.');
      assert.equal(recovering.length, 2);
      for (const problem of recovering) assert.match(problem, /^\w+ is recovering, /);

      await leaveCluster(commandOn(world, two, 'node'));
      assert.equal((await open.members.list()).length, 1);

      const reseed = commandOn(world, one, 'init');
      assert.ok(await reseedCluster(reseed, { isConfirmed: true, force: false }));
      assert.equal(readMembership(nodeDisk, one)?.generation, 2);
      const late = await open.stream.publish(message('late'), (await open.stream.state()).last);
      assert.equal(late.outcome, 'unknown', 'a node that was cut off confirms nothing');
      assert.match(late.outcome === 'unknown' ? late.reason : '', /sealed/);
      assert.equal((await open.stream.state()).last, 0);
      const streams = await init.access.streams();
      const own = streams.filter((name) => name.dataSetId === dataSetId);
      assert.deepEqual(
        own.map(({ generation }) => generation),
        [2, 1],
      );
    },
  },
  {
    name: 'a command without the right to make streams leaves the home as it is',
    body: async (world) => {
      const home = join(temporaryDirectory(world.endings, 'edge-commands-'), 'home');
      await aloneAt(home);
      await assert.rejects(initCluster(commandOn(world, home, 'node')), {
        name: 'StreamUnreachable',
      });
      assert.equal(readMembership(nodeDisk, home), undefined);
      await initCluster(commandOn(world, home, 'init'));
      assert.equal(readMembership(nodeDisk, home)?.generation, 1);
    },
  },
];

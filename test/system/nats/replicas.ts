// Checks of the copies of the streams, on three real servers of which one is lost and replaced.

import { strict as assert } from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { NatsClusterAccess } from '../../../src/cluster/nats/access.ts';
import { createFetch } from '../../../src/fetch.ts';
import { systemClock, systemRandom } from '../../../src/system.ts';
import { type Check, created, dataSetOf, type World } from './check.ts';
import { type NatsServer, until } from './server.ts';

/** What `status` says of the copies. */
export const replicaChecks: readonly Check[] = [
  {
    name: 'copies: a server that is lost, removed and replaced',
    body: async (world) => {
      await created(world);
      const [first, , lost] = world.servers.all;
      assert.ok(first && lost);
      const access = accessOf(world);
      await assert.rejects(access.create({ ...dataSetOf(world), generation: 99 }, 5), {
        name: 'StartProblem',
        message: /^cluster\.replicas is 5, and NATS has no place .*: start 5 NATS servers/,
      });
      const { faults } = await access.open(dataSetOf(world), 'ab'.repeat(32));
      const saysOnly = async (...wanted: readonly RegExp[]): Promise<boolean> => {
        const said = await faults();
        return said.length === wanted.length && said.every((text, at) => wanted[at]?.test(text));
      };
      await until('all is well', () => saysOnly());
      await lost.kill();
      await until('the server is named', () =>
        saysOnly(/^NATS server n3 keeps nothing of the log/),
      );
      await removePeer(world, first, 'n3');
      await until('the copies that lack are named', () =>
        saysOnly(/^Only 2 of 3 NATS servers \(n1, n2\) keep the log and .* and the snapshots: /),
      );
      const configuration = join(lost.home, 'nats.conf');
      const text = readFileSync(configuration, 'utf8');
      writeFileSync(
        configuration,
        text
          .replace('server_name: n3', 'server_name: n4')
          .replace(/store_dir: "[^"]*/, (store) => `${store}/new`),
      );
      lost.start();
      await lost.ready();
      await until('all is well again', () => saysOnly());
    },
  },
];

function accessOf({ servers, endings }: World): NatsClusterAccess {
  const access = new NatsClusterAccess(servers.access('init'), {
    clock: systemClock,
    random: systemRandom,
    disk: nodeDisk,
    fetch: createFetch({ clock: systemClock }),
    monitoring: [],
    replicas: 3,
  });
  endings.teardown(() => access.close());
  return access;
}

/** Removes a server from the cluster of NATS, as `nats server cluster peer-remove` does. */
async function removePeer({ servers }: World, asked: NatsServer, peer: string): Promise<void> {
  const { tls } = servers.access('init', [asked]);
  const connection = await connect({
    servers: `127.0.0.1:${asked.port}`,
    user: 'system',
    pass: 'system',
    tls: tls?.() ?? null,
  });
  try {
    const subject = '$JS.API.SERVER.REMOVE';
    const answer = await connection.request(subject, JSON.stringify({ peer }), { timeout: 10_000 });
    assert.match(answer.string(), /"success":true/);
  } finally {
    await connection.close();
  }
}

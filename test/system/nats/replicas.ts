// Checks of the copies of the streams, on three real servers of which one is lost and replaced.

import { strict as assert } from 'node:assert';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { NatsClusterAccess } from '../../../src/cluster/nats/access.ts';
import { systemClock, systemRandom } from '../../../src/platform/clock-and-random.ts';
import { createFetch } from '../../../src/platform/fetch.ts';
import { type Check, created, dataSetOf, type World } from './check.ts';
import { wipeStore } from './damage.ts';
import { asked } from './orders.ts';
import { until } from './server.ts';

/** Checks of the sentences about copies in `status`. */
export const replicaChecks: readonly Check[] = [
  {
    name: 'copies: a server that is lost, removed and replaced',
    body: async (world) => {
      await created(world);
      const [, , lost] = world.servers.all;
      assert.ok(lost);
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
      const left = world.servers.all.filter((server) => server !== lost);
      await asked(world.servers, left, 'system', '$JS.API.SERVER.REMOVE', { peer: 'n3' });
      await until('the copies that lack are named', () =>
        saysOnly(/^Only 2 of 3 NATS servers \(n1, n2\) keep the log and .* and the snapshots: /),
      );
      wipeStore(lost);
      lost.rename('n4');
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

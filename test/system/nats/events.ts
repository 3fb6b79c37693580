// Checks of events at NATS: those of frames arrive although leaders are killed.

import { strict as assert } from 'node:assert';
import { NatsLink } from '../../../src/cluster/nats/link.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { isNightly } from '../../campaigns.ts';
import { type Api, management } from '../client.ts';
import type { Check, World } from './check.ts';
import { Cluster } from './cluster.ts';
import { until } from './server.ts';

/** How often a leader is killed: `TRIES` says, else what this run is for. */
const triesMax = Number(process.env['TRIES'] ?? (isNightly ? 20 : 1));

const prefix = 'edge-control.events';

/** What events at NATS promise. */
export const eventChecks: readonly Check[] = [
  {
    name: 'events: none of a frame is lost at NATS while leaders are killed',
    body: async (world) => {
      const link = new NatsLink(world.servers.access('init'), systemClock, 'check');
      world.endings.teardown(() => link.close());
      const { api } = await link.connected();
      const name = 'EVENTS';
      await api.streams.add({ name, subjects: [`${prefix}.>`], num_replicas: world.count });
      const cluster = await clusterWithEvents(world);
      const made: string[] = [];
      for (let round = 0; round < triesMax; round++) {
        const leader = await cluster.leader();
        const other = await cluster.admin((leader + 1) % 3);
        for (let n = 0; n < 20; n++) made.push(await create(other, `before-${round}-${n}`));
        await cluster.process(leader).kill();
        for (let n = 0; n < 5; n++) made.push(await create(other, `after-${round}-${n}`));
        await cluster.start(leader);
        await cluster.well();
      }
      const told = new Set<string>();
      await until('all events are in the stream', async () => {
        for (const event of await eventsIn(link, name)) told.add(event);
        const missing = made.filter((one) => !told.has(one));
        if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
        return true;
      });
      assert.equal(new Set(made).size, 25 * triesMax);
    },
  },
];

async function clusterWithEvents(world: World): Promise<Cluster> {
  const cluster = await Cluster.open(world);
  const servers = world.servers.access('node').servers;
  const tls = { ca: cluster.path('nats-ca.pem') };
  const nats = { servers, prefix, credentials: cluster.path('node'), tls };
  for (const index of [0, 1, 2]) {
    cluster.settings[index] = { events: { types: ['entityChange'], nats } };
  }
  await cluster.begin();
  for (const index of [1, 2]) await cluster.join(index);
  await cluster.well();
  return cluster;
}

/** Creates an identity, again and again until it is there. @returns its name */
async function create(api: Api, name: string): Promise<string> {
  await until(`${name} is created`, async () => {
    const body = { name, type: 'Default', isAdmin: false };
    const answer = await api
      .call('POST', `${management}/identities`, body)
      .catch(() => ({ status: 0 }));
    // An earlier attempt may have been done although its answer was lost.
    return answer.status === 201 || answer.status === 400;
  });
  return name;
}

interface Told {
  readonly data: {
    readonly eventType: string;
    readonly finalState?: { readonly name?: string };
  };
}

/** The names of the identities that the stream tells of. */
async function eventsIn(link: NatsLink, stream: string): Promise<string[]> {
  const { api } = await link.connected();
  const { state } = await api.streams.info(stream);
  const names: string[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const stored = await api.streams.getMessage(stream, { seq });
    if (stored === null) continue;
    const { data } = JSON.parse(stored.string()) as Told;
    if (data.eventType === 'created') names.push(data.finalState?.name ?? '');
  }
  return names;
}

// Explanations go on to the hosts: is there a terminator, is its router connected, is there a path.

import t from 'tap';
import type { Explanation } from '../../src/explain/schema.ts';
import { LinksWorld } from '../routers/links-world.ts';
import { bootNetwork, type NetworkOptions } from '../simulated/network.ts';

const anyOf = { semantic: 'AnyOf' } as const;
const about = /terminator|No links/;

class Hosting {
  readonly world: LinksWorld;
  readonly path: string;
  readonly printer: string;
  /** Ids by name; alice may use `near`, and the printer both. */
  readonly routers: Readonly<Record<'near' | 'far' | 'deep', string>>;

  constructor(world: LinksWorld, printer: string, path: string, ids: readonly string[]) {
    this.world = world;
    this.printer = printer;
    this.path = path;
    const [near = '', far = '', deep = ''] = ids;
    this.routers = { near, far, deep };
  }

  connect(name: 'near' | 'far' | 'deep') {
    const id = this.routers[name];
    this.world.network.presence.connect(id, `${name}.example`);
    return this.world.listen(id);
  }

  terminator(name: 'near' | 'far' | 'deep', precedence = 'default'): Promise<string> {
    const more = { binding: 'transport', address: 'tcp:localhost:1', precedence };
    const body = { service: this.printer, router: this.routers[name], ...more };
    return this.world.network.create('terminators', body);
  }

  async explain(): Promise<Explanation> {
    return this.world.network.must('GET', this.path);
  }

  /** The sentences about hosts. */
  async told(): Promise<string[]> {
    return (await this.explain()).summary.filter((sentence) => about.test(sentence));
  }
}

async function boot(options: NetworkOptions = {}): Promise<Hosting> {
  const network = await bootNetwork(options);
  const alice = await network.createUser('alice', 'alice-password', { roleAttributes: ['staff'] });
  const printer = await network.create('services', { name: 'printer', encryptionRequired: true });
  const world = new LinksWorld(network);
  const ids = await world.routers('near', 'far', 'deep');
  const roles = { identityRoles: ['#staff'], serviceRoles: ['#all'] };
  await network.create('service-policies', { ...anyOf, name: 'dial', type: 'Dial', ...roles });
  await network.create('edge-router-policies', {
    ...anyOf,
    name: 'erp',
    identityRoles: ['#staff'],
    edgeRouterRoles: [`@${ids[0]}`],
  });
  await network.create('service-edge-router-policies', {
    ...anyOf,
    name: 'serp',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  const path = `M:/identities/${alice}/services/${printer}/explain`;
  return new Hosting(world, printer, path, ids);
}

t.test('no terminator, one that is offline, one without a path, one with a path', async (t) => {
  const net = await boot();
  const near = net.connect('near');
  t.same(await net.told(), ["Service 'printer' has no terminator: nothing hosts it."]);
  await net.terminator('deep');
  t.same(await net.told(), [
    "Service 'printer' has 1 terminator, on routers that are offline: 'deep'.",
  ]);
  net.connect('deep');
  t.same(await net.told(), [
    "No links lead from the common edge routers to where service 'printer' is hosted: 'deep'.",
  ]);
  t.match((await net.explain()).hosting, {
    total: 1,
    isWhole: true,
    onlineTotal: 1,
    reachableTotal: 0,
  });
  const far = net.connect('far');
  net.world.report(near, [{ id: 'l1', destRouterId: net.routers.far }]);
  net.world.report(far, [{ id: 'l2', destRouterId: net.routers.deep }]);
  t.same(await net.told(), [
    "A dial reaches a terminator of service 'printer' from router 'near' over 2 links to 'deep'.",
  ]);
  await net.terminator('far', 'failed');
  const { hosting } = await net.explain();
  t.match(hosting, { total: 2, onlineTotal: 2, reachableTotal: 2 });
  t.match(hosting.shown, [
    {
      precedence: 'default',
      router: { name: 'deep', isOnline: true },
      path: { cost: 260_022, routers: [{ name: 'near' }, { name: 'far' }, { name: 'deep' }] },
    },
    { precedence: 'failed', path: { cost: 130_011 } },
  ]);
  await net.terminator('near');
  t.same((await net.told()).length, 1);
  await net.world.network.stop();
});

t.test('the router of the client hosts the service itself', async (t) => {
  const net = await boot();
  net.connect('near');
  await net.terminator('near', 'failed');
  t.same(await net.told(), [
    "A dial reaches a terminator of service 'printer' at router 'near' itself, " +
      'which has the precedence failed.',
  ]);
  await net.world.network.stop();
});

t.test('nothing is told of hosts while clients have no router, or may not dial', async (t) => {
  const net = await boot();
  net.connect('deep');
  await net.terminator('deep');
  t.same(await net.told(), []);
  t.match((await net.explain()).hosting, { onlineTotal: 1, reachableTotal: 0 });
  await net.world.network.stop();
});

t.test('bounds: what is examined, shown, and searched for', async (t) => {
  const bounds = {
    explainTerminatorsMax: 3,
    explainTerminatorsShownMax: 2,
    explainPathTargetsMax: 1,
    explainPathSourcesMax: 1,
  };
  const net = await boot({ bounds });
  const near = net.connect('near');
  net.connect('far');
  net.connect('deep');
  net.world.report(near, [
    { id: 'l1', destRouterId: net.routers.far },
    { id: 'l2', destRouterId: net.routers.deep },
  ]);
  for (const name of ['far', 'deep', 'far', 'near'] as const) await net.terminator(name);
  const { hosting } = await net.explain();
  t.match(hosting, { total: 4, isWhole: false, onlineTotal: 3 });
  t.equal(hosting.shown.length, 2);
  t.ok(hosting.reachableTotal > 0 && hosting.reachableTotal < 3, 'one router was searched for');
  await net.world.network.stop();
});

t.test('a router that does not have the present model of the network', async (t) => {
  const hosting = await boot();
  const { network } = hosting.world;
  t.teardown(() => network.stop());
  hosting.connect('near');
  const told = async (lag: number | undefined) => {
    const standing = { index: 7, timelineId: '', lag, lastFull: undefined };
    network.env.routerModels.serves({
      figures: modelFigures,
      standingOf: () => standing,
      check: async () => 'noAnswer',
    });
    const { routers, summary } = await hosting.explain();
    t.same(routers.common.shown[0]?.model, { index: 7, lag: lag ?? null });
    return summary.filter((sentence) => sentence.includes('model'));
  };
  t.same((await hosting.explain()).routers.common.shown[0]?.model, null);
  t.same(await told(0), []);
  t.same(await told(3), ["Edge router 'near' lacks 3 changes of the model of the network."]);
  t.same(await told(undefined), ["Edge router 'near' waits for the whole model of the network."]);
});

const modelFigures = {
  index: 7,
  timelineId: '',
  subscribers: 1,
  groups: 1,
  changesKept: 0,
  tooLargeBytes: undefined,
};

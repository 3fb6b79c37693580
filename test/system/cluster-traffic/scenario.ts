// What clients and routers of a cluster must survive: leaders are killed while bytes flow.
// Each step prints one line.

import { type Json, management } from '../client.ts';
import { dial, dialWithin, goesOn, passed } from '../overlay/dials.ts';
import { type MadeRouter, type MadeUser, until } from '../overlay/network.ts';
import { Steps } from '../overlay/steps.ts';
import { ClusterNetwork, type ClusterNetworkWanted } from './cluster-network.ts';

/** What differs between the routers that carry the traffic. */
export interface TakeoverOptions extends ClusterNetworkWanted {
  /** Whether the routers link with each other. */
  readonly hasLinks: boolean;
  /** A router must be back so long after the new leader has answered for the first time. */
  readonly routerBackMs: number;
  /** A new dial may take so long then. */
  readonly dialMs: number;
}

/** Far more than a takeover takes. */
const takeoverMs = 60_000;

/** A router and the identity that hosts and dials a service through it, all of the same name. */
interface Side {
  readonly name: string;
  readonly router: MadeRouter;
  readonly user: MadeUser;
}

/** Kills leaders while traffic flows. @returns whether all steps have succeeded */
export async function surviveTakeovers(options: TakeoverOptions): Promise<boolean> {
  const network = await ClusterNetwork.open(options);
  const scenario = new Scenario(network, options);
  try {
    await scenario.run();
  } catch (thrown) {
    scenario.steps.fail('the scenario goes on', thrown);
  }
  const { isWhole } = scenario.steps;
  if (!isWhole) console.log(`the logs of all processes are in ${network.keepLogs()}`);
  return isWhole;
}

class Scenario {
  readonly steps = new Steps();
  readonly #network: ClusterNetwork;
  readonly #options: TakeoverOptions;

  constructor(network: ClusterNetwork, options: TakeoverOptions) {
    this.#network = network;
    this.#options = options;
  }

  async run(): Promise<void> {
    const network = this.#network;
    const leader = await network.cluster.leader();
    const follower = (leader + 1) % 3;
    await network.useFront(follower);
    await this.#createRules();
    const sides: Side[] = [];
    const places = [
      ['through-follower', follower],
      ['through-leader', leader],
    ] as const;
    for (const [name, index] of places) {
      await this.steps.step(`a router, a host and a client ${name}`, async () => {
        sides.push(await this.#side(name, index));
      });
    }
    if (!this.steps.isWhole) return;
    const [first, second] = sides;
    if (this.#options.hasLinks && first !== undefined && second !== undefined) {
      await this.steps.step('a dial over a link', () =>
        dialWithin(first.user, 30_000, second.name),
      );
    }
    await this.#addresses(sides);
    await this.#takeover(sides, leader, follower);
    const next = await network.cluster.leader();
    await this.#takeover(sides, next, leader);
  }

  async #createRules(): Promise<void> {
    const { admin } = this.#network;
    for (const name of ['through-follower', 'through-leader']) {
      await admin.create('services', { name, encryptionRequired: true, roleAttributes: [name] });
      await this.#allow('Bind', name, `#${name}`);
      await this.#allow('Dial', name, '#all');
      await admin.create('edge-router-policies', {
        name,
        semantic: 'AnyOf',
        identityRoles: [`#${name}`],
        edgeRouterRoles: [`#${name}`],
      });
    }
    await admin.create('service-edge-router-policies', {
      name: 'all',
      semantic: 'AnyOf',
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    });
  }

  async #allow(type: 'Bind' | 'Dial', service: string, identityRole: string): Promise<void> {
    await this.#network.admin.create('service-policies', {
      name: `${type} ${service}`,
      type,
      semantic: 'AnyOf',
      identityRoles: [identityRole],
      serviceRoles: [`#${service}`],
    });
  }

  /** Both the router and the SDK are given the addresses of one node. */
  async #side(name: string, index: number): Promise<Side> {
    const network = this.#network;
    const router = await network.router(name, index);
    await network.isOnline(router.id);
    const url = network.places[index]?.url;
    const user = await network.user(`user-${name}`, [name], { ...(url !== undefined && { url }) });
    await user.traffic.ask({ do: 'host', service: name });
    await network.terminators(name);
    await dialWithin(user, 30_000, name);
    return { name, router, user };
  }

  /** Routers and clients are told of all nodes. */
  async #addresses(sides: readonly Side[]): Promise<void> {
    const network = this.#network;
    await this.steps.step('the list of controllers has all addresses', async () => {
      const answer: unknown = await network.admin.ask('GET', `${management}/controllers`);
      const listed = (answer as readonly Json[]).map(({ ctrlAddress }) => String(ctrlAddress));
      const wanted = network.places.map(({ control }) => control);
      if (listed.sort().join() !== wanted.sort().join()) throw new Error(`it has ${listed}`);
    });
    for (const { name, router } of sides) {
      const { hasKept } = router.process;
      if (hasKept === undefined) continue;
      await this.steps.step(`the router ${name} has kept them, under one id`, async () => {
        const id = network.controllerId;
        await until('its file names all', 20_000, async () => {
          const isKept = (ctrlAddress: string) => router.process.hasKept?.({ id, ctrlAddress });
          return network.places.every(({ control }) => isKept(control)) ? true : undefined;
        });
      });
    }
  }

  async #takeover(sides: readonly Side[], leader: number, front: number): Promise<void> {
    const network = this.#network;
    await network.useFront(front);
    const before = await this.#state(sides);
    await this.steps.step(`SIGKILL of the leader, node ${leader}, while bytes flow`, async () => {
      for (const { name, user } of sides) {
        await user.traffic.ask({ do: 'flow', service: name, name: 'flow' });
      }
      await network.kill(leader);
      for (const { user } of sides) await goesOn(user, 'flow');
      const newLeaderMs = await passed(() =>
        until('another node leads', takeoverMs, () => this.#isAnswered()),
      );
      return `the next one has answered after ${newLeaderMs} ms, and traffic went on`;
    });
    for (const side of sides) await this.#goesOn(side);
    await this.steps.step('API sessions and terminators are the same', async () => {
      const after = await this.#state(sides);
      if (before !== after) throw new Error(`${before} are now ${after}`);
    });
    await this.steps.step('the killed node follows', async () => {
      await network.restart(leader);
      await network.cluster.well();
    });
  }

  async #goesOn({ name, router, user }: Side): Promise<void> {
    const { routerBackMs, dialMs } = this.#options;
    // Measured from the moment at which another node has answered.
    await this.steps.step(`the router ${name} is back within ${routerBackMs} ms`, () =>
      this.#network.isOnline(router.id, routerBackMs),
    );
    await this.steps.step(`the next call of the client ${name} succeeds`, () =>
      user.traffic.ask({ do: 'call' }),
    );
    await this.steps.step(`a new dial ${name}`, () => dialWithin(user, dialMs, name));
    await this.steps.step(`the flow ${name} goes on, and is whole`, async () => {
      await goesOn(user, 'flow');
      const { digest, rounds } = await user.traffic.ask({ do: 'close', name: 'flow' });
      await dial(user, name);
      return `${rounds} messages, SHA-256 ${digest}`;
    });
  }

  async #isAnswered(): Promise<true | undefined> {
    const { status } = await this.#network.admin
      .call('GET', `${management}/edge-routers?limit=1`)
      .catch(() => ({ status: 0 }));
    return status === 200 ? true : undefined;
  }

  /** What no takeover may change: the API sessions of the clients, and the terminators. */
  async #state(sides: readonly Side[]): Promise<string> {
    const { admin } = this.#network;
    const ids: string[] = [];
    for (const { name, user } of sides) {
      const found = [
        ...(await admin.all('api-sessions', `identity="${user.id}"`)),
        ...(await admin.all('terminators', `service.name="${name}"`)),
      ];
      ids.push(...found.map(({ id }) => String(id)).sort());
    }
    return ids.join();
  }
}

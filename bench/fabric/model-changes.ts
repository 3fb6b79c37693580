// What changes of the network cost while routers subscribe to its model. The controller runs in
// this process, and its channels encode what they send and drop it.

import type { Message } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeFrame } from '../../src/channel/frame.ts';
import { edge, encodeMessage } from '../../src/channel/messages/messages.ts';
import { NaiveRouter } from '../../test/model/naive-router.ts';
import { ModelTraffic } from '../../test/model/router-model-run.ts';
import { Network } from '../../test/simulated/network.ts';
import { handleWhole, RecordedChannel, receivedFrame } from '../../test/simulated/routers.ts';
import { type RatioMeasurement, type RatioTurn, ratioRow } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { grouped } from '../report/goal-line.ts';

const sizes = {
  full: { idle: 10_000, idleGroups: 100, concerned: 1000, groups: 10, changes: 300 },
  smoke: { idle: 20, idleGroups: 2, concerned: 20, groups: 2, changes: 10 },
} as const;

const identities = 100;
/** The message for one router by which others are compared: half of it for each router. */
const sessionMessages = 10_000;

/** Measures both rows. */
export async function measureModelChanges(
  options: RowOptions,
): Promise<readonly RatioMeasurement[]> {
  return [await measureIdle(options), await measureConcerned(options)];
}

/** Identities that no router sees, while many subscribe. */
async function measureIdle({ smoke, turns }: RowOptions): Promise<RatioMeasurement> {
  const { idle, idleGroups, changes } = sizes[smoke ? 'smoke' : 'full'];
  const size = { routers: idle, groups: idleGroups };
  const subscribed = await ModelWorld.open({ ...size, isSubscribed: true });
  const none = await ModelWorld.open({ ...size, isSubscribed: false });
  const found: RatioTurn[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const base = await none.createIdentities(changes);
    found.push({ value: await subscribed.createIdentities(changes), base, wrong: 0 });
  }
  await subscribed.network.stop();
  await none.network.stop();
  const work = `identity create with ${grouped(idle)} routers that subscribe and do not see it`;
  return ratioRow({ work, against: 'no subscription', figure: 'CPU µs', goal: 1.3 }, found);
}

/** A policy that all routers see. */
async function measureConcerned({ smoke, turns }: RowOptions): Promise<RatioMeasurement> {
  const { concerned, groups, changes } = sizes[smoke ? 'smoke' : 'full'];
  const many = await ModelWorld.open({ routers: concerned, groups, isSubscribed: true });
  const one = await ModelWorld.open({ routers: 1, groups: 1, isSubscribed: true });
  const found: RatioTurn[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const single = await one.changePolicy(changes);
    const base = groups * single + concerned * (sessionMessageMicros() / 2);
    found.push({ value: await many.changePolicy(changes), base, wrong: 0 });
  }
  await many.network.stop();
  await one.network.stop();
  const work = `service policy change for ${grouped(concerned)} routers of ${groups} groups`;
  const against = `${groups} × one router + ${grouped(concerned)} × half a 20200`;
  return ratioRow({ work, against, figure: 'CPU µs', goal: 1 }, found);
}

interface WorldSize {
  readonly routers: number;
  /** Each with an edge router policy of its own. */
  readonly groups: number;
  readonly isSubscribed: boolean;
}

/** A controller with routers. */
class ModelWorld {
  readonly network: Network;
  readonly #traffic = new ModelTraffic();
  #created = 0;
  #policy = '';
  #services: readonly string[] = [];

  private constructor() {
    this.network = new Network({ traffic: this.#traffic.parts, freeze: false });
  }

  static async open({ routers, groups, isSubscribed }: WorldSize): Promise<ModelWorld> {
    const world = new ModelWorld();
    const { network } = world;
    await network.open();
    await network.logInAdmin();
    await world.#makeGroups(groups);
    const ids: string[] = [];
    for (let n = 0; n < routers; n++) {
      const roleAttributes = [`class-${n % groups}`];
      ids.push(await network.create('edge-routers', { name: `router-${n}`, roleAttributes }));
    }
    if (isSubscribed) await world.#subscribe(ids);
    return world;
  }

  /** @returns CPU µs of each */
  async createIdentities(count: number): Promise<number> {
    return await microsEach(count, async () => {
      const name = `late-${++this.#created}`;
      await this.network.create('identities', { name, type: 'Default', isAdmin: false });
    });
  }

  /** @returns CPU µs of each change */
  async changePolicy(count: number): Promise<number> {
    return await microsEach(count, async (n) => {
      const serviceRoles = [`@${this.#services[n % 2]}`];
      const body = { serviceRoles };
      await this.network.call('PATCH', `M:/service-policies/${this.#policy}`, { body });
    });
  }

  async #makeGroups(groups: number): Promise<void> {
    const { network } = this;
    const semantic = 'AnyOf';
    for (let n = 0; n < groups; n++) {
      const name = `class-${n}`;
      const roles = { identityRoles: [`#${name}`], edgeRouterRoles: [`#${name}`] };
      await network.create('edge-router-policies', { name, semantic, ...roles });
    }
    for (let n = 0; n < identities; n++) {
      const roleAttributes = [`class-${n % groups}`];
      const body = { name: `identity-${n}`, type: 'Default', isAdmin: false, roleAttributes };
      await network.create('identities', body);
    }
    const service = (name: string) =>
      network.create('services', { name, encryptionRequired: true });
    this.#services = [await service('one'), await service('other')];
    this.#policy = await network.create('service-policies', {
      name: 'all',
      type: 'Dial',
      semantic,
      identityRoles: ['#all'],
      serviceRoles: [`@${this.#services[1]}`],
    });
  }

  /** All get the model, and go on with each change. */
  async #subscribe(ids: readonly string[]): Promise<void> {
    const { network } = this;
    const { handlers } = this.#traffic.of(network).model;
    const type = contentTypes.subscribeToModel;
    for (const id of ids) {
      network.env.store.fence.begin();
      const router = { id, channel: new DroppingChannel(), version: 'v2.1.0', linkListeners: [] };
      handleWhole(handlers.get(type), router, receivedFrame(type, new NaiveRouter().ask()));
    }
    const { routerModels } = network.env;
    const knows = (id: string) => routerModels.standingOf(id)?.lag === 0;
    while (!ids.every(knows)) await network.advance(10);
  }
}

/** Encodes frames as a channel does. */
class DroppingChannel extends RecordedChannel {
  override send(message: Message): void {
    encodeFrame({ ...message, sequence: 1 }, []);
  }
}

async function microsEach(count: number, work: (n: number) => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < count; n++) await work(n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/** CPU of one API session that is told to one router. */
function sessionMessageMicros(): number {
  const channel = new DroppingChannel();
  const before = process.cpuUsage();
  for (let n = 0; n < sessionMessages; n++) {
    const id = `session-${n}`;
    const session = { token: `${id}-token`, id, identityId: id, certFingerprints: [id] };
    const body = encodeMessage(edge.ApiSessionAdded, { apiSessions: [session] });
    channel.send({ contentType: contentTypes.apiSessionAdded, body });
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / sessionMessages;
}

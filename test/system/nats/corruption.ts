// Checks of whole controllers when what servers and nodes have stored is damaged, old or gone: that
// is noticed, nothing wrong is served, and the documented way back works.

import { strict as assert } from 'node:assert';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { logStream } from '../../../src/cluster/nats/names.ts';
import { isNightly } from '../../campaigns.ts';
import { type Api, connect, management } from '../client.ts';
import { type Check, open, type World } from './check.ts';
import { ClockRelay } from './clock-relay.ts';
import { Cluster } from './cluster.ts';
import {
  copyStore,
  copyTree,
  flipBit,
  flipStoredMessages,
  segmentsOf,
  wipeStore,
} from './damage.ts';
import { asked, moveLead } from './orders.ts';
import { type NatsServer, type NatsServers, startServers, until } from './server.ts';

const usualChecks: readonly Check[] = [
  {
    name: 'damage: bits flipped in the log of a node are cut off, or refilled by a snapshot',
    body: async (world) => {
      const scene = await Scene.begin(world, 1);
      const { cluster } = scene;
      // More than a segment of 16 MiB, so that the first one is not the newest.
      await scene.createBulk(18);
      await scene.isEqual();
      const home = cluster.home(2);
      for (const place of ['end', 'middle', 'first segment'] as const) {
        await cluster.nodes[2]?.process.kill();
        await scene.create(`without-${place}`);
        const segments = segmentsOf(home);
        const damaged = place === 'first segment' ? segments[0] : segments.at(-1);
        assert.ok(damaged !== undefined && segments.length > 1, String(segments));
        flipBit(damaged, place === 'end' ? 'end' : 'middle');
        const node = await cluster.start(2);
        const isReplaced = place === 'first segment';
        await node.process.says('stderr', isReplaced ? replacedLine : 'which was cut off');
        assert.equal(readdirSync(join(home, 'aside')).length > 0, isReplaced);
        await scene.isEqual();
      }
      await scene.isWell();
    },
  },
  {
    name: 'damage: the only server comes back with an older copy of its store',
    body: async (world) => {
      const scene = await Scene.begin(world, 1);
      const [server] = scene.world.servers.all;
      assert.ok(server);
      await server.stop();
      const restore = copyStore(server);
      server.start();
      await scene.create('after the copy');
      await scene.isEqual();
      await server.kill();
      restore();
      server.start();
      await scene.isHalted(/the stream ends/);
      await scene.reseed();
    },
  },
  {
    name: 'damage: one of three servers has flipped bits, an older store, or none',
    body: async (world) => {
      const scene = await Scene.begin(world, 3);
      const { cluster } = scene;
      const { servers } = scene.world;
      const name = logStream(scene.dataSet);
      await cluster.nodes[2]?.process.kill();
      // A node that goes on from here reads the whole stream again.
      const oldHome = copyTree(cluster.home(2));
      const [first] = servers.all;
      assert.ok(first);
      await first.stop();
      const oldStore = copyStore(first);
      await scene.bringBack(first);
      const damages: readonly (readonly [string, () => void])[] = [
        ['flipped bits', () => flipStoredMessages(first, 'middle')],
        ['an older store', oldStore],
        ...(isNightly
          ? ([['a flipped end', () => flipStoredMessages(first, 'end')]] as const)
          : []),
      ];
      // Such a server may lack messages without a word, which no node may pass over.
      for (const [what, damage] of damages) {
        await scene.create(`before ${what}`);
        await first.kill();
        damage();
        await scene.create(`while a server is away that gets ${what}`);
        // Some damage keeps a server from its start, which nobody can overlook.
        const isBack = await scene.bringBack(first).then(
          () => true,
          () => false,
        );
        if (isBack) {
          await moveLead(servers, name, first);
          await scene.create(`with ${what}`);
        }
        oldHome();
        const noticed = await scene.startReader(2);
        console.log(
          `  ${what}: ${isBack ? (noticed ?? 'nothing is missing') : 'it does not start'}`,
        );
        await cluster.nodes[2]?.process.kill();
        // The way back: a server with a new name and no store, which gets what the others have.
        await first.kill();
        const left = servers.all.filter((server) => server !== first);
        await asked(servers, left, 'system', '$JS.API.SERVER.REMOVE', { peer: first.name });
        wipeStore(first);
        first.rename(`${first.name}-new`);
        await scene.bringBack(first);
        await scene.isReadFrom(first, oldHome);
      }
      await cluster.start(2);
      await scene.isWell();
    },
  },
];

const clockChecks: readonly Check[] = [
  {
    // The clock of a process cannot be set alone: a relay changes the times that the server tells.
    name: 'damage: the clock of the server is stepped, as its messages tell',
    body: async (world) => {
      const servers = await startServers(world.endings, { count: 1 });
      const relay = await ClockRelay.open(world.endings, servers.all[0]?.port ?? 0);
      const scene = await Scene.begin(world, 1, servers, () => [relay.address]);
      const { cluster } = scene;
      relay.aheadSeconds = 2;
      for (const index of [0, 1, 2]) {
        await until(`node ${index} sees the step`, async () => {
          const { failing } = await cluster.health(index);
          assert.match(failing.get('cluster-clock') ?? '', /differs by -(?:19|20)\d\d ms/);
          return true;
        });
      }
      // This much is for operators only: another node leads as ever.
      await cluster.nodes[0]?.process.kill();
      const second = await cluster.awaitLead([1, 2]);
      await cluster.start(0);
      await scene.create('by the next leader');
      const others = [0, 1, 2].filter((index) => index !== second);
      relay.aheadSeconds = 3600;
      for (const index of others) {
        await until(`node ${index} sees the second step`, async () => {
          const { failing } = await cluster.health(index);
          assert.match(failing.get('cluster-clock') ?? '', /differs by -\d{7} ms/);
          return true;
        });
      }
      await cluster.nodes[second]?.process.kill();
      for (const index of others) {
        await until(`node ${index} does not lead`, async () => {
          const told = (await cluster.health(index)).failing.get('cluster') ?? '';
          return /no node leads/.test(told);
        });
      }
      const isLed = () => others.some((index) => cluster.hasLed(index));
      await setTimeout(noLeaderMs);
      assert.ok(!isLed(), 'no node leads whose clock is far from that of the server');
      relay.aheadSeconds = 0;
      await until('a node leads again', isLed);
      await cluster.start(second);
      await scene.create('after the clock was set right');
      await scene.isEqual();
    },
  },
];

const nightlyChecks: readonly Check[] = [
  {
    name: 'damage: bits are flipped in the files of the only server, which is killed',
    body: async (world) => {
      const scene = await Scene.begin(world, 1);
      const [server] = scene.world.servers.all;
      assert.ok(server);
      for (let number = 0; number < 20; number += 1) await scene.create(`before-${number}`);
      await server.kill();
      flipStoredMessages(server, 'middle');
      server.start();
      await scene.isHalted(/the stream ends/);
      await scene.reseed();
    },
  },
  {
    name: 'damage: the streams are deleted and made again with the same names',
    body: async (world) => {
      const scene = await Scene.begin(world, 1);
      const { resources } = open(scene.world, scene.world.servers.access('init'));
      await resources.remove();
      await resources.create();
      await scene.isHalted(/the stream ends/);
      await scene.reseed();
    },
  },
];

/** What holds when stores are damaged. */
export const corruptionChecks: readonly Check[] = isNightly
  ? [...usualChecks, ...clockChecks, ...nightlyChecks]
  : [...usualChecks, ...clockChecks];

/** Twice as long as a takeover takes. */
const noLeaderMs = 7000;

const haltedLine = '"message":"this node is halted and serves nothing';
const replacedLine = 'the home is replaced by a snapshot of the other nodes';

/** How a node says that a server lacks a message of the log, or a piece of a snapshot. */
const wrongStream = new RegExp(
  [
    'message \\d+ is missing in the stream',
    'message \\d+ of the stream is wrong: [^)]*',
    'no more of snapshot-\\S+ came in time',
  ].join('|'),
);

/** A cluster of three nodes with servers of its own, and what was acknowledged to its clients. */
class Scene {
  readonly world: World;
  readonly cluster: Cluster;
  readonly #names: string[] = [];

  private constructor(world: World, cluster: Cluster) {
    this.world = world;
    this.cluster = cluster;
  }

  static async begin(
    { endings }: World,
    count: 1 | 3,
    own?: NatsServers,
    serversOf?: () => readonly string[],
  ): Promise<Scene> {
    const servers = own ?? (await startServers(endings, { count, isTls: true }));
    const metrics = { listen: '127.0.0.1:0' };
    const limits = { stalledWriteAnswerMs: 1000 };
    const configuration = { metrics, limits, cluster: { leaderWaitMs: 5000 } };
    const cluster = await Cluster.open({
      servers,
      endings,
      count,
      configuration,
      isSupervised: true,
      ...(serversOf && { serversOf }),
    });
    await cluster.begin();
    for (const index of [1, 2]) await cluster.join(index);
    const world = { servers, endings, count, dataSetId: cluster.dataSetId, generation: 1 };
    const scene = new Scene(world, cluster);
    await scene.create('first');
    return scene;
  }

  get dataSet() {
    const { dataSetId, generation } = this.world;
    return { dataSetId, generation };
  }

  /** Creates an identity through the first node, again and again until that is answered. */
  async create(name: string): Promise<void> {
    const api = await this.cluster.admin(0);
    await until(`${name} is created`, async () => {
      const body = { name, type: 'Default', isAdmin: false };
      const { status } = await api.call('POST', `${management}/identities`, body);
      return status === 201 || status === 400;
    });
    this.#names.push(name);
  }

  /** Makes the log longer by so many MB. */
  async createBulk(megabytes: number): Promise<void> {
    const api = await this.cluster.admin(0);
    const configTypeId = await api.create('config-types', { name: 'bulk' });
    for (let number = 0; number < megabytes; number += 1) {
      const data = { text: String(number).repeat(1_000_000).slice(0, 1_000_000) };
      await api.create('configs', { name: `bulk-${number}`, configTypeId, data });
    }
  }

  /**
   * Starts a node that has the whole stream to read.
   * @returns what it says is wrong with the stream; undefined if it has got all of it
   */
  async startReader(index: number): Promise<string | undefined> {
    const { cluster } = this;
    let noticed: string | undefined;
    try {
      await cluster.start(index);
    } catch (error) {
      noticed = wrongStream.exec(String(error))?.[0];
      if (noticed === undefined) throw error;
      return noticed;
    }
    await until(`node ${index} has all, or says why not`, async () => {
      const told = (await cluster.health(index)).failing.get('cluster') ?? '';
      noticed = wrongStream.exec(told)?.[0];
      return noticed !== undefined || cluster.areEqual();
    });
    return noticed;
  }

  /** A node that has to read the whole stream gets all of it from a server. */
  async isReadFrom(server: NatsServer, oldHome: () => void): Promise<void> {
    await moveLead(this.world.servers, logStream(this.dataSet), server);
    oldHome();
    await this.cluster.start(2);
    await this.isEqual();
    await this.cluster.nodes[2]?.process.kill();
  }

  /** Waits until all homes have the same records, and all that was acknowledged is there. */
  async isEqual(): Promise<void> {
    const api = await this.cluster.admin(0);
    await this.#hasAll(api);
    await until('all homes are equal', () => this.cluster.areEqual());
  }

  async isWell(): Promise<void> {
    await this.isEqual();
    await this.cluster.well();
  }

  async #hasAll(api: Api): Promise<void> {
    const rows = await api.all('identities');
    const found = new Set(rows.map(({ name }) => name));
    const missing = this.#names.filter((name) => !found.has(name));
    assert.deepEqual(missing, []);
  }

  /** Waits until all nodes are halted for this reason, and nothing is served. */
  async isHalted(reason: RegExp): Promise<void> {
    const { cluster } = this;
    for (const index of [0, 1, 2]) {
      await until(`node ${index} is halted`, async () => {
        const told = (await cluster.health(index)).failing.get('cluster') ?? '';
        return /the node is halted/.test(told) && reason.test(told);
      });
      await cluster.nodes[index]?.process.says('stderr', haltedLine);
    }
    await Promise.all([0, 1, 2].map((index) => this.#isRefused(index)));
    const { code, stdout } = await cluster.run(0, ['status'], 'node');
    assert.equal(code, 1);
    assert.match(stdout, /No node may lead until a reseed/);
    assert.match(stdout, reason);
  }

  /** A read that every leader would answer is refused. */
  async #isRefused(index: number): Promise<void> {
    const node = this.cluster.nodes[index];
    assert.ok(node);
    const http = connect(this.world.endings, node);
    const answer = await http.call('GET', `${management}/identities`, { token: 'none' });
    assert.equal(answer.status, 503, `node ${index}: ${JSON.stringify(answer)}`);
  }

  /** Goes the documented way back, after which everything acknowledged is there. */
  async reseed(): Promise<void> {
    await this.cluster.reseed();
    await this.create('after the reseed');
    await this.isWell();
  }

  /** Starts a server again with the store that it has now. */
  async bringBack(server: NatsServer): Promise<void> {
    server.start();
    for (const each of this.world.servers.all) await each.ready();
  }
}

// Checks of nodes with their threads and homes, over a real server.

import { strict as assert } from 'node:assert';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { snapshotDirectory } from '../../../snapshots/home/layout.ts';
import type { FollowingJournal, StoredRecord } from '../../../snapshots/journal.ts';
import { frameSeed } from '../../../snapshots/log/frame.ts';
import type { NodeEvents } from '../../../src/cluster/cluster-node.ts';
import { groupKeyOf } from '../../../src/cluster/log/group-message.ts';
import { openClusterHome, sharedLogOf } from '../../../src/cluster/node/home-recovery.ts';
import type { LogPoint } from '../../../src/cluster/stream.ts';
import { ClusterThread } from '../../../src/cluster/thread/cluster-thread.ts';
import type { NatsNodeSettings } from '../../../src/cluster/thread/nats-connections.ts';
import { sharedClock } from '../../../src/platform/clock-and-random.ts';
import { hostPort } from '../../../src/settings/setting-type.ts';
import { makeClusterHome, snapshotBytes } from '../../snapshots/clustered-home.ts';
import { putting } from '../../snapshots/home.ts';
import { temporaryDirectory } from '../endings.ts';
import { type Check, created, open, type World } from './check.ts';
import { until } from './server.ts';

const sealingKey = Buffer.from('key of all nodes');
const module = new URL('../../../src/cluster/thread/nats-connections.ts', import.meta.url).href;
const bounds = {
  pendingBytesMax: 8_388_608,
  frameBytesMax: 1_048_576,
  groupBytesMax: 2_097_152,
  localBytesMax: 8_388_608,
  unappliedBytesMax: 8_388_608,
};

/** A node whose main thread only counts. */
class TestNode implements NodeEvents {
  readonly thread: ClusterThread;
  readonly news: string[] = [];
  readonly ids: string[] = [];
  readonly home: string;
  replaced = 0;
  journal: FollowingJournal | undefined;
  after: LogPoint | undefined;

  constructor(world: World, id: string, home: string) {
    const { servers, generation, dataSetId, count } = world;
    const access = servers.access('node');
    const [ca, credentials] = [`${home}.ca.pem`, `${home}.creds`];
    writeFileSync(ca, access.tls?.().ca ?? '');
    assert.ok(access.credentials?.kind === 'password');
    const { user, password } = access.credentials;
    writeFileSync(credentials, `${user}:${password}\n`, { mode: 0o600 });
    const settings: NatsNodeSettings = {
      access: {
        servers: access.servers.flatMap((server) => hostPort(server) ?? []),
        credentials,
        tls: { ca, own: undefined },
      },
      frameBytesMax: bounds.frameBytesMax,
      dataSet: { dataSetId, generation },
      replicas: count,
      monitoring: [],
      sealingKey,
    };
    const unknown = { version: '0', formats: {}, advertised: '', internal: '', keys: {} };
    const description = { id, ...unknown, settingsHash: '' };
    const groupKey = groupKeyOf(sealingKey);
    this.home = home;
    this.thread = new ClusterThread({
      module,
      settings,
      node: { description, generation, groupKey, clockSkewMs: 500, isForced: true },
      ask: () => Promise.reject(new Error('there is no listener here')),
      bounds,
      clock: sharedClock,
    });
  }

  async open(world: World): Promise<FollowingJournal> {
    const { stream, snapshots } = open(world, world.servers.access('node'));
    const { generation, dataSetId } = world;
    const trust = { key: groupKeyOf(sealingKey), generation, seed: frameSeed(dataSetId) };
    const { journal, after } = await openClusterHome({
      home: this.home,
      disk: nodeDisk,
      clock: sharedClock,
      level: 'second',
      writer: 'worker',
      openWriter: this.thread.openWriter,
      follows: true,
      newDataSetId: 'ff'.repeat(16),
      segmentBytes: 4_194_304,
      frameBytesMax: bounds.frameBytesMax,
      pendingBytesMax: bounds.pendingBytesMax,
      snapshotsKept: 2,
      load: ({ id }) => this.ids.push(id),
      shared: sharedLogOf(stream, snapshots, trust),
      replacing: () => {
        this.replaced += 1;
      },
    });
    world.endings.teardown(() => this.end());
    this.journal = journal;
    this.after = after;
    this.thread.start(after, this);
    return journal;
  }

  /** Takes a snapshot of the home and shares it. */
  async share(ids: readonly string[]): Promise<number | undefined> {
    if (this.journal === undefined) throw new Error('it is not open');
    const lsn = this.journal.lastLsn;
    const records = ids.map((id): StoredRecord => {
      return { kind: 'thing', id, lsn, version: 1, values: [id, 'text'] };
    });
    const { file } = await this.journal.writeSnapshot(records);
    const shared = await this.thread.share(join(snapshotDirectory(this.home), file), lsn);
    return shared?.lsn;
  }

  async end(): Promise<void> {
    await this.journal?.close().catch(() => undefined);
    await this.thread.stop();
  }

  apply(frames: Buffer, { lsn }: LogPoint): void {
    this.journal?.followed({ lsn, timeMs: 1, bytes: frames.length });
  }

  lead(term: number): void {
    this.journal?.lead();
    this.news.push(`lead ${term}`);
  }

  leader(): void {}

  fenced(): void {
    this.news.push('fenced');
  }

  halted(reason: string): void {
    this.news.push(`halted: ${reason}`);
  }

  behind(): void {
    this.news.push('behind');
  }
}

/** Nodes of one data set. */
export const nodeChecks: readonly Check[] = [
  {
    name: 'nodes write, follow, hand over, share snapshots and begin with one',
    body: async (world) => {
      const { snapshots, stream } = await created(world);
      const root = temporaryDirectory(world.endings, 'edge-control-nodes-');
      const [homeA, homeB, homeC] = ['a', 'b', 'c'].map((name) => join(root, name));
      assert.ok(homeA !== undefined && homeB !== undefined && homeC !== undefined);
      const { generation } = world;
      for (const home of [homeA, homeB, homeC]) {
        makeClusterHome(nodeDisk, [], 4_194_304, home, generation);
      }
      const file = join(root, 'first.snap');
      writeFileSync(file, snapshotBytes(0, []));
      await snapshots.upload(file, { generation, lsn: 0, crc: 0, sequence: 0 }, 1e9);

      const first = new TestNode(world, 'a', homeA);
      const leading = await first.open(world);
      await until('the first node leads', () => first.news.includes('lead 1'));
      assert.ok(first.thread.mayAnswer());
      for (let n = 0; n < 500; n++) leading.append(putting(`i${n}`, 'x'.repeat(1000)));
      await leading.flush();
      assert.equal(leading.durableLsn, 501);

      const second = new TestNode(world, 'b', homeB);
      const following = await second.open(world);
      await until('the second node has followed', () => following.lastLsn === 501);
      await until('its entry is there', async () => {
        const { members } = open(world, world.servers.access('node'));
        return (await members.list()).some(({ id, role }) => id === 'b' && role === 'following');
      });
      assert.equal(await first.share([]), undefined, 'a leader with a follower shares nothing');
      assert.equal(await second.share(['s1']), 501);
      leading.append(putting('more'));
      await leading.flush();
      await until('that, too', () => following.lastLsn === 502);
      assert.equal(await second.share(['s1', 's2']), 502);
      assert.equal((await snapshots.list()).length, 2, 'the two newest are kept');
      assert.ok((await stream.state()).first > 1, 'the stream begins with the older one');

      await first.thread.resign();
      await until('the second node leads', () => second.news.includes('lead 2'));
      following.append(putting('last'));
      await following.flush();
      await first.end();

      const third = new TestNode(world, 'c', homeC);
      const late = await third.open(world);
      assert.equal(third.replaced, 1);
      assert.deepEqual(third.ids.sort(), ['s1', 's2']);
      assert.equal(third.after?.lsn, 502);
      await until('the third node has followed', () => late.lastLsn === following.lastLsn);
    },
  },
];

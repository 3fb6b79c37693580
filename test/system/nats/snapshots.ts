// Checks of the snapshots that all nodes share, on one real server.

import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Objm } from '@nats-io/obj';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { NatsLink } from '../../../src/cluster/nats/link.ts';
import { objectStream, snapshotsBucket } from '../../../src/cluster/nats/names.ts';
import { NatsSnapshots } from '../../../src/cluster/nats/snapshots.ts';
import { SnapshotGone } from '../../../src/cluster/shared-snapshots.ts';
import { StreamUnreachable } from '../../../src/cluster/stream.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { temporaryDirectory } from '../endings.ts';
import { type Check, created, dataSetOf, open, type World } from './check.ts';
import { until } from './server.ts';

const unthrottled = 1e9;

/** What `SharedSnapshots` promises. */
export const snapshotChecks: readonly Check[] = [
  {
    name: 'a snapshot comes back as it was uploaded, and the newest is the first of the list',
    body: async (world) => {
      const { snapshots } = await created(world);
      assert.deepEqual(await snapshots.list(), []);
      const { file, content, at } = contents(world, 3_000_000);
      const one = await snapshots.upload(file, facts(world, 99), unthrottled);
      assert.equal(one.bytes, content.length);
      const two = await snapshots.upload(file, facts(world, 1000), unthrottled);
      const other = open(world, world.servers.access('node')).snapshots;
      assert.deepEqual(await other.list(), [two, one]);
      await other.download(one, at('copy'));
      assert.ok(readFileSync(at('copy')).equals(content));
      await other.remove(one);
      assert.deepEqual(await snapshots.list(), [two]);
      await assert.rejects(snapshots.download(one, at('none')), SnapshotGone);
    },
  },
  {
    name: 'an upload is throttled, and two makers of one snapshot are harmless',
    body: async (world) => {
      const { snapshots } = await created(world);
      const { file } = contents(world, 1_000_000);
      const beganAtMs = performance.now();
      const one = await snapshots.upload(file, facts(world, 7), 1_000_000);
      // The first chunk leaves at once.
      assert.ok(performance.now() - beganAtMs > 800);
      const other = open(world, world.servers.access('node')).snapshots;
      assert.deepEqual(await other.upload(file, facts(world, 7), unthrottled), one);
      const both = await Promise.allSettled([
        snapshots.upload(file, facts(world, 8), unthrottled),
        other.upload(file, facts(world, 8), unthrottled),
      ]);
      assert.ok(both.some(({ status }) => status === 'fulfilled'));
      await other.upload(file, facts(world, 8), unthrottled);
      assert.equal((await snapshots.list()).length, 2);
    },
  },
  {
    name: 'an object without a right MAC is not listed, and not overwritten',
    body: async (world) => {
      const { snapshots } = await created(world);
      const { file, at } = contents(world, 1000);
      const stranger = open(world, world.servers.access('node'), 'another key').snapshots;
      const forged = await stranger.upload(file, facts(world, 5), unthrottled);
      assert.deepEqual(await snapshots.list(), []);
      await assert.rejects(snapshots.download(forged, at('copy')), SnapshotGone);
      await assert.rejects(snapshots.upload(file, facts(world, 5), unthrottled), StreamUnreachable);
      assert.deepEqual(await stranger.list(), [forged]);
      await snapshots.remove(forged);
      await snapshots.upload(file, facts(world, 5), unthrottled);
      assert.equal((await snapshots.list()).length, 1);
    },
  },
  {
    name: 'content that was exchanged below an entry counts as removed',
    body: async (world) => {
      const { snapshots } = await created(world);
      const { file, at } = contents(world, 300_000);
      const one = await snapshots.upload(file, facts(world, 5), unthrottled);
      const link = linkOf(world);
      await link.ask(async ({ api }) => {
        const store = await new Objm(api.jetstream()).open(snapshotsBucket(dataSetOf(world)));
        const metadata = (await store.info(one.name))?.metadata ?? {};
        const bytes = randomBytes(300_000);
        await store.putBlob({ name: one.name, metadata }, bytes);
      });
      // The exchange has another time, which nothing but a report shows.
      const listed = (await snapshots.list()).map((each) => ({ ...each, atMs: one.atMs }));
      assert.deepEqual(listed, [one]);
      await assert.rejects(snapshots.download(one, at('copy')), SnapshotGone);
      assert.ok(!existsSync(at('copy')));
    },
  },
  {
    name: 'an object that loses its content meanwhile counts as removed',
    body: async (world) => {
      const { snapshots } = await created(world);
      const { file, at } = contents(world, 300_000);
      const one = await snapshots.upload(file, facts(world, 5), unthrottled);
      const link = linkOf(world);
      const bucket = snapshotsBucket(dataSetOf(world));
      await link.ask(({ api }) =>
        api.streams.purge(objectStream(bucket), { filter: `$O.${bucket}.C.>` }),
      );
      assert.deepEqual(await snapshots.list(), []);
      await assert.rejects(snapshots.download(one, at('copy')), SnapshotGone);
      assert.ok(!existsSync(at('copy')));
      // The entry must not be in the way of the same snapshot.
      const again = await snapshots.upload(file, facts(world, 5), unthrottled);
      assert.deepEqual(await snapshots.list(), [again]);
    },
  },
  {
    name: 'an upload is left alone while another node makes room',
    body: async (world) => {
      const { snapshots } = await created(world);
      const other = open(world, world.servers.access('node')).snapshots;
      const { file, at } = contents(world, 1_000_000);
      const before = await snapshots.upload(file, facts(world, 5), unthrottled);
      const uploading = snapshots.upload(file, facts(world, 6), 1_000_000);
      const chunks = chunksOf(world);
      await until('chunks of the upload are there', async () => (await chunks()) > 10);
      await other.removeRemains();
      const [small, at7] = [contents(world, 1000), facts(world, 7)];
      const meanwhile = await other.upload(small.file, at7, unthrottled);
      const uploaded = await uploading;
      assert.deepEqual(await other.list(), [meanwhile, uploaded, before]);
      await other.download(uploaded, at('copy'));
    },
  },
  {
    name: 'an upload that loses content meanwhile fails, and its entry does not stay',
    body: async (world) => {
      const { snapshots } = await created(world);
      const { file } = contents(world, 1_000_000);
      const before = await snapshots.upload(file, facts(world, 5), unthrottled);
      const uploading = snapshots.upload(file, facts(world, 6), 1_000_000);
      const failing = assert.rejects(uploading, StreamUnreachable);
      const chunks = chunksOf(world);
      await until('chunks of the upload are there', async () => (await chunks()) > 10);
      await impatient(world).removeRemains();
      await failing;
      assert.deepEqual(await snapshots.list(), [before]);
      await impatient(world).removeRemains();
      assert.equal(await chunks(), 8, 'only those of the first snapshot are left');
    },
  },
  {
    name: 'nothing is left of removed objects and of uploads that were cut off',
    body: async (world) => {
      const { snapshots } = await created(world);
      const { file } = contents(world, 300_000);
      const one = await snapshots.upload(file, facts(world, 5), unthrottled);
      const link = linkOf(world);
      const bucket = snapshotsBucket(dataSetOf(world));
      const subjects = async () => {
        const question = { subjects_filter: `$O.${bucket}.>` };
        const info = await link.ask(({ api }) => api.streams.info(objectStream(bucket), question));
        return Object.keys(info.state.subjects ?? {}).length;
      };
      await link.ask(({ api }) => api.jetstream().publish(`$O.${bucket}.C.orphan`, 'x'));
      assert.equal(await subjects(), 3);
      await snapshots.removeRemains();
      assert.equal(await subjects(), 3, 'it may belong to an upload that is under way');
      await impatient(world).removeRemains();
      assert.equal(await subjects(), 2);
      const two = await snapshots.upload(file, facts(world, 6), unthrottled);
      assert.equal(await subjects(), 4);
      await snapshots.remove(one);
      assert.equal(await subjects(), 2);
      assert.deepEqual(await snapshots.list(), [two]);
      await snapshots.remove(two);
      await snapshots.remove(two);
      assert.equal(await subjects(), 0);
    },
  },
  {
    name: 'a store that is not there is not reached',
    body: async (world) => {
      const { snapshots } = open(world, world.servers.access('node'));
      const { file } = contents(world, 10);
      await assert.rejects(snapshots.list(), StreamUnreachable);
      await assert.rejects(snapshots.upload(file, facts(world, 1), unthrottled), StreamUnreachable);
    },
  },
];

/** A file with random content, and where others beside it are. */
function contents(world: World, bytes: number) {
  const directory = temporaryDirectory(world.endings, 'edge-control-snapshots-');
  const at = (name: string) => join(directory, name);
  const content = randomBytes(bytes);
  writeFileSync(at('snapshot'), content);
  return { file: at('snapshot'), content, at };
}

function linkOf(world: World): NatsLink {
  const link = new NatsLink(world.servers.access('node'), systemClock, 'check');
  world.endings.teardown(() => link.close());
  return link;
}

/** Tells how many chunks of objects there are. */
function chunksOf(world: World): () => Promise<number> {
  const link = linkOf(world);
  const bucket = snapshotsBucket(dataSetOf(world));
  return async () => {
    const question = { subjects_filter: `$O.${bucket}.C.>` };
    const info = await link.ask(({ api }) => api.streams.info(objectStream(bucket), question));
    return Object.values(info.state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  };
}

/** A node that takes content without an entry for a remainder at once. */
function impatient(world: World): NatsSnapshots {
  return new NatsSnapshots({
    link: linkOf(world),
    dataSet: dataSetOf(world),
    sealingKey: Buffer.from('key of all nodes'),
    disk: nodeDisk,
    clock: systemClock,
    abandonedAfterMs: 0,
  });
}

function facts(world: World, lsn: number) {
  return { generation: world.generation, lsn, crc: 0xdead_beef, sequence: lsn + 1 };
}

// Checks on three real servers, of which some go away.

import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NatsDataSet } from '../../../src/cluster/nats/connections.ts';
import { logStream, objectStream, snapshotsBucket } from '../../../src/cluster/nats/names.ts';
import type { SharedSnapshot } from '../../../src/cluster/shared-snapshots.ts';
import { StreamUnreachable } from '../../../src/cluster/stream.ts';
import { temporaryDirectory } from '../endings.ts';
import {
  assertUnknown,
  aWhile,
  type Check,
  created,
  dataSetOf,
  follow,
  message,
  open,
  publishAll,
  textOf,
  untilIn,
  type World,
} from './check.ts';
import { type NatsServer, startServers, until } from './server.ts';

/** What holds while servers fail. */
export const failureChecks: readonly Check[] = [
  {
    name: 'the server of the stream’s leader is killed in the middle of a row of messages',
    body: async (world) => {
      const { stream } = await created(world);
      const told = follow(world, stream, 1);
      await publishAll(stream, ['m0']);
      const leader = await world.servers.awaitLeader(logStream(dataSetOf(world)));
      const texts = Array.from({ length: 40 }, (_, index) => `m${index}`);
      for (const [index, text] of texts.entries()) {
        if (index === 0) continue;
        if (index === 20) await leader.kill();
        await untilIn(stream, text, index);
      }
      await until('the reader has all', () => told.texts.length === texts.length);
      assert.deepEqual(told.texts, texts);
      assert.deepEqual(told.firsts, []);
      const { idles } = told;
      await until('the reader is idle again', () => told.idles > idles);
      await back(world, leader);
    },
  },
  {
    name: 'while NATS elects, nothing is idle: readers are interrupted',
    body: async (world) => {
      const { stream } = await created(world);
      await publishAll(stream, ['one']);
      const told = follow(world, stream, 2);
      await until('the reader is idle', () => told.idles > 0);
      // Two of three: the one that is left has no majority, and knows no leader after a while.
      const leader = await world.servers.awaitLeader(logStream(dataSetOf(world)));
      const [other] = world.servers.all.filter((server) => server !== leader);
      assert.ok(other);
      await Promise.all([leader.kill(), other.kill()]);
      await until('the reader is interrupted', () => told.reasons.length > 0);
      const { idles } = told;
      const outcome = await stream.publish(message('two'), 1);
      assertUnknown(outcome);
      await until('the reader is interrupted again', () => told.reasons.length > 2);
      assert.equal(told.idles, idles);
      await back(world, leader, other);
      await until('the reader is idle again', () => told.idles > idles);
      // What was sent meanwhile is in the stream or not; both are told right.
      const { last } = await stream.state();
      if (last === 1) await untilIn(stream, 'two', 1);
      await until('the reader has the message', () => told.texts.length === 1);
      assert.deepEqual(told.texts, ['two']);
    },
  },
  {
    name: 'the stream’s leader is stopped and resumed: what was open is resolved',
    body: async (world) => {
      const { stream } = await created(world);
      const told = follow(world, stream, 1);
      await publishAll(stream, ['m0']);
      const leader = await world.servers.awaitLeader(logStream(dataSetOf(world)));
      leader.suspend();
      try {
        for (const index of [1, 2, 3]) await untilIn(stream, `m${index}`, index);
      } finally {
        leader.resume();
      }
      await untilIn(stream, 'm4', 4);
      await until('the reader has all', () => told.texts.length === 5);
      assert.deepEqual(told.texts, ['m0', 'm1', 'm2', 'm3', 'm4']);
      assert.equal((await stream.state()).last, 5);
    },
  },
  {
    name: 'the lead of the stream moves while messages are in flight',
    body: async (world) => {
      const { stream } = await created(world);
      const told = follow(world, stream, 1);
      const name = logStream(dataSetOf(world));
      await publishAll(stream, ['m0']);
      const leader = await world.servers.awaitLeader(name);
      const inFlight = [1, 2, 3, 4, 5, 6, 7].map((index) =>
        stream.publish(message(`m${index}`), index),
      );
      // An orderly end hands the lead over.
      await leader.stop();
      await Promise.all(inFlight);
      await world.servers.awaitLeader(name, (server) => server !== leader);
      let { last } = await stream.state();
      // Whatever is in stands in its order and without a gap.
      for (let sequence = 1; sequence <= last; sequence += 1) {
        const stored = await stream.read(sequence);
        assert.equal(stored && textOf(stored), `m${sequence - 1}`);
      }
      for (; last < 8; last += 1) await untilIn(stream, `m${last}`, last);
      await until('the reader has all', () => told.texts.length === 8);
      await back(world, leader);
    },
  },
  {
    name: 'the connection of a node is lost: another server is as good',
    body: async (world) => {
      const name = logStream(dataSetOf(world));
      const first = await created(world);
      await publishAll(first.stream, ['m0']);
      const leader = await world.servers.awaitLeader(name);
      const followers = world.servers.all.filter((server) => server !== leader);
      const [own, ...others] = followers;
      assert.ok(own);
      // A server that is away from the beginning is passed over.
      await own.kill();
      const { stream } = reopened(world, [own, leader, ...others]);
      const told = follow(world, stream, 1);
      await untilIn(stream, 'm1', 1);
      await until('the reader has both', () => told.texts.length === 2);
      await back(world, own);
      const again = reopened(world, [own]);
      const toldByOwn = follow(world, again.stream, 1);
      await until('the reader has both', () => toldByOwn.texts.length === 2);
      await own.kill();
      assertUnknown(await again.stream.publish(message('m2'), 2));
      await until('the reader is interrupted', () => toldByOwn.reasons.length > 0);
      await untilIn(stream, 'm2', 2);
      await back(world, own);
      await until('the reader has all', () => toldByOwn.texts.length === 3);
      assert.deepEqual(toldByOwn.texts, ['m0', 'm1', 'm2']);
      await untilIn(again.stream, 'm3', 3);
    },
  },
  {
    name: 'the server of a node is stopped and resumed with its connections',
    body: async (world) => {
      const name = logStream(dataSetOf(world));
      const writer = await created(world);
      await publishAll(writer.stream, ['m0']);
      const leader = await world.servers.awaitLeader(name);
      const [own] = world.servers.all.filter((server) => server !== leader);
      assert.ok(own);
      const { stream } = reopened(world, [own]);
      const told = follow(world, stream, 1);
      await until('the reader has the first', () => told.texts.length === 1);
      own.suspend();
      try {
        assertUnknown(await stream.publish(message('m1'), 1));
        await until('the reader is interrupted', () => told.reasons.length > 0);
        await assert.rejects(stream.state(), StreamUnreachable);
        await untilIn(writer.stream, 'other', 1);
      } finally {
        own.resume();
      }
      await until('the reader has the second', () => told.texts.length === 2);
      // The server had the message of the suspended connection, and the fence has refused it.
      assert.deepEqual(told.texts, ['m0', 'other']);
      assert.equal((await writer.stream.state()).last, 2);
    },
  },
  {
    name: 'a snapshot whose server is killed is uploaded by the next attempt',
    body: async (world) => {
      const { snapshots } = await created(world);
      const directory = temporaryDirectory(world.endings, 'edge-control-snapshots-');
      const [file, copy] = [join(directory, 'snapshot'), join(directory, 'copy')];
      const content = randomBytes(4_000_000);
      writeFileSync(file, content);
      const bucket = objectStream(snapshotsBucket(dataSetOf(world)));
      const leader = await world.servers.awaitLeader(bucket);
      const facts = { generation: world.generation, lsn: 7, crc: 1, sequence: 2 };
      const upload = snapshots.upload(file, facts, 2_000_000).catch((thrown) => thrown);
      await aWhile();
      await leader.kill();
      const first = await upload;
      if (first instanceof Error) assert.ok(first instanceof StreamUnreachable, first.message);
      let shared: SharedSnapshot | undefined;
      await until('the snapshot is there', async () => {
        shared = await snapshots.upload(file, facts, 1e9);
        return true;
      });
      assert.ok(shared);
      assert.deepEqual(await snapshots.list(), [shared]);
      await snapshots.download(shared, copy);
      assert.ok(readFileSync(copy).equals(content));
      await back(world, leader);
    },
  },
  {
    name: 'the account is full: nothing is in until there is room again',
    body: async (world) => {
      const small = await startServers(world.endings, { count: 1, accountBytesMax: 8_000_000 });
      const { stream } = await created({ ...world, servers: small, count: 1 });
      const body = Buffer.alloc(1_000_000, 'x');
      const text = { headers: new Map([['Edge-Text', 'x']]), body };
      let last = 0;
      let reason = '';
      while (reason === '' && last < 20) {
        const outcome = await stream.publish(text, last);
        if (outcome.outcome === 'acknowledged') last += 1;
        else reason = assertUnknown(outcome);
      }
      assert.match(reason, /resource|storage|limit/);
      assert.equal((await stream.state()).last, last);
      assert.equal(await stream.read(last + 1), undefined);
      await stream.purge(last);
      const outcome = await stream.publish(text, last);
      assert.deepEqual(outcome, { outcome: 'acknowledged', sequence: last + 1 });
    },
  },
  {
    name: 'the stream is deleted and made again: the old expectation meets another generation',
    body: async (world) => {
      const { stream } = await created(world);
      await publishAll(stream, ['m0']);
      const told = follow(world, stream, 1);
      await until('the reader has the first', () => told.texts.length === 1);
      const init = open(world, world.servers.access('init'));
      await init.resources.remove();
      assertUnknown(await stream.publish(message('m1'), 1));
      const next = await created({ ...world, generation: world.generation + 1000 });
      await publishAll(next.stream, ['other']);
      assertUnknown(await stream.publish(message('m1'), 1));
      await aWhile();
      assert.deepEqual(told.texts, ['m0']);
      assert.equal((await next.stream.state()).last, 1);
    },
  },
];

/** Starts servers again with their stores. */
async function back(world: World, ...servers: readonly NatsServer[]): Promise<void> {
  for (const server of servers) server.start();
  for (const server of world.servers.all) await server.ready();
}

function reopened(world: World, servers: readonly NatsServer[]): NatsDataSet {
  return open(world, world.servers.access('node', servers));
}

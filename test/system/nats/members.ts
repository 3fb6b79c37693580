// Checks of the directory of nodes, on one real server.

import { strict as assert } from 'node:assert';
import { headers } from '@nats-io/transport-node';
import { buildFormats } from '../../../src/assembly/cluster/build-formats.ts';
import type { HighWaterMark, Member } from '../../../src/cluster/membership.ts';
import { NatsLink } from '../../../src/cluster/nats/link.ts';
import { keySubject, membersBucket } from '../../../src/cluster/nats/names.ts';
import { StreamUnreachable } from '../../../src/cluster/stream.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { type Check, created, dataSetOf, open } from './check.ts';

/** What `Members` promises. */
export const memberChecks: readonly Check[] = [
  {
    name: 'members are listed as they last wrote themselves, until they are removed',
    body: async (world) => {
      const { members } = await created(world);
      assert.deepEqual(await members.list(), []);
      await members.put(member('b', 1));
      await members.put(member('a', 1));
      const figures = { lagMs: 1.5, clockSkewMs: -3, inFlight: 2, takeovers: 0 };
      const condition = { ...figures, trouble: 'x', localLog: 'y', store: undefined };
      await members.put({ ...member('b', 2), condition });
      const other = open(world, world.servers.access('node')).members;
      assert.deepEqual(await other.list(), [member('a', 1), { ...member('b', 2), condition }]);
      await other.raiseMark(mark('a', 1, 1));
      await other.remove('a');
      assert.deepEqual(await members.list(), [{ ...member('b', 2), condition }]);
      assert.deepEqual(await members.marks(), []);
      assert.deepEqual(await members.removed(), ['a']);
    },
  },
  {
    name: 'a mark is only raised',
    body: async (world) => {
      const { members } = await created(world);
      await members.raiseMark(mark('a', 10, 2));
      await members.raiseMark(mark('a', 9, 3));
      assert.deepEqual(await members.marks(), [mark('a', 10, 2)]);
      await members.raiseMark(mark('a', 10, 3));
      await members.raiseMark(mark('b', 4, 3));
      assert.deepEqual(await members.marks(), [mark('a', 10, 3), mark('b', 4, 3)]);
      await members.raiseMark({ ...mark('a', 1, 1), generation: 2 });
      assert.deepEqual(await members.marks(), [
        { ...mark('a', 1, 1), generation: 2 },
        mark('b', 4, 3),
      ]);
    },
  },
  {
    name: 'the first reason for a halt stays',
    body: async (world) => {
      const { members } = await created(world);
      assert.equal(await members.halt(), undefined);
      const other = open(world, world.servers.access('node')).members;
      await Promise.all([members.writeHalt('one'), other.writeHalt('one')]);
      await members.writeHalt('another');
      assert.equal(await other.halt(), 'one');
    },
  },
  {
    name: 'formats are settled by the first node, and replaced at the end of an upgrade',
    body: async (world) => {
      const { members } = await created(world);
      const other = open(world, world.servers.access('node')).members;
      assert.equal(await members.formats(), undefined);
      const begun = await Promise.all([
        members.beginFormats({ log: 1 }),
        other.beginFormats({ log: 2 }),
      ]);
      assert.deepEqual(begun[0], begun[1]);
      assert.deepEqual(await other.formats(), begun[0]);
      await members.finalizeFormats({ log: 3, identity: 4 });
      assert.deepEqual(await other.beginFormats({ log: 1 }), { log: 3, identity: 4 });
    },
  },
  {
    name: 'entries of another form are ignored, and entries of members expire',
    body: async (world) => {
      const { members } = await created(world);
      await members.put(member('a', 1));
      const link = new NatsLink(world.servers.access('node'), systemClock, 'check');
      world.endings.teardown(() => link.close());
      const bucket = membersBucket(dataSetOf(world));
      await link.ask(async ({ api }) => {
        const written = api.jetstream();
        for (const text of ['', 'no JSON', '{}', JSON.stringify({ ...member('b', 1), lsn: '' })]) {
          await written.publish(keySubject(bucket, 'mark.b'), text);
        }
        const wrong = JSON.stringify({ ...member('c', 1), role: 'emperor' });
        await written.publish(keySubject(bucket, 'member.c'), wrong);
        const stored = await api.streams.getMessage(`KV_${bucket}`, {
          last_by_subj: keySubject(bucket, 'member.a'),
        });
        assert.equal(stored?.header.get('Nats-TTL'), '86400s');
      });
      assert.deepEqual(await members.list(), [member('a', 1)]);
      assert.deepEqual(await members.marks(), []);
    },
  },
  {
    name: 'credentials for NATS without the keys name no address and displace no node',
    body: async (world) => {
      const { members } = await created(world);
      await members.beginFormats(buildFormats().reads);
      await members.put(member('a', 1));
      assert.deepEqual(await members.list(), [member('a', 1)]);
      const link = new NatsLink(world.servers.access('node'), systemClock, 'check');
      world.endings.teardown(() => link.close());
      const bucket = membersBucket(dataSetOf(world));
      const write = (id: string, entry: Member) =>
        link.ask(({ api }) =>
          api.jetstream().publish(keySubject(bucket, `member.${id}`), JSON.stringify(entry)),
        );
      const evil = { advertised: 'evil.example:1280', keys: { 'node key': 'ee' } };
      await write('a', { ...member('a', 9), ...evil });
      await write('b', { ...member('b', 9), ...evil });
      for (let number = 0; number < 100; number += 1) {
        await write(`0${number}`, member(`0${number}`, 1));
      }
      assert.deepEqual(await members.list(), [member('a', 1)]);
      const other = open(world, world.servers.access('node')).members;
      assert.deepEqual(await other.list(), [], 'a node that starts now');
      await members.put(member('a', 2));
      assert.deepEqual(await members.list(), [member('a', 2)]);
      const stranger = open(world, world.servers.access('node'), 'another key').members;
      assert.deepEqual(await stranger.list(), []);
    },
  },
  {
    name: 'an entry cannot be sent again, and nodes that write at once get theirs in',
    body: async (world) => {
      const { members } = await created(world);
      await members.beginFormats(buildFormats().reads);
      const link = new NatsLink(world.servers.access('node'), systemClock, 'check');
      world.endings.teardown(() => link.close());
      const bucket = membersBucket(dataSetOf(world));
      const [stream, subject] = [`KV_${bucket}`, keySubject(bucket, 'member.a')];
      await members.put({ ...member('a', 1), advertised: 'old.example:1280' });
      const stored = await link.ask(({ api }) =>
        api.streams.getMessage(stream, { last_by_subj: subject }),
      );
      assert.ok(stored);
      await members.put(member('a', 2));
      const sent = headers();
      sent.set('Edge-Mac', stored.header.get('Edge-Mac'));
      await link.ask(({ api }) => api.jetstream().publish(subject, stored.data, { headers: sent }));
      const other = open(world, world.servers.access('node')).members;
      assert.deepEqual(await other.list(), []);
      assert.deepEqual(
        (await other.uncounted()).map(({ id }) => id),
        ['a'],
      );
      const ids = ['a', 'b', 'c'];
      await Promise.all(ids.map((id) => members.put(member(id, 3))));
      assert.deepEqual(
        (await other.list()).map(({ id }) => id),
        ids,
      );
    },
  },
  {
    name: 'a directory that is not there is not reached',
    body: async (world) => {
      const { members } = open(world, world.servers.access('node'));
      await assert.rejects(members.list(), StreamUnreachable);
      await assert.rejects(members.halt(), StreamUnreachable);
      await assert.rejects(members.put(member('a', 1)), StreamUnreachable);
    },
  },
];

function member(id: string, lsn: number): Member {
  return {
    id,
    version: '1.0.0',
    formats: { frames: 2, records: 14 },
    advertised: 'localhost:1280',
    internal: '127.0.0.1:6280',
    role: 'following',
    generation: 1,
    term: 3,
    last: { lsn, crc: 0xffff_ffff },
    keys: { ca: 'aa:bb' },
    settingsHash: 'abc',
    atMs: 1_700_000_000_000,
  };
}

function mark(id: string, lsn: number, term: number): HighWaterMark {
  return { id, generation: 1, term, lsn, crc: lsn };
}

// Nodes with their threads, real homes and a stream in memory: frames go from the main thread
// through the stream into the homes of all.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import type { FollowingJournal } from '../../snapshots/journal.ts';
import { frameSeed } from '../../snapshots/log/frame.ts';
import { readFrames } from '../../snapshots/log/read-frames.ts';
import type { NodeEvents } from '../../src/cluster/cluster-node.ts';
import { groupKeyOf } from '../../src/cluster/log/group-message.ts';
import { openClusterHome } from '../../src/cluster/node/home-recovery.ts';
import type { SharedSnapshot } from '../../src/cluster/shared-snapshots.ts';
import type { LogPoint } from '../../src/cluster/stream.ts';
import { ClusterThread } from '../../src/cluster/thread/cluster-thread.ts';
import { sharedClock } from '../../src/platform/clock-and-random.ts';
import { anotherLook } from '../real-waits.ts';
import { clusterDataSetId, makeClusterHome, Stamping } from '../snapshots/clustered-home.ts';
import { putting } from '../snapshots/home.ts';
import { ChannelStream } from './channel-stream.ts';

const trust = {
  key: groupKeyOf(Buffer.alloc(32, 7)),
  generation: 1,
  seed: frameSeed(clusterDataSetId),
};
const bounds = {
  pendingBytesMax: 1_048_576,
  frameBytesMax: 65_536,
  groupBytesMax: 131_072,
  localBytesMax: 2_097_152,
  unappliedBytesMax: 4096,
};
const failingDisk = new URL('../snapshots/fixtures/failing-disk.ts', import.meta.url).href;
const connections = new URL('./fixtures/channel-connections.ts', import.meta.url).href;
const faultyDirectory = new URL('./fixtures/faulty-directory.ts', import.meta.url).href;

/** What a main thread was told, and a way to wait for it. */
class Told implements NodeEvents {
  readonly applied: number[] = [];
  readonly news: string[] = [];
  readonly #journal: FollowingJournal;
  #change = () => {};

  constructor(journal: FollowingJournal) {
    this.#journal = journal;
  }

  apply(frames: Buffer, last: LogPoint): void {
    this.applied.push(last.lsn);
    this.#journal.followed({ lsn: last.lsn, timeMs: 0, bytes: frames.length });
    this.#change();
  }

  lead(term: number, after: LogPoint): void {
    this.#journal.lead();
    this.#note(`lead ${term} after ${after.lsn}`);
  }

  leader(): void {}

  fenced(reason: string): void {
    this.#note(`fenced: ${reason}`);
  }

  halted(reason: string): void {
    this.#note(`halted: ${reason}`);
  }

  behind({ name }: SharedSnapshot): void {
    this.#note(`behind ${name}`);
  }

  async until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      await new Promise<void>((resolve) => {
        this.#change = resolve;
      });
    }
  }

  #note(news: string): void {
    this.news.push(news);
    this.#change();
  }
}

/** A stream in which a leader has written these groups and resigned. */
function streamOf(t: Test, stamping: Stamping, groups: readonly (readonly string[])[]) {
  const stream = new ChannelStream(`${process.pid} ${t.name}`, trust);
  t.teardown(() => stream.close());
  const by = { term: 1, nonce: '0a'.repeat(16), generation: 1 };
  stream.add({ kind: 'term', ...by, ...stamping.term(1) });
  for (const ids of groups) stream.add({ kind: 'frames', ...by, ...stamping.puts(...ids) });
  const { last } = stamping;
  stream.add({ kind: 'resign', ...by, after: last, last, frames: Buffer.alloc(0) });
  return stream;
}

async function startNode(
  t: Test,
  stream: ChannelStream,
  id: string,
  home: string,
  { confirmsReads = false, module = connections } = {},
) {
  if (!nodeDisk.exists(home)) makeClusterHome(nodeDisk, [], 65_536, home);
  const thread = new ClusterThread({
    module,
    settings: stream.name,
    node: {
      description: {
        id,
        version: '0',
        formats: {},
        advertised: '',
        internal: '',
        keys: {},
        settingsHash: '',
      },
      generation: 1,
      groupKey: trust.key,
      clockSkewMs: 500,
      isForced: true,
    },
    ask: () => Promise.reject(new Error('it is down')),
    bounds,
    confirmsReads,
    clock: sharedClock,
    diskModule: failingDisk,
  });
  const ids: string[] = [];
  const { journal, after } = await openClusterHome({
    home,
    disk: nodeDisk,
    clock: sharedClock,
    level: 'second',
    writer: 'inline',
    openWriter: thread.openWriter,
    follows: true,
    newDataSetId: 'ff'.repeat(16),
    segmentBytes: 262_144,
    frameBytesMax: bounds.frameBytesMax,
    pendingBytesMax: bounds.pendingBytesMax,
    snapshotsKept: 2,
    load: (record) => ids.push(record.id),
    shared: {
      generation: 1,
      reaches: async () => true,
      termOf: async () => 0,
      snapshots: { list: async () => [], download: async () => {} },
    },
    replacing: () => t.fail('nothing has to be replaced'),
  });
  const told = new Told(journal);
  t.teardown(async () => {
    await journal.close().catch(() => undefined);
    await thread.stop();
  });
  return { thread, journal, told, after, ids, start: () => thread.start(after, told) };
}

function framesIn(home: string): string[] {
  return [...readFrames(nodeDisk, home)].map((entry) =>
    entry.entry === 'transaction' ? entry.frame.changes.map(({ id }) => id).join() : entry.entry,
  );
}

t.test('a node follows, leads, writes and hands over', async (t) => {
  const root = t.testdir();
  const stamping = new Stamping();
  const stream = streamOf(t, stamping, [['a'], ['b', 'c']]);
  const [homeA, homeB] = [join(root, 'a'), join(root, 'b')];
  const first = await startNode(t, stream, 'a', homeA);
  t.notOk(first.thread.mayAnswer());
  t.throws(() => first.journal.append(putting('early')), /follows another/);
  first.start();
  await first.told.until(() => first.told.news.length > 0);
  t.strictSame(first.told.news, ['lead 2 after 5'], 'after a resignation it need not wait');
  t.strictSame(first.told.applied, [1, 2, 4, 5], 'everything was applied before');
  t.ok(first.thread.mayAnswer());
  t.match(first.thread.state, { role: 'leading', term: 2 });

  t.equal(first.journal.append(putting('d')), 6);
  t.equal(first.journal.append(putting('e')), 7);
  await first.journal.flush();
  t.equal(first.journal.durableLsn, 7);
  t.match(first.journal.figures, { framesWritten: 7 });
  const groups = stream.groups.filter(({ kind }) => kind === 'frames');
  const last = groups.at(-1)?.last;
  t.equal(last?.lsn, 7, 'durable means in the stream');
  t.strictSame(first.thread.position, { ...last, generation: 1 });

  const second = await startNode(t, stream, 'b', homeB);
  second.start();
  await second.told.until(() => second.told.applied.includes(7));
  for (let n = 0; n < 300; n++) first.journal.append(putting(`n${n}`, 'x'.repeat(500)));
  await first.journal.flush();
  await second.told.until(() => second.told.applied.includes(307));
  t.notOk(second.thread.mayAnswer());

  await first.thread.resign();
  t.equal(await first.thread.share('none.snap', 307), undefined, 'the next leader shares');
  await first.told.until(() => first.told.news.length > 1);
  t.match(first.told.news.at(-1), /fenced: it has resigned/);
  t.notOk(first.thread.mayAnswer());
  await second.told.until(() => second.told.news.length > 0);
  t.strictSame(second.told.news, ['lead 3 after 308']);
  t.equal(second.journal.append(putting('f')), 309);
  await second.journal.flush();

  const snapshot = await second.journal.writeSnapshot([]);
  t.equal(snapshot.lsn, 309);
  t.ok(framesIn(homeB).length === 309, 'the log is synced up to a snapshot before it is named');
  await first.journal.close();
  await second.journal.close();
  const [inA, inB] = [framesIn(homeA), framesIn(homeB)];
  t.strictSame(inA, inB.slice(0, 307));
  const bytesA = readFileSync(join(homeA, 'log/0000000000000001.log'));
  const bytesB = readFileSync(join(homeB, 'log/0000000000000001.log'));
  t.ok(bytesA.subarray(512, 40_000).equals(bytesB.subarray(512, 40_000)), 'byte for byte');
  await first.thread.stop();
  await second.thread.stop();
});

t.test('a full local disk holds up neither writes nor leadership', async (t) => {
  const home = join(t.testdir(), 'a');
  const stream = streamOf(t, new Stamping(), [['a']]);
  const { journal, thread, told, start } = await startNode(t, stream, 'a', home);
  start();
  await told.until(() => told.news.length > 0);
  writeFileSync(join(home, 'full'), '');
  journal.append(putting('b'));
  await journal.flush();
  t.strictSame(journal.health, { state: 'writable' });
  await t.rejects(journal.writeSnapshot([]), /the local log is stalled|ENOSPC/);
  while (thread.state.localLog === undefined) {
    await anotherLook();
  }
  t.match(thread.state.localLog, /the local log is stalled: ENOSPC/);
  for (let n = 0; n < 40; n++) {
    journal.append(putting(`n${n}`, 'x'.repeat(60_000)));
    await journal.flush();
  }
  t.match(thread.state, { role: 'leading' });
  rmSync(join(home, 'full'));
  while (thread.state.localLog !== undefined) {
    await anotherLook();
  }
  await journal.close();
  t.equal(framesIn(home).length, journal.lastLsn, 'what it missed came from the stream');
  await thread.stop();
});

t.test('a node that is started again goes on where its home ends', async (t) => {
  const home = join(t.testdir(), 'a');
  const stamping = new Stamping();
  const stream = streamOf(t, stamping, [['a'], ['b']]);
  const { journal, thread, told, start } = await startNode(t, stream, 'a', home);
  start();
  await told.until(() => told.news.length > 0);
  journal.append(putting('c'));
  await journal.flush();
  await thread.resign();
  await journal.close();
  await thread.stop();
  const again = await startNode(t, stream, 'a', home);
  t.strictSame(again.after.lsn, 5);
  t.strictSame(again.ids.sort(), ['a', 'b', 'c']);
  again.start();
  await again.told.until(() => again.told.news.length > 0);
  t.strictSame(again.told.news, ['lead 3 after 6']);
  t.strictSame(again.told.applied, [6]);
  await again.journal.close();
  await again.thread.stop();
});

t.test('a wrong message halts the node', async (t) => {
  const home = join(t.testdir(), 'a');
  const stamping = new Stamping();
  const stream = streamOf(t, stamping, [['a']]);
  const by = { term: 1, nonce: '0a'.repeat(16), generation: 1 };
  const { after, frames } = stamping.puts('b');
  stream.add({ kind: 'frames', ...by, after, last: { lsn: after.lsn + 1, crc: 1 }, frames });
  const { thread, told, start } = await startNode(t, stream, 'a', home);
  start();
  await told.until(() => told.news.length > 0);
  t.match(told.news[0], /^halted: message 4 /);
  t.equal(thread.state.role, 'halted');
  t.notOk(thread.mayAnswer());
});

t.test('a mistake of the program while room is made ends the thread', async (t) => {
  const stream = streamOf(t, new Stamping(), [['a']]);
  const home = join(t.testdir(), 'a');
  const { journal, start } = await startNode(t, stream, 'a', home, { module: faultyDirectory });
  start();
  while (journal.health.state !== 'failed') await anotherLook();
  t.match(journal.health, { reason: /the cluster thread died: a mistake in the directory/ });
});

t.test('reads are confirmed by messages that are published after them', async (t) => {
  const stream = streamOf(t, new Stamping(), [['a']]);
  const { journal, thread, told, start } = await startNode(
    t,
    stream,
    'a',
    join(t.testdir({}), 'a'),
    { confirmsReads: true },
  );
  start();
  await told.until(() => told.news.length > 0);
  const { reads } = thread;
  if (reads === undefined) return t.fail('reads are not confirmed');
  const read = () => {
    const stamp = reads.ask();
    return new Promise<void>((resolve) => reads.onceConfirmed(stamp, resolve));
  };
  const heartbeats = () => stream.groups.filter(({ kind }) => kind === 'heartbeat').length;
  for (let turn = 0; turn < 5; turn++) {
    const before = heartbeats();
    await Promise.all([read(), read(), read()]);
    t.ok(heartbeats() > before);
  }
  journal.append(putting('b'));
  await Promise.all([read(), journal.flush()]);
  t.equal(journal.durableLsn, journal.lastLsn);
});

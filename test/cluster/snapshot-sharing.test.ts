// Who shares which snapshot, and what is freed afterwards.

import t from 'tap';
import { groupMessage } from '../../src/cluster/log/group-message.ts';
import type { Member, MemberCondition, NodeRole } from '../../src/cluster/membership.ts';
import { memberAwayMs } from '../../src/cluster/node/watch.ts';
import type { SharedSnapshot, StoreState } from '../../src/cluster/shared-snapshots.ts';
import {
  type LogPoint,
  type Stream,
  type StreamMessage,
  StreamUnreachable,
} from '../../src/cluster/stream.ts';
import { crcInLog } from '../../src/cluster/thread/local-frames.ts';
import { SnapshotSharing } from '../../src/cluster/thread/snapshot-sharing.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { memberOf } from '../simulated/cluster-servers.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { makeClusterHome, Stamping } from '../snapshots/clustered-home.ts';
import { groupOf, leadership, trust } from './groups.ts';

/** A stream of a term and of groups with two frames each, and a store of snapshots. */
class World {
  readonly shared: SharedSnapshot[] = [];
  readonly calls: string[] = [];
  readonly crcs = new Map<number, number>();
  readonly clock = new SimulatedClock(1_000_000);
  first = 1;
  members: Partial<Member>[] = [];
  role: NodeRole = 'following';
  store: StoreState | undefined;
  fileBytes = 1;
  uploadFails = false;
  readonly sharing: SnapshotSharing;
  readonly #messages: StreamMessage[] = [];

  constructor(groups = 10) {
    const by = leadership(1);
    let last: LogPoint = { lsn: 0, crc: 0 };
    for (let n = 0; n < groups; n++) {
      const group = groupOf(by, last, n === 0 ? [] : [n, -n], n === 0 ? 'term' : 'frames');
      const { headers, body } = groupMessage(group, n + 1, trust.key);
      this.#messages.push({ sequence: n + 1, serverTimeMs: 0, headers, body });
      last = group.last;
      this.crcs.set(last.lsn, last.crc);
    }
    this.sharing = new SnapshotSharing({
      id: 'b',
      stream: this.#stream(),
      members: { list: async () => this.#list() },
      clock: this.clock,
      bytesOf: () => this.fileBytes,
      wantSnapshot: () => void this.calls.push('want a snapshot'),
      snapshots: {
        list: async () => [...this.shared].sort((one, other) => other.lsn - one.lsn),
        upload: async (file, snapshot, bytesPerSecond) => {
          if (this.uploadFails) throw new StreamUnreachable('timeout');
          this.calls.push(`upload ${file} at ${bytesPerSecond / 1e6} MB/s`);
          const kept = { ...snapshot, name: `s${snapshot.lsn}`, bytes: 1 };
          this.shared.push(kept);
          return kept;
        },
        download: async () => {},
        remove: async ({ name }) => {
          this.calls.push(`remove ${name}`);
          this.shared.splice(
            this.shared.findIndex((one) => one.name === name),
            1,
          );
        },
        removeRemains: async () => void this.calls.push('remove remains'),
      },
      trust,
      state: () => {
        return {
          role: this.role,
          generation: 1,
          term: 1,
          last,
          sequence: groups,
          leaderId: undefined,
          lagMs: 0,
          inFlight: 0,
          clockSkewMs: 0,
          takeovers: 0,
          trouble: undefined,
          localLog: undefined,
          store: this.store,
        };
      },
      crcOf: (lsn) => this.crcs.get(lsn),
    });
  }

  #stream(): Stream {
    return {
      generation: 1,
      read: async (sequence) => (sequence < this.first ? undefined : this.#messages[sequence - 1]),
      state: async () => {
        return { first: this.first, last: this.#messages.length, configuration: {} };
      },
      publish: async () => ({ outcome: 'refused' }),
      follow: () => ({ stop: () => undefined }),
      purge: async (sequence) => {
        this.calls.push(`purge up to ${sequence}`);
        this.first = sequence;
      },
    };
  }

  #list(): readonly Member[] {
    return this.members.map((member) => {
      return memberOf('', { atMs: this.clock.now(), ...member });
    });
  }
}

t.test('the third snapshot frees the first, and the stream up to the second', async (t) => {
  const world = new World();
  t.match(await world.sharing.share('/5', 5), { lsn: 5, sequence: 3, crc: world.crcs.get(5) });
  t.match(await world.sharing.share('/9', 9), { sequence: 5 });
  t.strictSame(world.calls, ['upload /5 at 10 MB/s', 'upload /9 at 10 MB/s', 'purge up to 3']);
  world.calls.length = 0;
  await world.sharing.share('/13', 13);
  t.strictSame(world.calls, ['upload /13 at 10 MB/s', 'remove s5', 'purge up to 5']);
  t.equal(await world.sharing.share('/13', 13), undefined, 'once is enough');
  t.equal(await world.sharing.share('/11', 11), undefined, 'an older one is of no use');
});

t.test('a snapshot of a leader within a group belongs to the message of the group', async (t) => {
  const world = new World();
  world.crcs.set(6, 1234);
  t.match(await world.sharing.share('/6', 6), { lsn: 6, sequence: 4, crc: 1234 });
});

t.test('another frame with its LSN in the stream: nothing is shared', async (t) => {
  const world = new World();
  world.crcs.set(5, 1);
  await t.rejects(world.sharing.share('/5', 5), { name: 'LogFork' });
  await t.rejects(world.sharing.share('/8', 8), /does not hold LSN 8/);
  t.strictSame(world.calls, []);
});

t.test('the follower with the lowest id shares, or a leader alone', async (t) => {
  const follower = (id: string, generation = 1) => {
    return { id, role: 'following', generation } as const;
  };
  const cases = [
    ['following', [], true],
    ['following', [follower('a')], false],
    ['following', [follower('c'), follower('b')], true],
    ['following', [follower('a', 2)], true],
    ['following', [{ ...follower('a'), role: 'leading' }], true],
    ['leading', [follower('c')], false],
    ['leading', [{ ...follower('a'), role: 'leading' }], true],
    ['standing', [], false],
    ['isolated', [], false],
  ] as const;
  for (const [role, members, shares] of cases) {
    const world = new World();
    world.role = role;
    world.members = [...members];
    const shared = await world.sharing.share('/5', 5);
    t.equal(shared !== undefined, shares, `${role} beside ${JSON.stringify(members)}`);
  }
});

const well: MemberCondition = {
  lagMs: 0,
  clockSkewMs: 0,
  inFlight: 0,
  takeovers: 0,
  trouble: undefined,
  localLog: undefined,
};

t.test('a follower that is not heard, or cannot share, leaves it to the others', async (t) => {
  const atMs = 1_000_000 - memberAwayMs;
  const cases: readonly (readonly [string, Partial<Member>, boolean])[] = [
    ['heard 10 s ago', { atMs }, false],
    ['dead', { atMs: atMs - 1 }, true],
    ['failed once', { condition: { ...well, sharesFailed: 1 } }, false],
    ['failed twice', { condition: { ...well, sharesFailed: 2 } }, true],
    ['with a full disk', { condition: { ...well, localLog: 'ENOSPC' } }, true],
  ];
  for (const [what, member, shares] of cases) {
    for (const role of ['following', 'leading'] as const) {
      const world = new World();
      world.role = role;
      world.members = [{ id: 'a', role: 'following', ...member }];
      const shared = await world.sharing.share('/5', 5);
      t.equal(shared !== undefined, shares, `${role} beside one that is ${what}`);
    }
  }
});

t.test('a node that has failed twice lets the next one try', async (t) => {
  const world = new World();
  world.members = [{ id: 'c' }];
  world.uploadFails = true;
  await t.rejects(world.sharing.share('/5', 5), StreamUnreachable);
  world.sharing.failed();
  t.equal(world.sharing.failures, 2);
  world.uploadFails = false;
  t.equal(await world.sharing.share('/9', 9), undefined, 'the other one shares');
  t.equal(world.sharing.failures, 2, 'leaving it to the other one is no success');
  world.shared.push({ name: 's11', generation: 1, lsn: 11, crc: 0, sequence: 6, bytes: 1 });
  world.members = [];
  t.equal(await world.sharing.share('/11', 11), undefined, 'another node has shared it');
  t.equal(world.sharing.failures, 2);
  t.match(await world.sharing.share('/13', 13), { lsn: 13 }, 'there is no other one');
  t.equal(world.sharing.failures, 0);
});

t.test('a leader shares if no follower has for two intervals', async (t) => {
  const world = new World();
  world.role = 'leading';
  world.members = [{ id: 'a' }];
  const shared = (lsn: number) => {
    world.shared.push({ name: `s${lsn}`, generation: 1, lsn, crc: 0, sequence: 1, bytes: 1 });
  };
  shared(3);
  for (const lsn of [5, 7]) t.equal(await world.sharing.share(`/${lsn}`, lsn), undefined);
  t.match(await world.sharing.share('/9', 9), { lsn: 9 });
  t.equal(await world.sharing.share('/11', 11), undefined);
  shared(12);
  for (const lsn of [13, 15]) t.equal(await world.sharing.share(`/${lsn}`, lsn), undefined);
});

/** A store of so many bytes at most, of which the log takes 100 and a snapshot would take 110. */
function storeOf(bytesMax: number): StoreState {
  const shared = { lsn: 5, bytes: 10, atMs: 1 };
  const bound = { of: 'The account at NATS', usedBytes: 120, bytesMax, copies: 1 };
  return { streamBytes: 100, shared, bounds: [bound] };
}

/** Just enough for the next snapshot beside a reserve of a tenth. */
const enoughBytes = (120 + 110) / 0.9;

t.test(
  'with too little room, the first follower keeps one snapshot and wants another',
  async (t) => {
    const world = new World();
    await world.sharing.share('/5', 5);
    await world.sharing.share('/9', 9);
    world.calls.length = 0;
    world.store = storeOf(enoughBytes + 1);
    await world.sharing.makeRoom();
    t.strictSame(world.calls, []);
    world.store = storeOf(enoughBytes - 1);
    world.members = [{ id: 'a' }];
    await world.sharing.makeRoom();
    t.strictSame(world.calls, [], 'the other one does it');
    world.members = [];
    await world.sharing.makeRoom();
    await world.sharing.makeRoom();
    const freed = ['remove remains', 'remove s5', 'purge up to 5', 'want a snapshot'];
    t.strictSame(world.calls, freed, 'once in 30 s');
    world.calls.length = 0;
    world.members = [{ id: 'a' }];
    await world.sharing.share('/13', 13);
    const shared = ['upload /13 at 10 MB/s', 'remove s9', 'purge up to 7'];
    t.strictSame(world.calls, shared, 'what was wanted is shared, whoever has the lowest id');
    world.calls.length = 0;
    world.members = [];
    world.store = storeOf(enoughBytes + 1);
    await world.sharing.makeRoom();
    world.store = storeOf(enoughBytes - 1);
    await world.sharing.makeRoom();
    t.match(world.calls, ['remove remains'], 'at once if the last time has helped');
  },
);

t.test('a bound that only another node sees counts', async (t) => {
  const world = new World();
  world.members = [
    { id: 'c', role: 'leading', condition: { ...well, store: storeOf(enoughBytes - 1) } },
  ];
  await world.sharing.makeRoom();
  t.strictSame(world.calls, ['remove remains', 'want a snapshot']);
});

t.test('what another node saw before the newest shared snapshot is outdated', async (t) => {
  const world = new World();
  const store = storeOf(enoughBytes - 1);
  const roomy = storeOf(enoughBytes + 1);
  const before = {
    id: 'c',
    condition: { ...well, store: { ...store, shared: { lsn: 4, bytes: 10 } } },
  };
  world.members = [before];
  world.store = roomy;
  await world.sharing.makeRoom();
  t.strictSame(world.calls, [], 'the same bound as it is now has room');
  world.store = { ...roomy, bounds: roomy.bounds.map((bound) => ({ ...bound, of: 'Server 1' })) };
  await world.sharing.makeRoom();
  t.strictSame(world.calls, ['remove remains', 'want a snapshot'], 'nobody has seen it since');
});

t.test('a leader makes room if its followers have not, and an isolated one frees', async (t) => {
  const world = new World();
  world.store = storeOf(enoughBytes - 1);
  world.members = [{ id: 'a' }];
  world.role = 'leading';
  await world.sharing.makeRoom();
  world.clock.advance(29_999);
  await world.sharing.makeRoom();
  t.strictSame(world.calls, []);
  world.clock.advance(1);
  await world.sharing.makeRoom();
  t.strictSame(world.calls, ['remove remains', 'want a snapshot']);
  world.clock.advance(60_000);
  world.role = 'isolated';
  world.calls.length = 0;
  await world.sharing.makeRoom();
  t.strictSame(world.calls, ['remove remains'], 'what is not confirmed cannot be shared');
});

t.test('a leader that is due to share still lets its followers make room', async (t) => {
  const world = new World();
  world.role = 'leading';
  world.members = [{ id: 'a' }];
  world.shared.push({ name: 's12', generation: 1, lsn: 12, crc: 0, sequence: 1, bytes: 1 });
  for (const lsn of [5, 7, 9]) t.equal(await world.sharing.share(`/${lsn}`, lsn), undefined);
  world.store = storeOf(enoughBytes - 1);
  await world.sharing.makeRoom();
  t.strictSame(world.calls, []);
});

t.test('nothing is uploaded that would fill the store', async (t) => {
  const world = new World();
  world.store = storeOf(200);
  world.fileBytes = 71;
  await t.rejects(world.sharing.share('/5', 5), /^NATS has no room for 71 more bytes/);
  world.fileBytes = 70;
  t.match(await world.sharing.share('/9', 9), { lsn: 9 });
});

t.test('one snapshot at a time', async (t) => {
  const world = new World();
  const [first, second] = await Promise.all([
    world.sharing.share('/5', 5),
    world.sharing.share('/9', 9),
  ]);
  t.match([first?.lsn, second], [5, undefined]);
});

t.test('the checksum of a frame in the local log', (t) => {
  const disk = new SimulatedDisk(1);
  const stamping = new Stamping();
  const groups = Array.from({ length: 20 }, (_, n) => stamping.puts(`i${n}`));
  makeClusterHome(disk, groups, 1024);
  for (const { last } of groups) t.equal(crcInLog(disk, '/home', last.lsn), last.crc);
  t.equal(crcInLog(disk, '/home', 21), undefined);
  t.equal(crcInLog(disk, '/home', 0), 0);
  t.end();
});

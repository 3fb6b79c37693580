// Who shares which snapshot, and what is freed afterwards.

import t from 'tap';
import type {
  LogPoint,
  Member,
  NodeRole,
  SharedSnapshot,
  Stream,
  StreamMessage,
} from '../../src/cluster/contract.ts';
import { groupMessage } from '../../src/cluster/group-message.ts';
import { crcInLog } from '../../src/cluster/thread/local-frames.ts';
import { SnapshotSharing } from '../../src/cluster/thread/snapshot-sharing.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { makeClusterHome, Stamping } from '../snapshots/clustered-home.ts';
import { groupOf, leadership, trust } from './groups.ts';

/** A stream of a term and of groups with two frames each, and a store of snapshots. */
class World {
  readonly shared: SharedSnapshot[] = [];
  readonly calls: string[] = [];
  readonly crcs = new Map<number, number>();
  first = 1;
  members: Pick<Member, 'id' | 'role' | 'generation'>[] = [];
  role: NodeRole = 'following';
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
      members: this.#directory(),
      snapshots: {
        list: async () => [...this.shared].sort((one, other) => other.lsn - one.lsn),
        upload: async (file, snapshot, bytesPerSecond) => {
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

  #directory() {
    const list = async (): Promise<readonly Member[]> =>
      this.members.map((member) => {
        const unknown = { version: '', formats: {}, advertised: '', internal: '', keys: {} };
        return {
          ...unknown,
          settingsHash: '',
          term: 1,
          atMs: 0,
          last: { lsn: 0, crc: 0 },
          ...member,
        };
      });
    return {
      list,
      put: async () => {},
      raiseMark: async () => {},
      marks: async () => [],
      removed: async () => [],
      halt: async () => undefined,
      writeHalt: async () => {},
      formats: async () => undefined,
      beginFormats: async () => ({}),
      finalizeFormats: async () => {},
      remove: async () => {},
    };
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

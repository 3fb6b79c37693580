// The lock of a home: a live holder keeps everybody out, a dead one nobody.

import t from 'tap';
import { HomeLocked } from '../../snapshots/errors.ts';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { acquireLock } from '../../snapshots/home/lock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';

function newDisk(): SimulatedDisk {
  const disk = new SimulatedDisk(1);
  disk.makeDirectory('/home');
  return disk;
}

function stat(pid: number, state: string, startTicks: number): Buffer {
  const between = Array.from({ length: 18 }, (_, index) => index).join(' ');
  return Buffer.from(`${pid} (a (b) c) ${state} ${between} ${startTicks} 0 0\n`);
}

function lockOf(pid: number, startTicks: number | null, bootId: string | null): Buffer {
  return Buffer.from(JSON.stringify({ pid, startTicks, bootId }));
}

t.test('a live holder keeps everybody out, itself included', async (t) => {
  const disk = newDisk();
  const release = acquireLock(disk, '/home');
  t.throws(() => acquireLock(disk, '/home'), HomeLocked);
  t.throws(() => acquireLock(disk, '/home'), {
    message: /^\/home is in use by process \d+: stop that one first, or choose another home$/,
  });
  release();
  t.notOk(disk.exists('/home/lock'));
  acquireLock(disk, '/home')();
});

t.test('another live process keeps us out', async (t) => {
  const disk = newDisk();
  disk.place('/proc/4242/stat', stat(4242, 'S', 77));
  disk.place('/home/lock', lockOf(4242, 77, 'boot-1'));
  t.throws(() => acquireLock(disk, '/home'), { name: 'HomeLocked', pid: 4242 });
});

const dead: readonly (readonly [string, Buffer, Buffer | undefined])[] = [
  ['a killed process', lockOf(4242, 77, 'boot-1'), undefined],
  ['a reused pid', lockOf(4242, 77, 'boot-1'), stat(4242, 'S', 78)],
  ['a zombie', lockOf(4242, 77, 'boot-1'), stat(4242, 'Z', 77)],
  ['another boot', lockOf(4242, 77, 'boot-0'), stat(4242, 'S', 77)],
  ['our own pid in an earlier life', lockOf(process.pid, 0, 'boot-1'), undefined],
  ['a lock cut short', Buffer.from('{"pid":4242,"st'), stat(4242, 'S', 77)],
  ['an empty lock', Buffer.alloc(0), undefined],
];

for (const [name, lock, holder] of dead) {
  t.test(`${name} does not block a start`, async (t) => {
    const disk = newDisk();
    disk.place('/home/lock', lock);
    if (holder !== undefined) disk.place('/proc/4242/stat', holder);
    const release = acquireLock(disk, '/home');
    t.throws(() => acquireLock(disk, '/home'), HomeLocked);
    release();
    t.strictSame(disk.list('/home'), [], 'nothing is left behind');
  });
}

t.test('what a starter left that died while it took over is cleared away', async (t) => {
  const disk = newDisk();
  const lock = lockOf(4242, 77, 'boot-0');
  for (const pid of [4242, 4243, process.pid]) disk.place(`/home/lock.${pid}`, lock);
  disk.place('/proc/4243/stat', stat(4243, 'S', 1));
  acquireLock(disk, '/home');
  t.strictSame(disk.list('/home'), ['lock', 'lock.4243'], 'but for one that still lives');
});

t.test('a restart after a kill or a crash gets in', async (t) => {
  for (const end of ['kill', 'crash'] as const) {
    const disk = newDisk();
    acquireLock(disk, '/home');
    acquireLock(disk[end](), '/home');
  }
  t.pass('both got in');
});

t.test('release leaves a lock that is no longer ours', async (t) => {
  const disk = newDisk();
  const release = acquireLock(disk, '/home');
  disk.place('/home/lock', lockOf(4242, 77, 'boot-1'));
  release();
  t.ok(disk.exists('/home/lock'));
});

t.test('on the real disk', async (t) => {
  const home = t.testdir();
  const release = acquireLock(nodeDisk, home);
  t.throws(() => acquireLock(nodeDisk, home), { name: 'HomeLocked', pid: process.pid });
  release();
  acquireLock(nodeDisk, home)();
});

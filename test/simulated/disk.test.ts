// The simulated disk forgets what was not synced, and nothing else.

import t from 'tap';

import { SimulatedCrash, SimulatedDisk, sectorBytes } from './disk.ts';

function diskWith(seed: number): SimulatedDisk {
  const disk = new SimulatedDisk(seed);
  disk.makeDirectory('/d');
  return disk;
}

t.test('what was synced survives; each sector that was not, by chance', async (t) => {
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= 100; seed++) {
    const disk = diskWith(seed);
    const file = disk.open('/d/file', 'create');
    file.write([Buffer.alloc(2 * sectorBytes, 1)], 0);
    file.sync();
    disk.syncDirectory('/d');
    file.write([Buffer.alloc(2 * sectorBytes, 2)], 0);
    const found = disk.crash().bytesOf('/d/file');
    t.equal(found.length, 2 * sectorBytes);
    t.ok(found.every((byte) => byte === 1 || byte === 2));
    outcomes.add(`${found[0]}${found[sectorBytes]}`);
  }
  t.equal(outcomes.size, 4, 'every combination happens');
});

t.test('names that were not synced survive or not; a killed process loses nothing', async (t) => {
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= 50; seed++) {
    const disk = diskWith(seed);
    disk.open('/d/a', 'create').close();
    disk.syncDirectory('/d');
    disk.rename('/d/a', '/d/b');
    outcomes.add(disk.crash().list('/d').join());
  }
  t.strictSame([...outcomes].sort(), ['a', 'b']);
  const disk = diskWith(1);
  disk.open('/d/a', 'create').write([Buffer.from('text')], 0);
  t.equal(disk.kill().bytesOf('/d/a').toString(), 'text');
});

t.test('directories are renamed and removed as a whole, durably once that is synced', async (t) => {
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= 50; seed++) {
    const disk = diskWith(seed);
    disk.place('/d/a/one', Buffer.from('1'));
    disk.place('/d/a/b/two', Buffer.from('2'));
    disk.rename('/d/a', '/d/c');
    t.strictSame([disk.entries('/d'), disk.entries('/d/c')], [['c'], ['b', 'one']]);
    outcomes.add(disk.crash().entries('/d').join());
  }
  t.strictSame([...outcomes].sort(), ['a', 'c']);
  const disk = diskWith(1);
  disk.place('/d/a/one', Buffer.from('1'));
  disk.place('/d/full/two', Buffer.from('2'));
  t.throws(() => disk.rename('/d/a', '/d/full'), { code: 'ENOTEMPTY' });
  disk.open('/d/a/new', 'create');
  t.throws(() => disk.rename('/d/a', '/d/b'), /not synced/);
  disk.removeTree('/d/a');
  disk.removeTree('/d/none');
  disk.makeDirectory('/d/a');
  disk.open('/d/a/three', 'create');
  disk.syncDirectory('/d/a');
  disk.syncDirectory('/d');
  t.strictSame(disk.crash().entries('/d/a'), ['three'], 'the name was given again');
});

t.test('the n-th call fails; after a crash every call does', async (t) => {
  const disk = diskWith(1);
  const file = disk.open('/d/file', 'create');
  disk.failCall(2, 'ENOSPC');
  file.write([Buffer.from('a')], 0);
  t.throws(() => file.write([Buffer.from('b')], 1), { code: 'ENOSPC' });
  file.write([Buffer.from('b')], 1);
  disk.failCall(1, 'crash');
  t.throws(() => file.sync(), SimulatedCrash);
  t.ok(disk.crashed);
  t.throws(() => file.read(0, 1), SimulatedCrash);
  t.throws(() => disk.exists('/d/file'), SimulatedCrash);
});

t.test('reads count when they should, and looks never do', async (t) => {
  const disk = diskWith(1);
  const calls: string[] = [];
  const faults: string[] = [];
  disk.onCall = (what, path) => calls.push(`${what} ${path}`);
  disk.onFault = (what, path) => faults.push(`${what} ${path}`);
  const file = disk.open('/d/file', 'create');
  file.write([Buffer.from('a')], 0);
  file.read(0, 1);
  disk.countReads();
  disk.failCall(2, 'ENOSPC');
  file.read(0, 1);
  disk.quietly(() => file.read(0, 1));
  t.throws(() => file.read(0, 1), { code: 'EIO' }, 'no read ends for want of room');
  t.strictSame(calls, ['create /d/file', 'write /d/file', 'read /d/file', 'read /d/file']);
  t.strictSame(faults, ['read /d/file']);
});

t.test('after a failed sync a later one does not bring the bytes back', async (t) => {
  let lost = 0;
  for (let seed = 1; seed <= 50; seed++) {
    const disk = diskWith(seed);
    const file = disk.open('/d/file', 'create');
    file.write([Buffer.alloc(sectorBytes, 1)], 0);
    file.sync();
    disk.syncDirectory('/d');
    file.write([Buffer.alloc(sectorBytes, 2)], 0);
    disk.failCall(1, 'EIO');
    t.throws(() => file.sync(), { code: 'EIO' });
    file.sync();
    t.equal(file.read(0, 1)[0], 2, 'the cache still shows them');
    if (disk.crash().bytesOf('/d/file')[0] === 1) lost++;
  }
  t.ok(lost > 5 && lost < 45);
});

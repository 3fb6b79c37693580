// Files as of one moment, while a controller writes on and lets go of old ones.

import { t } from 'tap';
import { FilesOfAMoment } from '../../snapshots/check/check-files.ts';
import { logDirectory, manifestPath } from '../../snapshots/home/layout.ts';
import { readManifest } from '../../snapshots/home/manifest.ts';
import { recoverHome } from '../../snapshots/home/recovery.ts';
import { readFrames } from '../../snapshots/log/read-frames.ts';
import type { Disk } from '../../src/platform/ports.ts';
import { flushed } from '../commands/offline/looking.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const limits = { segmentBytes: 64 * 1024, frameBytesMax: 48 * 1024 };

async function fill(network: Network, name: string): Promise<void> {
  const tags = { text: 'x'.repeat(10_000) };
  for (let i = 0; i < 12; i++) {
    await network.create('services', { name: `${name} ${i}`, encryptionRequired: true, tags });
  }
  await network.must('POST', 'M:/database/snapshot');
  await network.advance(120_000);
  await network.logInAdmin();
  await flushed(network);
}

function recordsIn(disk: Disk): number {
  const manifest = readManifest(disk, '/home');
  if (manifest === undefined) throw new Error('no manifest');
  return recoverHome(disk, '/home', manifest, undefined).load(() => undefined);
}

t.test('show what was there, whatever is dropped and written', async (t) => {
  const network = await bootNetwork({ limits });
  await fill(network, 'a');
  await fill(network, 'b');
  const { disk } = network;
  const files = new FilesOfAMoment(disk, '/home', true);
  const frames = [...readFrames(files, '/home')].length;
  const records = recordsIn(files);
  const names = files.list(logDirectory('/home'));
  await fill(network, 'c');
  await fill(network, 'd');
  t.not(disk.list(logDirectory('/home')).join(), names.join(), 'segments went meanwhile');
  t.equal([...readFrames(files, '/home')].length, frames);
  t.equal(recordsIn(files), records);
  t.ok(recordsIn(disk) > records);
  files.close();
});

t.test('nothing can be changed through them', async (t) => {
  const { disk } = await bootNetwork();
  const files = new FilesOfAMoment(disk, '/home', false);
  const manifest = manifestPath('/home');
  t.ok(files.exists(manifest) && files.exists('/home') && !files.exists('/home/lock'));
  t.throws(() => files.open('/home/gone', 'read'), { code: 'ENOENT' });
  const file = files.open(manifest, 'read');
  const attempts: (() => unknown)[] = [
    () => files.open(manifest, 'edit'),
    () => files.open('/home/new', 'create'),
    () => files.remove(manifest),
    () => (files as Disk).rename(manifest, '/home/other'),
    () => files.makeDirectory('/home/new'),
    () => files.syncDirectory('/home'),
    () => (file as ReturnType<Disk['open']>).write([], 0),
  ];
  for (const attempt of attempts) t.throws(attempt, /a check never changes/);
});

t.test('files that are dropped while they are listed make it list them again', async (t) => {
  const network = await bootNetwork({ limits });
  await fill(network, 'a');
  const { disk } = network;
  let tries = 0;
  const dropping: Disk = {
    open: (path, mode) => {
      if (path.endsWith('.log') && tries++ === 0) {
        throw Object.assign(new Error('gone'), { code: 'ENOENT' });
      }
      return disk.open(path, mode);
    },
    exists: (path) => disk.exists(path),
    list: (path) => disk.list(path),
    makeDirectory: () => undefined,
    rename: () => undefined,
    remove: () => undefined,
    syncDirectory: () => undefined,
  };
  const files = new FilesOfAMoment(dropping, '/home', true);
  t.ok(recordsIn(files) > 0);
  tries = 0;
  t.throws(() => new FilesOfAMoment(dropping, '/home', false), { code: 'ENOENT' });
});

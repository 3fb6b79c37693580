// Backups: what comes back, what is noticed, and that a failure leaves nothing.

import t from 'tap';
import { NewerFormat, RestoreRefused } from '../../snapshots/errors.ts';
import {
  type BackupOrder,
  contentsName,
  isBackup,
  readBackup,
  recordsName,
  writeBackup,
} from '../../snapshots/home/backup.ts';
import { headedText } from '../../snapshots/home/headed-json.ts';
import { acquireLock } from '../../snapshots/home/lock.ts';
import type { Fault, SimulatedDisk } from '../simulated/disk.ts';
import { hour, restorableHome, snapshotLsn, snapshotPath } from './restorable.ts';

const order: BackupOrder = {
  release: '0.1.0',
  home: '/home',
  snapshot: snapshotPath,
  files: ['config.json', 'pki/ca.pem'],
  elsewhere: [{ setting: 'pki.serverCert', path: '/etc/server.pem' }],
};

const paths = ['config.json', contentsName, 'pki/ca.pem', recordsName].map((path) => `/b/${path}`);

t.test('what was written is read, and stands there in plain sight', async (t) => {
  const disk = await restorableHome();
  t.notOk(isBackup(disk, '/b'));
  const written = writeBackup(disk, '/b', order);
  t.ok(isBackup(disk, '/b'));
  t.match(written, { lsn: snapshotLsn, records: 3, time: new Date(hour(3)).toISOString() });
  t.same(readBackup(disk, '/b'), written);
  t.same(written.elsewhere, order.elsewhere);
  t.same(disk.entries('/b'), ['config.json', contentsName, 'pki', recordsName]);
  t.same(disk.entries('/').includes('b.unfinished'), false);
  t.match(disk.bytesOf(`/b/${contentsName}`).toString(), /^edge-control backup 1 [0-9a-f]{8}\n\{/);
  t.same(readBackup(disk.crash(), '/b'), written, 'a power cut takes nothing of it');
});

t.test('contents of the wrong type are damage, whatever their checksum', async (t) => {
  const disk = await restorableHome();
  const written = writeBackup(disk, '/b', order);
  const [file] = written.files;
  const wrong = [
    7,
    null,
    [],
    'contents',
    { ...written, files: undefined },
    { ...written, files: 5 },
    { ...written, files: [null] },
    { ...written, files: [{ ...file, path: 7 }] },
    { ...written, files: [{ ...file, bytes: '7' }] },
    { ...written, snapshot: 7 },
    { ...written, elsewhere: 'x' },
    { ...written, elsewhere: [{ setting: 1, path: 'x' }] },
    { ...written, lsn: 'x' },
    { ...written, dataSetId: 1 },
  ];
  const path = `/b/${contentsName}`;
  for (const value of wrong) {
    disk.remove(path);
    disk.place(path, Buffer.from(headedText({ name: 'backup', version: 1 }, value)));
    t.throws(
      () => readBackup(disk, '/b'),
      { name: 'RestoreRefused', message: /does not hold what a file of type backup holds/ },
      JSON.stringify(value).slice(0, 80),
    );
  }
});

t.test('it is written over nothing, and by one at a time', async (t) => {
  const disk = await restorableHome();
  const taken = { name: 'RestoreRefused', message: /exists already/ };
  t.throws(() => writeBackup(disk, '/home', order), taken);
  t.throws(() => writeBackup(disk, '/home/config.json', order), taken);
  disk.makeDirectory('/empty');
  t.ok(writeBackup(disk, '/empty', order));
  disk.makeDirectory('/b.unfinished');
  const release = acquireLock(disk, '/b.unfinished');
  t.throws(() => writeBackup(disk, '/b', order), { name: 'HomeLocked' });
  t.ok(disk.exists('/b.unfinished/lock'), 'what is being written is left alone');
  release();
  t.ok(writeBackup(disk, '/b', order), 'what a dead process left is cleared away');
});

t.test('every flipped bit and every missing file is noticed', async (t) => {
  const disk = await restorableHome();
  writeBackup(disk, '/b', order);
  for (const path of paths) {
    let unnoticed = 0;
    const { length } = disk.bytesOf(path);
    for (let bit = 0; bit < length * 8; bit++) {
      const flip = () =>
        disk.corrupt(path, (bytes) => {
          bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        });
      flip();
      if (!isRefused(disk)) unnoticed += 1;
      flip();
    }
    t.equal(unnoticed, 0, `${path}: ${length * 8} bits`);
    const bytes = disk.bytesOf(path);
    disk.remove(path);
    if (!path.endsWith(contentsName)) {
      t.throws(() => readBackup(disk, '/b'), { message: new RegExp(`^${path} cannot be read`) });
    }
    disk.place(path, bytes.subarray(1));
    if (!path.endsWith(contentsName)) {
      t.throws(() => readBackup(disk, '/b'), { message: new RegExp(`^${path} .*: \\d+ bytes`) });
    }
    disk.remove(path);
    disk.place(path, bytes);
  }
  t.ok(readBackup(disk, '/b'), 'repaired, it can be read');
});

t.test('a newer format, and paths that lead out of it', async (t) => {
  const disk = await restorableHome();
  const contents = writeBackup(disk, '/b', order);
  const put = (version: number, value: object) => {
    disk.remove(`/b/${contentsName}`);
    disk.place(
      `/b/${contentsName}`,
      Buffer.from(headedText({ name: 'backup', version }, { ...contents, ...value })),
    );
  };
  put(2, {});
  t.throws(() => readBackup(disk, '/b'), NewerFormat);
  const outside = ['../x', '/etc/x', 'pki/../../x', '.', 'manifest', 'log/1', 'lock', 'a\0b'];
  for (const path of outside) {
    put(1, { files: [{ path, bytes: 0, sha256: '' }] });
    t.throws(() => readBackup(disk, '/b'), { message: /which no backup holds/ });
  }
});

t.test('whatever call fails, there is a whole backup or none', async (t) => {
  const calls = await callsOf();
  t.ok(calls > 20, `${calls} calls`);
  for (const fault of ['ENOSPC', 'EIO', 'crash'] as const satisfies readonly Fault[]) {
    let [whole, none] = [0, 0];
    for (let call = 1; call <= calls; call++) {
      let disk = await restorableHome();
      disk.countReads();
      disk.failCall(call, fault);
      let failed = false;
      try {
        writeBackup(disk, '/b', order);
      } catch {
        failed = true;
      }
      if (fault === 'crash') disk = disk.crash();
      if (isBackup(disk, '/b')) {
        readBackup(disk, '/b');
        whole += 1;
      } else {
        if (disk.exists('/b') || !failed) t.fail(`${fault} at call ${call} leaves something`);
        none += 1;
      }
      if (fault !== 'crash' && disk.exists('/b.unfinished')) t.fail(`${fault} ${call}: a draft`);
      if (!disk.exists('/b')) writeBackup(disk, '/b', order);
    }
    t.ok(none > whole, `${fault}: ${whole} whole, ${none} none`);
  }
});

async function callsOf(): Promise<number> {
  const disk = await restorableHome();
  disk.countReads();
  const before = disk.calls;
  writeBackup(disk, '/b', order);
  return disk.calls - before;
}

function isRefused(disk: SimulatedDisk): boolean {
  try {
    readBackup(disk, '/b');
    return false;
  } catch (error) {
    return error instanceof RestoreRefused || error instanceof NewerFormat;
  }
}

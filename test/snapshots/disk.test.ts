// The real disk: modes, positions, names.

import { execFileSync } from 'node:child_process';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import t from 'tap';

import { nodeDisk } from '../../snapshots/home/disk.ts';
import { readWhole } from '../../snapshots/home/file-access.ts';

t.test('files are for their owner only', async (t) => {
  const home = join(t.testdir(), 'a', 'b');
  nodeDisk.makeDirectory(home);
  nodeDisk.makeDirectory(home);
  t.equal(statSync(home).mode & 0o777, 0o700);
  const path = join(home, 'file');
  nodeDisk.open(path, 'create').close();
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.throws(() => nodeDisk.open(path, 'create'), { code: 'EEXIST' });
  t.throws(() => nodeDisk.open(join(home, 'none'), 'edit'), { code: 'ENOENT' });
  t.throws(() => nodeDisk.open(join(home, 'none'), 'read'), { code: 'ENOENT' });
});

t.test('only regular files are opened, and no pipe is waited for', async (t) => {
  const directory = t.testdir();
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const mode of ['read', 'edit'] as const) {
    t.throws(() => nodeDisk.open(pipe, mode), { code: 'EINVAL', message: /it is no regular file/ });
    t.throws(() => nodeDisk.open('/dev/zero', mode), { code: 'EINVAL' });
    t.throws(() => nodeDisk.open(directory, mode), { code: 'EISDIR' });
  }
  const file = join(directory, 'file');
  writeFileSync(file, '');
  truncateSync(file, 2 ** 40);
  t.throws(() => readWhole(nodeDisk, file), { code: 'EFBIG', message: /has 1099511627776 bytes/ });
});

t.test('a directory that cannot be created is an error', async (t) => {
  const directory = t.testdir({ file: '' });
  t.throws(() => nodeDisk.makeDirectory(join(directory, 'file')), { code: 'EEXIST' });
  t.throws(() => nodeDisk.makeDirectory(join(directory, 'file', 'below')), { code: 'ENOTDIR' });
  t.throws(() => nodeDisk.makeDirectory('/proc/none/below'), { code: 'ENOENT' });
});

t.test('many buffers at a position, read back', async (t) => {
  const path = join(t.testdir(), 'file');
  const file = nodeDisk.open(path, 'create');
  // More than one writev takes (IOV_MAX is 1,024).
  const buffers = Array.from({ length: 3000 }, (_, index) => Buffer.alloc(7, index % 251));
  file.write(buffers, 10);
  file.sync();
  t.equal(file.size(), 10 + 3000 * 7);
  t.strictSame(file.read(10, 21_000), Buffer.concat(buffers));
  t.equal(file.read(21_000, 100).length, 10, 'shorter at the end of the file');
  file.close();
});

t.test('whole directories', async (t) => {
  const directory = t.testdir({ a: { file: '', below: { deep: '' } }, full: { file: '' } });
  t.strictSame(nodeDisk.entries(join(directory, 'a')), ['below', 'file']);
  t.strictSame(nodeDisk.entries(join(directory, 'none')), []);
  t.throws(() => nodeDisk.entries(join(directory, 'a', 'file')), { code: 'ENOTDIR' });
  const full = () => nodeDisk.rename(join(directory, 'a'), join(directory, 'full'));
  t.throws(full, { code: 'ENOTEMPTY' });
  nodeDisk.makeDirectory(join(directory, 'empty'));
  nodeDisk.rename(join(directory, 'a'), join(directory, 'empty'));
  t.strictSame(nodeDisk.entries(directory), ['empty', 'full']);
  nodeDisk.removeTree(join(directory, 'empty'));
  nodeDisk.removeTree(join(directory, 'empty'));
  t.strictSame(nodeDisk.entries(directory), ['full']);
});

t.test('names', async (t) => {
  const directory = t.testdir({ b: '', a: '', folder: {} });
  t.strictSame(nodeDisk.list(directory), ['a', 'b']);
  t.strictSame(nodeDisk.list(join(directory, 'none')), []);
  nodeDisk.rename(join(directory, 'a'), join(directory, 'c'));
  nodeDisk.remove(join(directory, 'b'));
  nodeDisk.syncDirectory(directory);
  t.strictSame(nodeDisk.list(directory), ['c']);
  t.ok(nodeDisk.exists(join(directory, 'c')));
  t.notOk(nodeDisk.exists(join(directory, 'a')));
});

// Files that an operator names, which may be anything.

import { execFileSync } from 'node:child_process';
import fs, { closeSync, openSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { readTextFile } from '../../src/platform/text-file.ts';

const bounds = { bytesMax: 10, isRegular: true };

t.test('a file is read up to its bound', async (t) => {
  const path = join(t.testdir(), 'file');
  writeFileSync(path, 'zwölf');
  t.equal(readTextFile(path, bounds), 'zwölf');
  writeFileSync(path, '0123456789');
  t.equal(readTextFile(path, bounds), '0123456789');
  truncateSync(path, 2 ** 40);
  const tooLarge = { message: `it may have at most 10 bytes (it has ${2 ** 40})` };
  t.throws(() => readTextFile(path, bounds), tooLarge);
  t.throws(() => readTextFile(path), { message: /^it may have at most 16777216 bytes/ });
});

t.test('what never ends, and what nobody writes to, is not read', async (t) => {
  const directory = t.testdir();
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/zero', '/dev/null']) {
    t.throws(() => readTextFile(path, bounds), { message: 'it is no regular file' }, path);
  }
  t.throws(() => readTextFile(directory, bounds), { code: 'EISDIR' });
  t.throws(() => readTextFile(join(directory, 'none'), bounds), { code: 'ENOENT' });
  const small = { ...bounds, isRegular: false };
  t.throws(() => readTextFile('/dev/zero', small), { message: 'it may have at most 10 bytes' });
});

t.test('an open descriptor is read to its end, or to the bound', async (t) => {
  const path = join(t.testdir(), 'file');
  writeFileSync(path, '0123456789');
  const descriptor = openSync(path, 'r');
  t.teardown(() => closeSync(descriptor));
  t.equal(readTextFile(descriptor, bounds), '0123456789');
  const endless = openSync('/dev/zero', 'r');
  t.teardown(() => closeSync(endless));
  t.throws(() => readTextFile(endless, bounds), { message: 'it may have at most 10 bytes' });
});

t.test('what comes byte by byte takes no more memory than it has bytes', async (t) => {
  const path = join(t.testdir(), 'file');
  const text = 'ä'.repeat(50_000);
  writeFileSync(path, text);
  const { readSync } = fs;
  const slowly: typeof readSync = (file: number, buffer: NodeJS.ArrayBufferView, at?: unknown) =>
    readSync(file, buffer, Number(at), 1, null);
  const useRead = (read: typeof readSync) => {
    fs.readSync = read;
    syncBuiltinESMExports();
  };
  t.teardown(() => useRead(readSync));
  useRead(slowly);
  const { allocUnsafe } = Buffer;
  const allocated = t.capture(Buffer, 'allocUnsafe', allocUnsafe);
  t.equal(readTextFile(path), text);
  t.equal(allocated().length, 3, 'two pieces of 64 KiB, and the whole');
});

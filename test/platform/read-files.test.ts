// Reading a directory into memory: what is left out, and the bounds.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { FilesBounds } from '../../src/platform/ports.ts';
import { readDirectoryFiles } from '../../src/platform/read-files.ts';

const bounds: FilesBounds = { filesMax: 100, bytesMax: 1000, takes: () => true };

async function read(
  directory: string,
  changed: Partial<FilesBounds> = {},
): Promise<Record<string, string>> {
  const files = await readDirectoryFiles(directory, { ...bounds, ...changed });
  return Object.fromEntries([...files].map(([name, body]) => [name, body.toString()]));
}

t.test('every regular file, by its name from the directory on', async (t) => {
  const directory = t.testdir({ a: 'A', empty: '', below: { b: 'B', deeper: { c: 'C' } } });
  t.same(await read(directory), { a: 'A', empty: '', 'below/b': 'B', 'below/deeper/c': 'C' });
});

t.test('neither hidden files nor what is not wanted', async (t) => {
  const directory = t.testdir({ '.env': 'x', '.git': { config: 'x' }, 'a.map': 'x', a: 'A' });
  t.same(await read(directory, { takes: (name) => !name.endsWith('.map') }), { a: 'A' });
});

function linked(t: Test): string {
  return t.testdir({
    secret: 'outside',
    beside: { file: 'outside' },
    // Begins like the directory that is read.
    'root-2': { file: 'outside' },
    root: {
      real: 'inside',
      directory: { file: 'inside' },
      within: t.fixture('symlink', 'real'),
      loop: t.fixture('symlink', 'loop'),
      broken: t.fixture('symlink', 'nowhere'),
      up: t.fixture('symlink', '../secret'),
      similar: t.fixture('symlink', '../root-2/file'),
      'up-directory': t.fixture('symlink', '../beside'),
      'own-directory': t.fixture('symlink', 'directory'),
      absolute: t.fixture('symlink', '/etc/hostname'),
      'chain-1': t.fixture('symlink', 'chain-2'),
      'chain-2': t.fixture('symlink', '../secret'),
    },
    console: t.fixture('symlink', 'root'),
  });
}

t.test('links to files within, never out of the directory', async (t) => {
  const directory = linked(t);
  const inside = { real: 'inside', within: 'inside', 'directory/file': 'inside' };
  t.same(await read(join(directory, 'root')), inside);
  t.same(await read(join(directory, 'console')), inside, 'the directory itself may be a link');
});

t.test('a pipe is not waited for', async (t) => {
  const directory = t.testdir({ a: 'A' });
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  t.same(await read(directory), { a: 'A' });
});

t.test('bounds', async (t) => {
  const directory = t.testdir({ a: '12345', b: '67890' });
  t.same(await read(directory, { filesMax: 2, bytesMax: 10 }), { a: '12345', b: '67890' });
  await t.rejects(read(directory, { filesMax: 1 }), { message: 'more than 1 files' });
  await t.rejects(read(directory, { bytesMax: 9 }), { message: 'more than 9 bytes' });
  await t.rejects(read(join(directory, 'none')), { code: 'ENOENT' });
  await t.rejects(read(join(directory, 'a')), { code: 'ENOTDIR' });
});

// The database while it is read: the lock of its controller, changes, and what is no file.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { openSourceFile } from '../../src/migrate/source-file.ts';
import { type LockTools, systemLockTools } from '../../src/migrate/source-lock.ts';
import { SourceDamaged, SourceRefused } from '../../src/migrate/source-problem.ts';
import { holdDatabase } from '../commands/offline/migrate-context.ts';

/** A file with some bytes. */
function fileOf(t: Test, text = 'a database'): string {
  const path = join(t.testdir({}), 'ctrl.db');
  writeFileSync(path, text);
  return path;
}

const inUse = { message: /is in use: .* Stop it, or read a snapshot .* snapshot-db/ };

/** A machine without the program. */
const withoutProgram: LockTools = { ...systemLockTools, program: 'no-such-flock' };

t.test('it is read, hashed, and stays as it was', (t) => {
  const path = fileOf(t);
  const before = statSync(path, { bigint: true });
  const source = openSourceFile(path);
  t.match(source, { path, bytes: 10, notice: undefined });
  t.equal(source.file.read(2, 100).toString(), 'database');
  t.equal(source.file.size(), 10);
  t.throws(() => source.file.write([Buffer.from('x')], 0), /never written/);
  t.equal(source.sha256(), 'e152d5ae22936201ab8402b3f72750be9e967a7de108fcf5c77a8dbc0e43e6ee');
  source.requireUnchanged();
  source.close();
  t.equal(statSync(path, { bigint: true }).mtimeNs, before.mtimeNs);
  t.end();
});

t.test('a database that its controller holds', async (t) => {
  const path = fileOf(t);
  t.teardown(await holdDatabase(path));
  t.throws(() => openSourceFile(path), inUse);
  t.throws(() => openSourceFile(path, withoutProgram), inUse, 'the list of locks shows it');
});

t.test('nobody can begin to write while it is read', async (t) => {
  const path = fileOf(t);
  const source = openSourceFile(path);
  const tried = () => {
    const child = spawn('flock', ['-x', '-n', path, 'true'], { stdio: 'ignore' });
    return once(child, 'close');
  };
  t.same(await tried(), [1, null], 'its controller cannot start');
  const second = openSourceFile(path);
  t.equal(second.notice, undefined, 'but others may read');
  second.close();
  source.close();
  t.same(await tried(), [0, null]);
});

t.test('without the program the report says so', (t) => {
  const path = fileOf(t);
  const seen = openSourceFile(path, withoutProgram);
  t.match(
    seen.notice,
    /^The program no-such-flock cannot be used here.*no controller of this mach/,
  );
  seen.close();
  const readLocks = () => {
    throw new Error('ENOENT');
  };
  const blind = openSourceFile(path, { ...withoutProgram, readLocks });
  t.match(blind.notice, /shows no locks: make sure that no controller runs/);
  blind.close();
  const { ino } = statSync(path);
  const line = (device: string, inode: number) =>
    `1: FLOCK  ADVISORY  WRITE 812 ${device}:${inode} 0 EOF\n`;
  const locked = (lines: string) =>
    openSourceFile(path, { ...withoutProgram, readLocks: () => lines }).close();
  t.throws(() => locked(line('00:2a', ino)), inUse, 'a device of no disk, as of btrfs');
  locked(line('00:2a', ino + 1));
  locked(line('fff:0', ino));
  locked(`1: POSIX  ADVISORY  WRITE 812 00:2a:${ino} 0 EOF\n`);
  locked(`1: FLOCK  ADVISORY  READ 812 00:2a:${ino} 0 EOF\n`);
  t.end();
});

t.test('changes while it is read', (t) => {
  const changes: readonly ((path: string) => void)[] = [
    (path) => appendFileSync(path, 'x'),
    (path) => utimesSync(path, 1, 1),
    (path) => renameSync(path, `${path}.old`),
    (path) => {
      renameSync(path, `${path}.old`);
      writeFileSync(path, readFileSync(`${path}.old`));
    },
  ];
  for (const change of changes) {
    const path = fileOf(t);
    const source = openSourceFile(path);
    change(path);
    t.throws(() => source.requireUnchanged(), SourceDamaged);
    source.close();
  }
  t.end();
});

t.test('what is no file', (t) => {
  const path = fileOf(t);
  const directory = join(path, '..');
  const broken = join(directory, 'broken');
  symlinkSync(join(directory, 'nothing'), broken);
  const loop = join(directory, 'loop');
  symlinkSync(loop, loop);
  mkdirSync(join(directory, 'folder'));
  for (const none of [
    join(directory, 'none'),
    broken,
    loop,
    join(directory, 'folder'),
    '/dev/zero',
  ])
    t.throws(() => openSourceFile(none), SourceRefused, none);
  const link = join(directory, 'link');
  symlinkSync(path, link);
  const followed = openSourceFile(link);
  t.equal(followed.path, path);
  followed.close();
  t.end();
});

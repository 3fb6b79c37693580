// The command restore on a simulated disk: progress, records of later versions, a full disk.

import t from 'tap';
import { type FileElsewhere, writeBackup } from '../../../snapshots/home/backup.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import type { StoredRecord } from '../../../snapshots/journal.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import { openAuthority } from '../../../src/pki/authority/authority.ts';
import { makeKey } from '../../../src/pki/authority/issue.ts';
import { keyToPem } from '../../../src/pki/x509/pem.ts';
import {
  systemClock as clock,
  systemRandom as random,
} from '../../../src/platform/clock-and-random.ts';
import { SimulatedDisk } from '../../simulated/disk.ts';
import { openSimulated } from '../../snapshots/home.ts';
import { LookingContext } from '../offline/looking.ts';

/** A backup at `/b` of a home with these records. */
async function backupOf(...records: readonly StoredRecord[]): Promise<SimulatedDisk> {
  return await backupWith(records);
}

async function backupWith(
  records: readonly StoredRecord[],
  elsewhere: readonly FileElsewhere[] = [],
): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(1);
  const { journal } = await openSimulated(disk);
  const { file } = await journal.writeSnapshot(records);
  await journal.close();
  const settings = { keyType: 'ec-p256' } as const;
  const directory = '/home/pki';
  await openAuthority({ disk, clock, random, directory, host: 'localhost', settings });
  // As a former release has it: the records hold no token key.
  disk.place(`${directory}/token.key`, Buffer.from(keyToPem(await makeKey('ec-p256'))));
  const files = disk.list(directory).map((name) => `pki/${name}`);
  writeBackup(disk, '/b', {
    release: '0',
    home: '/home',
    snapshot: `/home/snapshots/${file}`,
    files,
    elsewhere,
  });
  return disk;
}

async function restored(disk: SimulatedDisk, ...flags: readonly string[]) {
  const context = new LookingContext(disk, { terminal: true });
  const code = await runCommandLine(['restore', '/b', '--home', '/new', ...flags], context);
  const { stdout, stderr } = context;
  // What is written over is not what is left to read.
  const said = stderr.replaceAll(/\r[^\r\n]*(?=\r)/g, '').replaceAll('\r\x1b[K', '');
  return { code, stdout, stderr, said };
}

const record = (kind: string, version: number): StoredRecord => ({
  kind,
  id: 'id-of-it',
  lsn: 1,
  version,
  values: [0, 0, null, null],
});

t.test('a terminal shows the progress, and only the outcome stays', async (t) => {
  const disk = await backupOf(record('identity', 1));
  const { code, stdout, stderr, said } = await restored(disk);
  t.equal(code, 0);
  t.match(stdout, /^restored \/new, LSN 0 of \S+, 1 records\n$/);
  t.match(stderr, /\rverifying \/b/);
  t.equal(said, '');
  t.equal(readManifest(disk, '/new')?.snapshots[0]?.records, 1);
  t.same(disk.entries('/new'), ['log', 'manifest', 'pki', 'snapshots']);
});

t.test('nothing in a backup steers the terminal', async (t) => {
  const steering = '\u001b]0;x\u0007\u009b2J\u202e\nall is well';
  const shown = '\\u001b]0;x\\u0007\\u009b2J\\u202e\\u000aall is well';
  const setting = { setting: `pki.ca${steering}`, path: `/ca${steering}` };
  const disk = await backupWith([record('identity', 1)], [setting]);
  const { code, said } = await restored(disk);
  t.equal(code, 0);
  t.equal(
    said,
    `edge-control: /ca${shown} (pki.ca${shown}) is not there: put it back before the start.\n`,
  );
  const unknown = await restored(await backupOf(record(`teleport${steering}`, 1)));
  t.ok(unknown.said.includes(`kind teleport${shown}`), unknown.said);
});

t.test('records that only a later version understands', async (t) => {
  const cases: readonly (readonly [StoredRecord, RegExp])[] = [
    [record('teleport', 1), /holds records of the unknown kind teleport.*later version/],
    [record('identity', 99), /holds identity records of version 99, newer than \d+.*later/],
  ];
  for (const [newer, expected] of cases) {
    const disk = await backupOf(newer);
    const { code, stdout, said } = await restored(disk);
    t.same([code, stdout], [2, '']);
    t.match(said, expected);
    t.notOk(disk.exists('/new'));
  }
});

t.test('sealed secrets need their key', async (t) => {
  const disk = await backupOf(record('mfaEnrollment', 1));
  const lacking = await restored(disk);
  t.match(lacking, { code: 2, said: /\/b\/pki lacks sealing\.key: / });
  const anew = await restored(disk, '--new-keys');
  t.match(anew, { code: 2, said: /second factors, which only .*sealing\.key.* opens/ });
});

t.test('a home that is restored without keys drops the secrets that only they open', async (t) => {
  const session = { ...record('apiSession', 3), values: new Array(19).fill(null) };
  const disk = await backupOf(
    record('identity', 1),
    session,
    { ...session, kind: 'enrollment', version: 2 },
    record('session', 1),
    record('sessionCertificate', 1),
  );
  t.match(await restored(disk), { code: 2, said: /\/b\/pki lacks sealing\.key: / });
  const { code, said } = await restored(disk, '--new-keys');
  t.equal(code, 0);
  t.match(said, /API sessions and outstanding enrollments were left out/);
  t.equal(readManifest(disk, '/new')?.snapshots[0]?.records, 1);
});

t.test('a full disk, and one that fails', async (t) => {
  const disk = await backupOf(record('identity', 1));
  disk.fill();
  const full = await restored(disk);
  t.match(full, { code: 1, stdout: '', said: /\/new was not restored: the disk is full; nothing/ });
  disk.free();
  t.same(disk.entries('/'), ['b', 'home'], 'nothing is left behind');
  disk.failCall(9, 'EIO');
  const failed = await restored(disk);
  t.match(failed, { code: 1, said: /was not restored: EIO.*; nothing was changed/ });
  t.same(disk.entries('/'), ['b', 'home']);
  t.equal((await restored(disk)).code, 0, 'and then it works');
});

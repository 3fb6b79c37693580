// The command `check`: every kind of damage is found and named, and an intact home has no finding.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { readManifest, writeManifest } from '../../../snapshots/home/manifest.ts';
import type { StoredRecord } from '../../../snapshots/journal.ts';
import {
  readSnapshot,
  SnapshotPacker,
  SnapshotWriter,
} from '../../../snapshots/snapshot/snapshot-file.ts';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { kinds } from '../../../src/resources/index.ts';
import { goldenDirectory, goldenFiles } from '../../golden/golden-home.ts';
import { chance, SimulatedDisk } from '../../simulated/disk.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';
import { segmentsOf, stateOf, tearTail } from './damage.ts';
import { appendRaw, flushed, furnishedNetwork, look } from './looking.ts';

/** Segments that a few frames fill. */
const smallSegments = { segmentBytes: 64 * 1024, frameBytesMax: 48 * 1024 };

/** A home of some segments and two snapshots that its controller left in a hurry. */
async function livedInHome(): Promise<{ network: Network; disk: SimulatedDisk }> {
  const network = await furnishedNetwork({ limits: smallSegments });
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 12; i++) {
      const tags = { text: 'x'.repeat(9_000) };
      const name = `service ${round} ${i}`;
      await network.create('services', { name, encryptionRequired: true, tags });
    }
    await network.must('POST', 'M:/database/snapshot');
    await network.advance(120_000);
    await network.logInAdmin();
  }
  for (let i = 0; i < 20; i++) {
    const tags = { text: 'y'.repeat(9_000) };
    await network.create('services', { name: `late ${i}`, encryptionRequired: true, tags });
  }
  await flushed(network);
  return { network, disk: network.disk.kill() };
}

async function findings(
  t: Test,
  disk: SimulatedDisk,
  expected: readonly (string | RegExp)[],
  said?: RegExp,
): Promise<void> {
  const before = stateOf(disk);
  const { calls } = disk;
  const { code, lines, stderr } = await look(disk, ['check']);
  t.equal(lines.length, expected.length, lines.join('\n'));
  for (const [at, pattern] of expected.entries()) t.match(lines[at], pattern);
  t.equal(code, expected.length === 0 ? 0 : 1);
  if (said !== undefined) t.match(stderr, said);
  t.equal(disk.calls, calls, 'no call that could change anything');
  t.same(stateOf(disk), before);
}

t.test('homes that are whole', async (t) => {
  const { disk } = await livedInHome();
  await findings(t, disk, [], /^checked \/home: 2 sound snapshots, \d+ frames in \d+ segments, /);
  const stopped = await furnishedNetwork();
  await stopped.stop();
  await findings(t, stopped.disk.kill(), [], /: 1 sound snapshot, .*all is well\n$/);
  const lost = await furnishedNetwork();
  const young = /^checked \/home: no snapshot yet, \d+ frames in 1 segment, .*all is well\n$/;
  await findings(t, lost.disk.crash(), [], young);
});

t.test('golden homes, whose records are older', async (t) => {
  for (const version of readdirSync(goldenDirectory)) {
    const disk = new SimulatedDisk(1);
    for (const [path, bytes] of goldenFiles(version)) disk.place(join('/home', path), bytes);
    await findings(t, disk, []);
  }
});

t.test('beside a running controller', async (t) => {
  const network = await furnishedNetwork();
  const before = stateOf(network.disk);
  const { code, stdout, stderr } = await look(network.disk, ['check']);
  t.equal(code, 0);
  t.equal(stdout, '');
  t.match(stderr, /^checked \/home, as process \d+ had made it durable: /);
  t.same(stateOf(network.disk), before);
  tearTail(network.disk);
  const { code: amid } = await look(network.disk, ['check']);
  t.equal(amid, 0, 'what stands behind the last frame is a write under way');
});

t.test('progress, for those who watch', async (t) => {
  const network = await furnishedNetwork();
  const { stderr } = await look(network.disk, ['check'], { terminal: true });
  t.ok(stderr.startsWith('\r') && stderr.includes('\x1b[K'));
  const quiet = await look(network.disk, ['check']);
  t.notOk(quiet.stderr.includes('\r'));
});

t.test('a flipped byte in a frame', async (t) => {
  const { disk } = await livedInHome();
  const { path, frames } = segmentsOf(disk).at(-2) ?? { path: '', frames: [] };
  const { offset = 0, lsn = 0 } = frames[1] ?? {};
  disk.corrupt(path, (bytes) => bytes.writeUInt8(bytes.readUInt8(offset + 60) ^ 4, offset + 60));
  const place = `${path} at offset ${offset}, LSN ${lsn}: the frame is damaged, LSN ${lsn} to ${lsn}`;
  const advice = `cannot be read; restore a backup, or start with --recover-to ${lsn - 1} `;
  await findings(t, disk, [`${place} ${advice}`], new RegExp(`records as of LSN ${lsn - 1}: 1 `));
});

t.test('any flipped bit in what a home is made of', async (t) => {
  const { disk } = await livedInHome();
  const ends = new Map(
    segmentsOf(disk).map(({ path, frames }) => {
      const last = frames.at(-1);
      return [path, (last?.offset ?? 0) + (last?.bytes ?? 0)];
    }),
  );
  for (const name of disk.list('/home/snapshots')) {
    const path = join('/home/snapshots', name);
    ends.set(path, disk.bytesOf(path).length);
  }
  ends.set('/home/manifest', disk.bytesOf('/home/manifest').length);
  const random = chance(7);
  for (const [path, end] of ends) {
    for (let round = 0; round < 12; round++) {
      const [at, bit] = [Math.floor(random() * end), 1 << Math.floor(random() * 8)];
      const flip = (bytes: Buffer) => bytes.writeUInt8(bytes.readUInt8(at) ^ bit, at);
      disk.corrupt(path, flip);
      const { code, stderr } = await look(disk, ['check']);
      t.ok(code === 1 || (code === 2 && /edge-control: /.test(stderr)), `${path} ${at} ${bit}`);
      disk.corrupt(path, flip);
    }
  }
  await findings(t, disk, []);
});

t.test('a torn tail', async (t) => {
  const { disk } = await livedInHome();
  tearTail(disk);
  await findings(t, disk, [/\.log at offset \d+, LSN \d+: a torn tail of 40 bytes, as a crash/]);
});

t.test('a segment that is gone, and one whose header is', async (t) => {
  const { disk } = await livedInHome();
  const [, second, third] = segmentsOf(disk);
  const bytes = disk.bytesOf(second?.path ?? '');
  disk.remove(second?.path ?? '');
  const gone = new RegExp(
    `^${second?.path}, LSN \\d+: is missing, with the frames from LSN \\d+ on`,
  );
  const older = /\.snap, LSN \d+: with the log behind it/;
  await findings(t, disk, [gone]);
  t.notMatch((await look(disk, ['check'])).lines.join(), older);
  disk.place(second?.path ?? '', bytes);
  disk.corrupt(third?.path ?? '', (header) => header.fill(7, 32, 40));
  await findings(t, disk, [/log at offset 0, LSN \d+: the header does not read, though it should/]);
});

t.test('a snapshot that is damaged, and one that is gone', async (t) => {
  const { disk } = await livedInHome();
  const [newest = '', oldest = ''] = disk.list('/home/snapshots').toReversed();
  const path = `/home/snapshots/${newest}`;
  disk.corrupt(path, (bytes) => bytes.writeUInt8(bytes.readUInt8(5000) ^ 4, 5000));
  const damaged =
    /\.snap, LSN \d+: is damaged: wrong checksum in the block at 64; start all the same/;
  await findings(t, disk, [damaged], /1 of 2 snapshots sound/);
  disk.remove(`/home/snapshots/${oldest}`);
  const missing = /\.snap, LSN \d+: is missing, though the manifest names it/;
  const nothing =
    /log, LSN \d+: the log begins with LSN \d+, and there is no snapshot to begin with/;
  await findings(t, disk, [damaged, missing, nothing], /no records, as nothing leads to them/);
});

t.test('a manifest that is gone, and one that is damaged', async (t) => {
  const { disk } = await livedInHome();
  const manifest = disk.bytesOf('/home/manifest');
  disk.corrupt('/home/manifest', (bytes) => bytes.write('x', 60));
  const advice = 'restore a backup, or start with --recover-to and the last LSN to keep';
  const line = '/home/manifest: does not read, or its checksum does not fit; ';
  await findings(t, disk, [line + advice], /2 sound snapshots/);
  disk.remove('/home/manifest');
  await findings(t, disk, [`/home/manifest: is missing; ${advice}`]);
  disk.place('/home/manifest', manifest);
  await findings(t, disk, []);
});

t.test('a snapshot that is sound and wrong', async (t) => {
  const { disk } = await livedInHome();
  rewriteNewest(disk, (record) => {
    if (record.kind !== 'service' || record.values[4] !== 'printer') return record;
    return { ...record, values: record.values.with(4, 'another') };
  });
  const file = disk.list('/home/snapshots')[0];
  await findings(t, disk, [`/home/snapshots/${file}, LSN `]);
  t.match(
    (await look(disk, ['check'])).stdout,
    /the service \S+ is not as the newest snapshot has/,
  );
  rewriteNewest(disk, (record) => (record.kind === 'terminator' ? undefined : record));
  const { stdout } = await look(disk, ['check']);
  t.match(stdout, /with the log behind it, the terminator \S+ is not as the newest snapshot/);
});

t.test('records that break a rule', async (t) => {
  const network = await furnishedNetwork();
  const { store } = network.env;
  const service = encoded(network, 'service', 'printer');
  const policy = encoded(network, 'servicePolicy', 'staff prints');
  const token = encoded(network, 'apiSession');
  const identity = encoded(network, 'identity', 'carl');
  await appendRaw(network, [
    { ...service, values: changed(service, { configs: ['gone'] }) },
    { ...policy, values: changed(policy, { identityRoles: ['#staff', '@nobody'] }) },
    { ...token, id: 'second', previousLsn: 0 },
    { ...identity, values: changed(identity, { state: 'asleep' }) },
    { ...identity, id: 'nameless', values: changed(identity, { name: null }), previousLsn: 0 },
  ]);
  const secret = store.table(apiSessionKind).find(token.id)?.record as unknown as { token: string };
  const expected = [
    /^apiSession \S+, field tokenHash: tokenHash is also that of \S+; correct one of the records/,
    /^identity nameless, field name: is missing; correct one/,
    /^identity \S+, field state: is "asleep", which is no state of its machine; correct/,
    /^service \S+, field configs: refers to the config gone, which is not there; correct/,
    /^servicePolicy \S+, field identityRoles: refers to the identity nobody, .* there; have the/,
  ];
  const { lines, code } = await look(network.disk, ['check']);
  t.equal(code, 1);
  t.equal(lines.length, expected.length, lines.join('\n'));
  // In which order depends on ids.
  for (const pattern of expected) {
    t.equal(lines.filter((line) => line.match(pattern)).length, 1, String(pattern));
  }
  t.notOk(lines.join('\n').includes(secret.token));
});

t.test('a history that does not chain', async (t) => {
  const network = await furnishedNetwork();
  const service = encoded(network, 'service', 'printer');
  await appendRaw(network, [{ ...service, previousLsn: service.previousLsn - 1 }]);
  const disk = network.disk.kill();
  await findings(t, disk, [
    /it says LSN \d+ wrote the service \S+ before, but LSN \d+ did; restore/,
  ]);
});

t.test('work under way is told, and is no mistake', async (t) => {
  const network = await furnishedNetwork();
  const service = encoded(network, 'service', 'printer');
  const session = encoded(network, 'session');
  await appendRaw(network, [
    { kind: 'followUp', id: 'work', version: 1, values: [1, 'cascade', ['service', 'gone']] },
    { ...session, values: changed(session, { serviceId: 'gone' }) },
    { ...service, values: changed(service, { name: 'renamed' }) },
  ]);
  const disk = network.disk.kill();
  await findings(
    t,
    disk,
    [],
    /^cascade of service gone is under way since LSN \d+: the controller/,
  );
});

t.test('what is no home, or newer than this program', async (t) => {
  const refused = async (disk: SimulatedDisk, sentence: RegExp): Promise<void> => {
    const { code, stdout, stderr } = await look(disk, ['check']);
    t.equal(code, 2);
    t.equal(stdout, '');
    t.match(stderr, /^edge-control: [^\n]+\n$/);
    t.match(stderr, sentence);
  };
  const empty = new SimulatedDisk(1);
  await refused(empty, /\/home is not there/);
  empty.makeDirectory('/home');
  await refused(empty, /\/home is no home: there is neither manifest, log nor snapshot/);
  const manifest = (await bootNetwork()).disk;
  manifest.corrupt('/home/manifest', (bytes) => bytes.write('2', 22));
  await refused(manifest, /manifest has manifest format 2; .*use a newer release/);
});

/** A stored record as a frame holds it. */
interface Encoded {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
  readonly previousLsn: number;
  readonly values: readonly unknown[];
}

function encoded({ env }: Network, kind: string, name?: string): Encoded {
  const table = env.store.tableNamed(kind);
  const row = name === undefined ? [...table.all()].at(-1) : table.findBy('name', name);
  if (row === undefined) throw new Error(`no ${kind} ${name}`);
  const values = table.codec.encode(row.record);
  return { kind, id: row.record.id, version: table.codec.version, previousLsn: row.lsn, values };
}

function changed({ kind, values }: Encoded, fields: Readonly<Record<string, unknown>>): unknown[] {
  const names = kinds.find((other) => other.kind === kind)?.fieldNames ?? [];
  const next = [...values];
  for (const [name, value] of Object.entries(fields)) next[4 + names.indexOf(name)] = value;
  return next;
}

/** Rewrites the newest snapshot, with the codec and a manifest that fits. */
function rewriteNewest(
  disk: SimulatedDisk,
  change: (record: StoredRecord) => StoredRecord | undefined,
): void {
  const manifest = readManifest(disk, '/home');
  const [newest, ...older] = manifest?.snapshots ?? [];
  if (manifest === undefined || newest === undefined) throw new Error('no snapshot');
  const path = join('/home/snapshots', newest.file);
  const packer = new SnapshotPacker();
  const blocks: ReturnType<SnapshotPacker['add']> = [];
  const { timeMs } = readSnapshot(disk, path, (record) => {
    const next = change(record);
    if (next !== undefined) blocks.push(...packer.add(next));
  });
  const { last, counts } = packer.end();
  disk.remove(path);
  const { dataSetId } = manifest;
  const writer = new SnapshotWriter(disk.open(path, 'create'), {
    dataSetId,
    lsn: newest.lsn,
    timeMs,
  });
  for (const block of [...blocks, ...last]) writer.write(block);
  const bytes = writer.finish(counts);
  const snapshots = [{ ...newest, bytes, records: counts.records }, ...older];
  writeManifest(disk, '/home', { dataSetId, snapshots });
}

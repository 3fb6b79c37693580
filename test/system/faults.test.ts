// Real faults of a real home, beside a full disk: each is told in one line that says what to do,
// and nothing that was acknowledged is lost.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { management } from './client.ts';
import { recoveryOf, runToEnd, startProcess } from './process.ts';
import { SmallHome } from './small-home.ts';

t.setTimeout(300_000);

const mebibyte = 1024 * 1024;
const config = { limits: { segmentBytes: 8 * mebibyte, snapshotIntervalMs: 0 } };
const passedOver = 'a snapshot is damaged and was skipped: check the disk, and take another one';
const snapshotPath = `${management}/database/snapshot`;

t.test('a home that cannot be written, from the start', async (t) => {
  const run = await SmallHome.on(t, 'tmpfs', 40, config);
  if (run === undefined) return;
  await run.serve();
  await run.create(100);
  await run.process.stop();
  await run.disk.makeReadOnly();
  const { code, stdout, stderr } = await startProcess(t, run.home).ended;
  t.match({ code, stdout }, { code: 2, stdout: '' });
  t.match(stderr, /^edge-control: The home .* cannot be used: EROFS: read-only file system/);
  t.match(stderr, / See to its disk and rights\.\n$/);
  await run.disk.makeWritable();
  await run.serve();
  await run.lookUp();
  await run.process.stop();
});

t.test('a directory of snapshots that cannot be written while it serves', async (t) => {
  const run = await SmallHome.on(t, 'tmpfs', 40, config);
  if (run === undefined) return;
  await run.serve();
  await run.create(100);
  const directory = join(run.home, 'snapshots');
  await run.disk.makeReadOnly(directory);
  t.equal((await run.admin.call('POST', snapshotPath)).status, 503);
  t.match(
    await run.told('a snapshot could not be written, the log has everything: check the disk'),
    { level: 'error', err: { message: /^EROFS/ } },
  );
  t.equal((await run.create(100)).status, 201, 'the log goes on');
  await run.disk.makeWritable(directory);
  t.equal((await run.admin.call('POST', snapshotPath)).status, 200);
  await run.lookUp();
  await run.dieAndComeBack();
});

t.test('a damaged snapshot', async (t) => {
  const run = await SmallHome.plain(t, config);
  await run.serve();
  for (let n = 0; n < 3; n++) {
    await run.create(100);
    t.equal((await run.admin.call('POST', snapshotPath)).status, 200);
  }
  await run.create(100);
  await run.process.kill();
  const directory = join(run.home, 'snapshots');
  const [older = '', newest = ''] = readdirSync(directory);
  const flip = (file: string) => {
    const path = join(directory, file);
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(200) ^ 8, 200);
    writeFileSync(path, bytes);
  };
  flip(newest);
  await run.serve();
  t.match(await run.told(passedOver), {
    level: 'error',
    file: newest,
    reason: /wrong checksum in the block at 64/,
  });
  t.equal((await recoveryOf(run.process))['snapshotLsn'], Number(older.slice(0, 16)));
  await run.lookUp();
  t.equal((await run.admin.call('POST', snapshotPath)).status, 200, 'and a sound one is taken');
  await run.dieAndComeBack();

  for (const file of readdirSync(directory)) flip(file);
  await run.serve();
  await run.told(passedOver);
  t.equal(run.lines(passedOver).length, 2, 'none reads, and the log reaches back to its beginning');
  await run.lookUp();
  await run.process.stop();
});

t.test('a second process', async (t) => {
  const run = await SmallHome.plain(t, config);
  await run.serve();
  const { pid } = run.process.child;
  const { code, stderr } = await runToEnd(t, ['run', '--home', run.home]);
  t.equal(code, 2);
  const advice = 'stop that one first, or choose another home';
  t.equal(stderr, `edge-control: ${run.home} is in use by process ${pid}: ${advice}\n`);
  t.equal((await run.create(100)).status, 201, 'the first one serves on');
  await run.process.stop();
});

t.test('a file system that found an error in itself', async (t) => {
  const settings = { ...config, limits: { ...config.limits, stalledWriteAnswerMs: 300 } };
  const run = await SmallHome.on(t, 'ext4', 48, settings);
  if (run === undefined) return;
  await run.serve();
  for (let n = 0; n < 5; n++) await run.create(1000);
  await run.disk.breakDown();
  t.match(await run.create(1000), { status: 503, code: 'OUTCOME_UNKNOWN' });
  t.match(await run.told('the log does not accept writes: check the disk of the home'), {
    level: 'error',
    state: 'stalled',
    reason: /^EROFS/,
  });
  t.match(await run.create(1000), { status: 503, code: 'STORAGE_UNAVAILABLE' });
  t.equal(await run.look('n0'), 200, 'reads of what is durable go on');
  await run.process.kill();
  await run.disk.repair();
  await run.serve();
  await run.lookUp();
  await run.process.stop();
});

// A disk that is really full, under load and under a snapshot: told in one line, nothing lost, and
// service resumes by itself when there is room again.

import { t } from 'tap';
import { management } from './client.ts';
import { SmallHome } from './small-home.ts';

t.setTimeout(300_000);

const mebibyte = 1024 * 1024;

const config = {
  limits: {
    segmentBytes: 8 * mebibyte,
    stalledWriteAnswerMs: 300,
    snapshotIntervalMs: 0,
    snapshotRetryMs: 1000,
  },
  snapshot: { logBytes: 64 * mebibyte },
};

/** Messages that tell an operator what to do. */
const short =
  'the disk of the home is full: no more records are created until there is room, and changes only while the log has some left';
const stalled = 'the log does not accept writes: check the disk of the home';
const resumed = 'the log accepts writes again';
const notWritten = 'a snapshot could not be written, the log has everything: check the disk';

for (const kind of ['tmpfs', 'ext4'] as const) {
  t.test(`${kind}: full under load, and free again`, async (t) => {
    const run = await SmallHome.on(t, kind, 48, config);
    if (run === undefined) return;
    const { disk } = run;
    await run.serve();
    for (let n = 0; n < 20; n++) await run.create(10_000);

    disk.fill();
    t.same(await run.createUntilRefused(), { status: 429, code: 'STORAGE_LIMIT_REACHED' });
    t.match(await run.told(short), { level: 'error' });
    t.equal(await run.inspect(), 200, 'an administrator logs in and sees the machines');
    t.equal((await run.patch('n0', 10)).status, 200, 'changes go on');

    const refused = await run.patchUntilRefused();
    t.same(refused, { status: 503, code: 'STORAGE_UNAVAILABLE' });
    t.match(await run.told(stalled), { level: 'error', state: 'stalled', reason: /^ENOSPC/ });
    t.equal(run.lines(stalled).length, 1, 'told once');
    t.equal((await run.admin.call('GET', `${management}/version`)).status, 200, 'reads go on');
    t.equal(await run.look('n1'), 200, 'also of what is durable');
    const machines = await run.admin.call('GET', `${management}/inspect/machines`);
    t.equal(machines.status, 200, 'and of figures of the process');
    const snapshot = await run.admin.call('POST', `${management}/database/snapshot`);
    t.equal(snapshot.status, 503);

    disk.free();
    await run.process.says('stderr', resumed);
    t.equal((await run.create(10_000)).status, 201, 'it takes writes again, by itself');
    await run.lookUp();
    t.equal((await run.admin.call('POST', `${management}/database/snapshot`)).status, 200);
    await run.dieAndComeBack();
  });

  t.test(`${kind}: full while a snapshot is written, and free again`, async (t) => {
    const snapshot = { logBytes: mebibyte };
    const run = await SmallHome.on(t, kind, 64, { ...config, snapshot });
    if (run === undefined) return;
    const { disk } = run;
    await run.serve();
    // The ballast outgrows what will be free; the log has room in its segments.
    for (let n = 0; n < 12; n++) await run.create(700_000);
    await run.snapshotKept();
    const kept = run.lines('a snapshot is kept').length;
    disk.fill(2 * mebibyte);
    const refused = await run.admin.call('POST', `${management}/database/snapshot`);
    t.equal(refused.status, 503);
    t.match(await run.told(notWritten), {
      level: 'error',
      retryMs: 1000,
      err: { message: /^ENOSPC/ },
    });
    t.ok(disk.freeBytes > mebibyte, 'its file is gone');
    t.equal((await run.create(100)).status, 201, 'the log goes on');

    disk.free();
    // Half the size of the newest one is logged: the next is due, and written unasked.
    for (let n = 0; n < 7; n++) await run.patch('n0', 700_000);
    while (run.lines('a snapshot is kept').length === kept) await run.create(10);
    await run.lookUp();
    await run.dieAndComeBack();
  });
}

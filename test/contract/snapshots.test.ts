// Snapshots while the controller serves: recovery from them, and the effect of a full disk.

import t from 'tap';
import { readManifest } from '../../snapshots/home/manifest.ts';
import { readSnapshot } from '../../snapshots/snapshot/snapshot-file.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const identity = (name: string) => ({ name, type: 'Default', isAdmin: false });

/** Names of the identities, as the API lists them. */
async function namesIn(network: Network): Promise<string[]> {
  const rows = await network.must<{ name: string }[]>('GET', 'M:/identities?limit=500');
  return rows.map(({ name }) => name).sort();
}

t.test('a crash behind a snapshot replays only what came later', async (t) => {
  const network = await bootNetwork();
  for (let n = 0; n < 5; n++) await network.create('identities', identity(`before ${n}`));
  await network.must('POST', 'M:/database/snapshot');
  const kept = network.core.snapshotter.newest;
  for (let n = 0; n < 5; n++) await network.create('identities', identity(`after ${n}`));
  const names = await namesIn(network);
  await network.crash();
  const { report } = network.core;
  t.equal(report.snapshotLsn, kept?.lsn);
  t.equal(report.framesReplayed, 5);
  await network.logInAdmin();
  t.same(await namesIn(network), names);
  await network.stop();
});

t.test('what is written while it is being written is not in it, and not lost', async (t) => {
  // A millisecond a look at the clock: the walk stops after each few records.
  const network = await bootNetwork({ bounds: { snapshotSliceMs: 1 } });
  for (let n = 0; n < 200; n++) await network.create('identities', identity(`before ${n}`));
  const { clock } = network;
  const real = clock.monotonic.bind(clock);
  let looks = 0;
  clock.monotonic = () => real() + ++looks;
  const { core } = network;
  const { lastLsn } = core.journal;
  const taken = core.snapshotter.take();
  for (let n = 0; n < 10; n++) await network.create('identities', identity(`meanwhile ${n}`));
  await clock.settle();
  const { lsn, file } = await taken;
  t.equal(lsn, lastLsn);
  t.equal(readManifest(network.disk, '/home')?.snapshots[0]?.file, file);
  const found: string[] = [];
  readSnapshot(network.disk, `/home/snapshots/${file}`, ({ kind, values }) => {
    if (kind === 'identity') found.push(JSON.stringify(values));
  });
  t.equal(found.filter((text) => text.includes('before ')).length, 200);
  t.equal(found.filter((text) => text.includes('meanwhile ')).length, 0);
  const names = await namesIn(network);
  await network.crash();
  await network.logInAdmin();
  t.same(await namesIn(network), names);
  await network.stop();
});

t.test('a controller rests before a snapshot is kept, and closes behind it', async (t) => {
  const network = await bootNetwork({ bounds: { snapshotSliceMs: 1 } });
  for (let n = 0; n < 200; n++) await network.create('identities', identity(`before ${n}`));
  const { clock, core } = network;
  const real = clock.monotonic.bind(clock);
  let looks = 0;
  clock.monotonic = () => real() + ++looks;
  const { lastLsn } = core.journal;
  const taken = core.snapshotter.take();
  await network.pump(core.rest());
  t.equal(core.snapshotter.phase, 'writing', 'another node may lead while it is written');
  await network.stop();
  t.equal(core.snapshotter.phase, 'stopped');
  t.equal((await taken).lsn, lastLsn);
});

t.test('a full disk: the snapshot is refused and told, the log goes on where it can', async (t) => {
  const network = await bootNetwork();
  await network.create('identities', identity('one'));
  const before = network.disk.list('/home/snapshots');
  network.disk.fill();
  const refused = await network.call('POST', 'M:/database/snapshot');
  t.match(refused, { status: 503, code: 'STORAGE_UNAVAILABLE' });
  t.ok(network.logged.some((line) => /a snapshot could not be written.*check the disk/.test(line)));
  t.same(network.disk.list('/home/snapshots'), before, 'nothing of it is left');
  network.disk.free();
  await network.advance(1000);
  t.equal((await network.call('POST', 'M:/database/snapshot')).status, 200, 'at once again');
  t.equal(network.core.snapshotter.newest?.records, readBack(network));
  await network.stop();
});

t.test('under endless churn the home stays small', async (t) => {
  const mebibyte = 1024 * 1024;
  const snapshot = { logBytes: mebibyte, ageMinutes: 60, keep: 2 };
  const network = await bootNetwork({ config: { snapshot }, freeze: false });
  const { disk } = network;
  const ids = await Promise.all(
    Array.from({ length: 8 }, (_, n) => network.create('identities', identity(`churned ${n}`))),
  );
  const { segmentBytes } = network.config.limits;
  const bytesIn = (directory: string) =>
    disk
      .list(directory)
      .reduce((sum, name) => sum + disk.bytesOf(`${directory}/${name}`).length, 0);
  let most = 0;
  for (let round = 0; round < 40; round++) {
    for (const id of ids) {
      const appData = { round: String(round), text: 'x'.repeat(40_000) };
      await network.must('PATCH', `M:/identities/${id}`, { appData });
    }
    await network.advance(10);
    most = Math.max(most, bytesIn('/home/log') + bytesIn('/home/snapshots'));
  }
  const live = network.core.snapshotter.newest?.bytes ?? 0;
  t.ok(network.core.journal.figures.bytesWritten > 10 * mebibyte, 'ten times that was written');
  // Three snapshots while one is made, and the log since the older of the two that count.
  t.ok(most <= 3 * live + 2 * snapshot.logBytes + 4 * segmentBytes, `${most} bytes at most`);
  await network.stop();
});

function readBack({ disk, core }: Network): number {
  const file = core.snapshotter.newest?.file ?? '';
  return readSnapshot(disk, `/home/snapshots/${file}`).records;
}

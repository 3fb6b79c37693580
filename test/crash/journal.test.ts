// The crash campaign: random work, snapshots and crashes on a simulated disk. Nothing acknowledged
// may be missing, and no snapshot may be incomplete.

import t from 'tap';
import { campaignSize, isNightly } from '../campaigns.ts';
import { chance, type Fault, SimulatedDisk } from '../simulated/disk.ts';
import { live, liveThrough, type Plan } from './life.ts';
import { Model } from './model.ts';

const seeds = campaignSize('CRASH_SEEDS', { usual: 20, nightly: 10_000 });
const firstSeed = Number(process.env['CRASH_FIRST_SEED'] ?? 1);

const timeoutMs = Math.max(120_000, seeds * 200);
t.setTimeout(timeoutMs);

t.test(`${seeds} seeds from ${firstSeed}: what was acknowledged is there`, async (t) => {
  t.setTimeout(timeoutMs);
  let survived = 0;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    try {
      await liveThrough(seed);
      survived++;
    } catch (error) {
      const command = `CRASH_SEEDS=1 CRASH_FIRST_SEED=${seed} npm test test/crash/journal.test.ts`;
      t.fail(`seed ${seed} failed; replay with: ${command}`, { found: error });
    }
  }
  t.equal(survived, seeds, 'every seed survives');
});

const never = Number.POSITIVE_INFINITY;

const faults: readonly Fault[] = ['crash', 'EIO', 'ENOSPC'];

/** Each call meets each fault at night, and one of them otherwise. */
const faultsPerCall = isNightly ? faults.length : 1;

for (const snapshotsKept of [1, 2]) {
  t.test(`a fault at every call of a fixed life, ${snapshotsKept} snapshots kept`, async (t) => {
    const calls = new Set<string>();
    const count = await lifeWithFault(never, 'crash', snapshotsKept, calls);
    t.ok(count > 180, `the life makes ${count} calls`);
    t.same(
      callsOfSnapshots.filter((call) => !calls.has(call)),
      [],
      'every kind of call of a snapshot is among them',
    );
    for (const [place, fault] of faults.entries()) {
      for (let call = 1; call <= count; call++) {
        if ((call + place) % faults.length >= faultsPerCall) continue;
        try {
          await lifeWithFault(call, fault, snapshotsKept);
        } catch (error) {
          t.fail(`${fault} at call ${call}`, { found: error });
        }
      }
    }
  });
}

const callsOfSnapshots = [
  ...['create', 'write', 'fdatasync', 'read', 'rename'].map(
    (what) => `${what} snapshots/#.snap.tmp`,
  ),
  'fsync snapshots',
  'remove snapshots/#.snap',
  ...['create', 'write', 'fdatasync', 'rename'].map((what) => `${what} manifest.tmp`),
  'fsync ',
  'remove log/#.log',
  'fsync log',
];

/**
 * Opens, works through rotations and snapshots, stops cleanly; then starts once more and compares.
 */
async function lifeWithFault(
  faultAtCall: number,
  fault: Fault,
  snapshotsKept: number,
  calls = new Set<string>(),
): Promise<number> {
  const random = chance(4711);
  const model = new Model();
  const disk = new SimulatedDisk(faultAtCall === never ? 0 : faultAtCall);
  disk.onCall = (what, path) => {
    calls.add(`${what} ${path.slice('/home/'.length).replace(/\d{16}/, '#')}`);
  };
  const end = faultAtCall % 2 === 0 ? 'kill' : 'crash';
  const ways = { level: 'disk', snapshotsKept } as const;
  const cleanStop = 'with a snapshot';
  const plan: Plan = { faultAtCall, fault, steps: 12, snapshots: 0.3, cleanStop, end };
  const next = await live(disk, model, plan, random, ways);
  const quiet = { ...plan, faultAtCall: never, steps: 3 };
  const last = await live(next, model, quiet, random, ways);
  await live(last, model, { ...quiet, steps: 0, cleanStop: undefined }, random, ways);
  return disk.calls;
}

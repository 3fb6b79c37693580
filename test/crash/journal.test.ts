// The crash campaign: random work and random deaths on a simulated disk; nothing acknowledged may
// be missing.

import t from 'tap';
import { chance, type Fault, SimulatedDisk } from '../simulated/disk.ts';
import { live, liveThrough, type Model } from './life.ts';

const seeds = Number(process.env['CRASH_SEEDS'] ?? 100);
const firstSeed = Number(process.env['CRASH_FIRST_SEED'] ?? 1);

t.test(`${seeds} seeds from ${firstSeed}: what was acknowledged is there`, async (t) => {
  let survived = 0;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    try {
      await liveThrough(seed);
      survived++;
    } catch (error) {
      const command = `CRASH_SEEDS=1 CRASH_FIRST_SEED=${seed} npx tap test/crash/journal.test.ts`;
      t.fail(`seed ${seed} failed; replay with: ${command}`, { found: error });
    }
  }
  t.equal(survived, seeds, 'every seed survives');
});

t.test('a fault at every I/O call of a fixed life', async (t) => {
  const faults: readonly Fault[] = ['crash', 'EIO', 'ENOSPC'];
  const calls = await lifeWithFault(Number.POSITIVE_INFINITY, 'crash');
  t.ok(calls > 100, `the life makes ${calls} calls`);
  for (const fault of faults) {
    for (let call = 1; call <= calls; call++) {
      try {
        await lifeWithFault(call, fault);
      } catch (error) {
        t.fail(`${fault} at call ${call}`, { found: error });
      }
    }
  }
});

/**
 * Opens, works through rotations and a snapshot, stops cleanly; then starts once more and compares.
 */
async function lifeWithFault(faultAtCall: number, fault: Fault): Promise<number> {
  const random = chance(4711);
  const model: Model = { log: ['seal'], acknowledgedLsn: 0 };
  const disk = new SimulatedDisk(faultAtCall === Number.POSITIVE_INFINITY ? 0 : faultAtCall);
  const end = faultAtCall % 2 === 0 ? 'kill' : 'crash';
  const plan = { faultAtCall, fault, steps: 20, cleanStop: true, end } as const;
  const next = await live(disk, model, plan, random, 'disk');
  const quiet = { ...plan, faultAtCall: Number.POSITIVE_INFINITY, steps: 3 };
  const last = await live(next, model, quiet, random, 'disk');
  await live(last, model, { ...quiet, steps: 0, cleanStop: false }, random, 'disk');
  return disk.calls;
}

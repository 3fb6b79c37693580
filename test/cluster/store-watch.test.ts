// Since when the log has more than the newest shared snapshot.

import t from 'tap';
import type { StoreState } from '../../src/cluster/shared-snapshots.ts';
import { StreamUnreachable } from '../../src/cluster/stream.ts';
import { StoreWatch } from '../../src/cluster/thread/store-watch.ts';
import { SimulatedClock } from '../simulated/clock.ts';

t.test('the moment is kept at which the log had more than the newest snapshot', async (t) => {
  const clock = new SimulatedClock(1_000_000);
  let shared: StoreState['shared'] = { lsn: 100, bytes: 5, atMs: 1 };
  let lsn = 100;
  let isAway = false;
  const watch = new StoreWatch({
    read: async () => {
      if (isAway) throw new StreamUnreachable('timeout');
      return { streamBytes: 7, shared, bounds: [] };
    },
    role: () => 'following',
    lastLsn: () => lsn,
    serverNowMs: () => clock.now() - 40,
    clock,
  });
  const outgrownAtMs = async (): Promise<number | undefined> => {
    clock.advance(2000);
    await new Promise((resolve) => setImmediate(resolve));
    return watch.state?.shared?.outgrownAtMs;
  };
  watch.start();
  await new Promise((resolve) => setImmediate(resolve));
  t.same(watch.state?.shared, { lsn: 100, bytes: 5, atMs: 1, outgrownAtMs: undefined });
  t.equal(await outgrownAtMs(), undefined);
  lsn = 101;
  t.equal(await outgrownAtMs(), 1_003_960);
  lsn = 102;
  isAway = true;
  t.equal(await outgrownAtMs(), 1_003_960);
  isAway = false;
  t.equal(await outgrownAtMs(), 1_003_960, 'it is the first such moment');
  shared = { lsn: 102, bytes: 5, atMs: 2 };
  t.equal(await outgrownAtMs(), undefined, 'of the newest one');
  lsn = 110;
  shared = { lsn: 105, bytes: 5, atMs: 3 };
  t.equal(await outgrownAtMs(), 1_011_960);
  shared = undefined;
  t.equal(await outgrownAtMs(), undefined);
});

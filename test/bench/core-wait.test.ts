// The wait for a core, from the kernel's figures for this process.

import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { coreWaitWhile } from '../../bench/server/core-wait.ts';

const skip = existsSync('/proc/self/schedstat') ? false : 'this kernel keeps no such books';

t.test('answers the result, and a share of the time', { skip }, async (t) => {
  const { result, coreWait } = await coreWaitWhile(process.pid, async () => {
    await sleep(20);
    return 'done';
  });
  t.equal(result, 'done');
  t.ok(coreWait.share >= 0);
  t.ok(coreWait.longestMs >= coreWait.p999Ms);
});

t.test('a failure of the work is reported', { skip }, async (t) => {
  const failing = coreWaitWhile(process.pid, async () => {
    throw new Error('no');
  });
  await t.rejects(failing, /no/);
});

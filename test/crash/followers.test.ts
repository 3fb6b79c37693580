// A follower of commits must not throw, because the frame is in the log by then. If it throws
// nevertheless, the process ends with its log intact, and the next start has what the log says.

import t, { type Test } from 'tap';
import { readFrames } from '../../snapshots/log/read-frames.ts';
import { Store } from '../../src/store/store.ts';
import { Transaction } from '../../src/store/transaction.ts';
import { isNightly } from '../campaigns.ts';
import { flushed } from '../commands/offline/looking.ts';
import { bootScene, linesOf, run } from '../integrity/scene.ts';
import { steps } from '../integrity/steps.ts';
import type { Network } from '../simulated/network.ts';

class Thrown extends Error {}
const isThrown = (error: unknown): boolean => error instanceof Thrown;

/** Calls of what runs behind an append since a step began, and the one of them that throws. */
const calls = { count: 0, throwAt: Number.POSITIVE_INFINITY };

function watched<A extends unknown[]>(call: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    if (++calls.count === calls.throwAt) throw new Thrown();
    call(...args);
  };
}

const { follow } = Store.prototype;
Store.prototype.follow = function (this: Store, follower) {
  follow.call(this, watched(follower));
};
const { afterCommit } = Transaction.prototype;
Transaction.prototype.afterCommit = function (this: Transaction, effect) {
  afterCommit.call(this, watched(effect));
};

/** What the frames made one after the other, by kind and id. */
function recordsOfLog({ disk }: Network): Map<string, string> {
  const records = new Map<string, string>();
  for (const entry of readFrames(disk, '/home')) {
    if (entry.entry !== 'transaction') continue;
    const { lsn, changes } = entry.frame;
    for (const { kind, id, values } of changes) {
      if (values === null) records.delete(`${kind} ${id}`);
      else records.set(`${kind} ${id}`, JSON.stringify([lsn, values]));
    }
  }
  return records;
}

/** What the controller holds in memory, alike. */
function recordsOfMemory({ env }: Network): Map<string, string> {
  const records = new Map<string, string>();
  for (const { kind, id, lsn, values } of env.store.records()) {
    records.set(`${kind} ${id}`, JSON.stringify([lsn, values]));
  }
  return records;
}

function sameRecords(t: Test, network: Network, what: string): void {
  const [log, memory] = [recordsOfLog(network), recordsOfMemory(network)];
  if (log.size !== memory.size) t.fail(`${what}: ${log.size} records in the log, ${memory.size}`);
  for (const [key, text] of log) if (memory.get(key) !== text) t.fail(`${what}: ${key} differs`);
}

/** At night each call throws; otherwise the first, the third, the ninth and so on. */
const nextCall = (at: number): number => (isNightly ? at + 1 : at * 3);

t.test('each follower may throw at each step, and the next start has the frame', async (t) => {
  const scene = await bootScene();
  let ended = 0;
  const { network } = scene;
  for (const step of steps) {
    for (let at = 1; ; at = nextCall(at)) {
      const { method, path, ...options } = await step.prepare(scene, at);
      await network.advance(0);
      const { lastLsn } = network.core.journal;
      calls.count = 0;
      calls.throwAt = at;
      const answer = await network.call(method, path, options);
      const isOver = calls.count < at;
      calls.throwAt = Number.POSITIVE_INFINITY;
      if (isOver) {
        t.ok(answer.status < 300, `${step.name} succeeds when nothing throws`);
        break;
      }
      ended++;
      t.same(network.ends.splice(0).map(isThrown), [true], `${step.name}, call ${at}`);
      const appended = network.core.journal.lastLsn;
      if (appended === lastLsn) t.fail(`${step.name}: call ${at} was not behind an append`);
      await network.kill();
      t.ok(network.core.report.lastLsn >= appended, 'the frame is there');
      sameRecords(t, network, `${step.name}, call ${at}`);
      await network.logInAdmin();
    }
  }
  t.ok(ended > (isNightly ? 4 : 1) * steps.length, `${ended} calls ended the process`);
  await flushed(network);
  t.same(linesOf(await run(network, false)), [], 'an integrity run finds nothing');
});

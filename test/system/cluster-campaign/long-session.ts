// An API session that is much older than its idle time-out, and used all the time, lives through
// takeovers of real processes. The time-out is the shortest that the settings allow.

import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { type Api, client, createUser, logIn, management } from '../client.ts';
import { Dice } from '../dice.ts';
import type { Endings } from '../endings.ts';
import { CampaignNodes } from './nodes.ts';
import { RetryingClient } from './retrying-client.ts';

/** As session.timeoutMinutes has it at least. */
const timeoutMs = 60_000;
/** In the proportion of the defaults, 90 s of 30 minutes. */
const configuration = { session: { timeoutMinutes: 1, activityFlushSeconds: 3 } };
const useEveryMs = 2000;
/** Parts of the whole time after which the leader is killed. */
const killsAt = [0.6, 0.8] as const;
/** By then nobody has used the control session for more than the time-out. */
const controlEndsAt = 0.5;
/** Time-outs in which the control session can end. */
const ratioMin = 4;

/** Uses an API session for `ratio` times its time-out. @returns true @throws Error if it is lost */
export async function outliveTimeouts(endings: Endings, ratio: number): Promise<boolean> {
  assert.ok(ratio >= ratioMin, `the ratio is at least ${ratioMin}`);
  const nodes = await CampaignNodes.open(endings, { configuration });
  const fronts = (index: number) => nodes.serving(index);
  const counts = { unknown: 0, undone: 0, doneBefore: 0 };
  const clientAt = (front: number) =>
    new RetryingClient({ fronts, front, dice: new Dice(`${front}`), counts });
  const http = clientAt(0);
  const clients = [http, clientAt(1), clientAt(2)];
  endings.teardown(() => Promise.all(clients.map((each) => each.close())));
  const password = 'a-user-of-the-campaign';
  await createUser(await logIn(http), 'user', password);
  const used = await logIn(http, 'user', password);
  const control = await logIn(http, 'user', password);

  const beganMs = performance.now();
  const passed = () => (performance.now() - beganMs) / (ratio * timeoutMs);
  const kills: number[] = [...killsAt];
  let uses = 0;
  let isControlChecked = false;
  let isBack: Promise<void> | undefined;
  while (passed() < 1) {
    const askedMs = Date.now();
    const found = await shownTo(used, clients[uses % clients.length] ?? http);
    assert.equal(found, used.sessionId, `use ${uses}, after ${Math.round(passed() * 100)}%`);
    uses += 1;
    if (!isControlChecked && passed() > controlEndsAt) {
      isControlChecked = true;
      assert.equal(await shownTo(control, http), undefined, 'one that nobody used has ended');
    }
    if (kills[0] !== undefined && passed() > kills[0]) {
      kills.shift();
      await isBack;
      const leader = await nodes.leader();
      await nodes.kill(leader);
      // Another node answers; the session is used while the killed one comes back.
      await assertActivity(http, used, askedMs);
      isBack = nodes.back(leader);
      isBack.catch(() => undefined);
    }
    await setTimeout(useEveryMs);
  }
  assert.deepEqual(kills, []);
  await isBack;
  await setTimeout(2 * timeoutMs);
  assert.equal(await shownTo(used, http), undefined, 'it ends when nobody uses it any more');
  console.log(
    [
      `an API session with an idle time-out of ${timeoutMs / 1000} s was used for ${ratio} times`,
      `as long, ${uses} times, lived through ${killsAt.length} kills of the leader, and ended when`,
      'it was not used any more',
    ].join(' '),
  );
  return true;
}

/** The id of the API session of a token, as it sees itself; undefined if it has ended. */
async function shownTo({ token }: Api, at: RetryingClient): Promise<unknown> {
  const { status, data } = await at.call('GET', `${client}/current-api-session`, { token });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200 ? data['id'] : undefined;
}

/**
 * The new leader counts it as active until now. What the old one had written of its last activity
 * is not older than the time-out: the grace of the takeover ends with that.
 */
async function assertActivity(
  http: RetryingClient,
  { sessionId }: Api,
  usedMs: number,
): Promise<void> {
  const admin = await logIn(http);
  const shown = await admin.ask('GET', `${management}/api-sessions/${sessionId}`);
  const cachedMs = Date.parse(String(shown['cachedLastActivityAt']));
  assert.ok(cachedMs >= usedMs, `counted as active ${usedMs - cachedMs} ms before the last use`);
  const writtenMs = Date.parse(String(shown['lastActivityAt']));
  assert.ok(
    writtenMs > usedMs - timeoutMs,
    `the last use was written ${usedMs - writtenMs} ms ago`,
  );
}

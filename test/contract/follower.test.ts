// The cases in cases/ through a node that follows: it answers what it may answer, and the leader
// answers the rest. A part that only the leader has throws when an operation reads it there.

import { readdirSync, readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { isNightly } from '../campaigns.ts';
import type { Answer, CallOptions } from '../simulated/network.ts';
import { StandbyNetwork } from '../simulated/standby-network.ts';
import { AnswerCheck } from './harness/answer-check.ts';
import { type Case, readCases } from './harness/case-file.ts';
import { takeSteps } from './harness/take-steps.ts';

const folder = new URL('./cases/', import.meta.url);
const wanted = process.env['CASE'] ?? '';

/** The files by day: those with most requests that a node that follows may answer. */
const byDay: readonly string[] = [
  'api-session-rows.txt',
  'api-sessions.txt',
  'authenticators.txt',
  'configs.txt',
  'edge-routers.txt',
  'posture-by-type.txt',
  'posture-responses.txt',
  'services.txt',
  'sub-lists.txt',
  'terminators.txt',
];

/** Cases, or whole files, that this test leaves out, and why. */
const leftOut: Readonly<Record<string, string>> = {
  'audit.txt': 'nodes of this network share one log, which has no files to be read from',
  'a run that a crash interrupted says so, and another one can start': 'it reads the log, too',
  'a data integrity run is an instance like any other': 'it reads the log, too',
  'activity that only memory knows puts an end off':
    'the leader hears of activity elsewhere up to five seconds late, and this case asks at once',
};
const answered = { here: 0, byLeader: 0 };

/** A network whose clients know only the node that follows. */
class FollowerNetwork extends StandbyNetwork {
  override async call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    const answer = await this.callAt(this.behind, method, path, options);
    if (answer.status !== 421) {
      answered.here += 1;
      return answer;
    }
    answered.byLeader += 1;
    return await super.call(method, path, options);
  }
}

for (const file of readdirSync(folder).sort()) {
  if (Object.hasOwn(leftOut, file) || !(isNightly || byDay.includes(file))) continue;
  t.test(file, async (t) => {
    for (const one of readCases(readFileSync(new URL(file, folder), 'utf8'))) {
      if (Object.hasOwn(leftOut, one.title)) continue;
      if (one.title.includes(wanted)) await t.test(one.title, (t) => run(t, one));
    }
  });
}

t.test('the node that follows has answered much', { skip: wanted !== '' }, async (t) => {
  t.comment(JSON.stringify(answered));
  t.ok(answered.here > 100 && answered.byLeader > 100);
});

async function run(t: Test, one: Case): Promise<void> {
  // The cases tell when sessions end on a controller that stands alone.
  const network = new FollowerNetwork({ bounds: { unheardMs: 0 } });
  await network.open();
  await network.logInAdmin();
  const check = new AnswerCheck();
  await takeSteps(t, network, one, check);
  await network.stop();
}

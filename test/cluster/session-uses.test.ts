// What a node that follows reports of the API sessions that it served.

import t from 'tap';
import {
  reportEveryMs,
  type SessionUse,
  SessionUses,
} from '../../src/cluster/node/session-uses.ts';
import { SimulatedClock } from '../simulated/clock.ts';

function begin() {
  const clock = new SimulatedClock();
  const reports: {
    uses: readonly SessionUse[];
    answered: (unknown: readonly string[] | undefined) => void;
  }[] = [];
  const noted: SessionUse[] = [];
  const uses = new SessionUses({
    clock,
    report(uses, answered) {
      reports.push({ uses, answered });
      return true;
    },
    acknowledged: (uses) => void noted.push(...uses),
  });
  return { clock, reports, noted, uses };
}

t.test('a session is reported once per period, with its last use', async (t) => {
  const { clock, reports, noted, uses } = begin();
  const startMs = clock.now();
  uses.note('a');
  await clock.advance(1000);
  uses.note('a');
  uses.note('b');
  await clock.advance(reportEveryMs - 1001);
  t.equal(reports.length, 0);
  await clock.advance(1);
  const sent = [
    { id: 'a', atMs: startMs + 1000 },
    { id: 'b', atMs: startMs + 1000 },
  ];
  t.same(reports[0]?.uses, sent);
  t.same(noted, [], 'what was not acknowledged counts for nothing');
  reports[0]?.answered([]);
  t.same(noted, sent);
  await clock.advance(10 * reportEveryMs);
  t.equal(reports.length, 1, 'nothing is reported while nothing is used');
});

t.test('many uses are reported one part after the other', async (t) => {
  const { clock, reports, noted, uses } = begin();
  for (let n = 0; n < 4001; n++) uses.note(`s${n}`);
  await clock.advance(reportEveryMs);
  t.equal(reports.length, 1);
  reports[0]?.answered([]);
  t.equal(reports.length, 2);
  reports[1]?.answered([]);
  reports[2]?.answered([]);
  t.equal(reports.length, 3);
  t.same(
    noted.map(({ id }) => id),
    Array.from({ length: 4001 }, (_, n) => `s${n}`),
  );
});

t.test('what was lost is reported again, with later uses', async (t) => {
  const { clock, reports, noted, uses } = begin();
  const startMs = clock.now();
  uses.note('a');
  uses.note('b');
  uses.note('gone');
  await clock.advance(reportEveryMs);
  uses.note('b');
  reports[0]?.answered(undefined);
  t.same(noted, []);
  await clock.advance(reportEveryMs);
  t.same(reports[1]?.uses, [
    { id: 'b', atMs: startMs + reportEveryMs },
    { id: 'a', atMs: startMs },
    { id: 'gone', atMs: startMs },
  ]);
  reports[1]?.answered(['gone']);
  t.same(
    noted.map(({ id }) => id),
    ['b', 'a'],
  );
  await clock.advance(10 * reportEveryMs);
  t.equal(reports.length, 2);
});

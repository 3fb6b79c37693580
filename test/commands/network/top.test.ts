// `top`: how a controller is doing, once and live.

import { setTimeout } from 'node:timers/promises';
import { t } from 'tap';
import { topLines } from '../../../src/commands/network/live/top-view.ts';
import { serve } from '../../system/process.ts';
import { readerOf, type Seat, stage } from './person.ts';

const { serving, person, run } = await stage(t);

/** A terminal of a person whose commands wait less between two looks, but let others work. */
const seat: Seat = {
  columns: 100,
  wait: async () => await setTimeout(20),
};

const enter = '\x1b[?1049h\x1b[?25l';
const leave = '\x1b[?25h\x1b[?1049l';

const figures = {
  timeMs: 187_200_000,
  sinceMs: 0,
  lastLsn: 418_204,
  heapBytes: 173_000_000,
  requestsASecond: 412,
  framesASecond: 21,
  longestPauseMs: 4,
  routersOnline: 2,
  routersOffline: 1,
  routersNotEnrolled: 1,
  apiSessions: 1204,
  apiSessionsPartial: 3,
  circuits: 88,
};
const view = {
  host: 'ctrl.example.com',
  lost: undefined,
  figures,
  counters: { isHealthy: true, loginsASecond: 3, sessionsASecond: 18 },
  away: [{ name: 'edge-2', sinceMs: 187_200_000 - 11 * 60_000 }],
  changes: ["09:33:52 clerk update service-policy 'staff print'"],
};

t.test('the lines of the example', async (t) => {
  t.same(topLines(view, 100), [
    'ctrl.example.com  healthy  up 2 d 4 h  LSN 418,204  heap 173 MB',
    'requests 412/s  logins 3/s  sessions 18/s  frames 21/s  longest pause 4 ms',
    'routers 2 online, 1 offline, 1 not enrolled    API sessions 1,204 (3 partial)    circuits 88',
    'offline  edge-2  11 min',
    "changes  09:33:52 clerk update service-policy 'staff print'",
  ]);
  t.ok(topLines(view, 20).every((line) => line.length <= 20));
  t.same(
    topLines({ ...view, figures: undefined, counters: undefined, away: [], changes: [] }, 80),
    ['ctrl.example.com'],
  );
  const evil = { ...view, away: [{ name: '\u001b[2J', sinceMs: 0 }], lost: 'gone\u0007.' };
  t.notMatch(topLines(evil, undefined).join(''), /\p{Cc}/u);
});

t.test('once', async (t) => {
  await run('create', 'identity', 'clerk');
  const said = await person.types(['top', '--once']);
  t.match(said, { code: 0, err: '' });
  const [state, rates, counts, ...rest] = said.out.split('\n');
  t.match(state, /^127\.0\.0\.1:\d+ {2}healthy {2}up .+ {2}LSN [\d,]+ {2}heap \d+ MB$/);
  t.match(
    rates,
    /^requests \d+\/s {2}logins \d+\/s {2}sessions 0\/s {2}frames \d+\/s {2}longest pause \d+ ms$/,
  );
  t.match(
    counts,
    /^routers 0 online, 0 offline, 0 not enrolled {4}API sessions \d+ \(0 partial\) {4}circuits 0$/,
  );
  t.match(rest[0], /^changes {2}\d\d:\d\d:\d\d admin create identity 'clerk'$/);
  const narrow = await person.types(['top', '--once'], { ...seat, columns: 20 });
  t.ok(narrow.out.split('\n').every((line) => line.length <= 20));
  t.notMatch(narrow.out, '\u001b');
});

t.test('q, Ctrl-C and SIGTERM give the terminal back', async (t) => {
  for (const [end, exitCode] of [
    ['q', 0],
    ['\u0003', 130],
    ['SIGTERM', 130],
  ] as const) {
    const { context, ended } = person.begins(['top'], seat);
    await context.says('heap');
    t.equal(context.isRaw, true);
    if (end === 'SIGTERM') context.signal();
    else context.press(end);
    const { code, out, err } = await ended;
    t.same([code, err, context.isRaw], [exitCode, '', false]);
    t.ok(out.startsWith(enter));
    t.ok(out.endsWith(leave));
    t.equal(out.split(leave).length, 2, 'once');
  }
});

t.test('without a terminal that can replace what it shows', async (t) => {
  for (const plain of [{ ...seat, environment: { TERM: 'dumb' } }, { wait: seat.wait }]) {
    const { context, ended } = person.begins(['top'], plain);
    await context.says(/healthy.*\n\n.*healthy/s);
    context.signal();
    const { code, out } = await ended;
    t.equal(code, 130);
    t.notMatch(out, '\u001b');
  }
});

t.test('what a caller may not read is left out', async (t) => {
  const here = { serving, person, run };
  const sessions = await readerOf(t, here, 'ops.read');
  t.match(await sessions.types(['top', '--once'], { wait: seat.wait }), {
    code: 0,
    out: /^127\.0\.0\.1:\d+ {2}healthy\nlogins \d+\/s {2}sessions 0\/s\n$/,
  });
  const nothing = await readerOf(t, here, 'service');
  t.match(await nothing.types(['top', '--once'], seat), {
    code: 0,
    out: /^127\.0\.0\.1:\d+\n$/,
  });
});

t.test('a controller that is not there', async (t) => {
  const { code, out, err } = await person.types(['top', '--home', '/nowhere'], seat);
  t.not(code, 0);
  t.equal(out, enter + leave);
  t.match(err, /edge-control: /);
});

t.test('a lost controller is shown, and its return', async (t) => {
  const { context, ended } = person.begins(['top'], seat);
  await context.says('healthy');
  await serving.process.kill();
  await context.says('trying again: The controller at');
  context.stdout = enter;
  await serve(t, serving.home);
  await context.says('healthy');
  context.press('q');
  const { code, out, err } = await ended;
  t.same([code, err], [0, '']);
  t.ok(out.endsWith(leave));
});

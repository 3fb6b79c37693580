// `audit`: the log of a controller as lines, up to now and live.

import { t } from 'tap';
import { recordKindTyped, recordWord } from '../../../src/commands/network/kinds/record-kinds.ts';
import { timeTyped } from '../../../src/commands/network/output/times.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { detachedStore } from '../../../src/resources/detached-store.ts';
import { serve } from '../../system/process.ts';
import { readerOf, stage } from './person.ts';

const { serving, person, run } = await stage(t);

await run('create', 'identity', 'clerk', '--roles', 'staff');
await run('create', 'identity', 'visitor');
const policy = ['--type', 'Dial', '--identity-roles', 'staff', '--service-roles', 'all'];
await run('create', 'sp', 'staff print', ...policy);
await run('update', 'sp', 'staff print', '--identity-roles', '+@visitor');

const masked = (text: string) =>
  text.replaceAll(/\d\d:\d\d:\d\d/g, 'HH:MM:SS').replaceAll(/\b\d+ +admin/g, 'N  admin');

t.test('lines of the changes of a kind', async (t) => {
  const said = await run('audit', '--since', '10m', '--kind', 'servicePolicy');
  t.match(said, { code: 0, err: '' });
  const [header, ...lines] = masked(said.out).split('\n');
  t.match(header, /^TIME {6}LSN {2}WHO {4}WHAT {33}CHANGE$/);
  t.same(lines, [
    "HH:MM:SS  N  admin  create service-policy 'staff print'",
    "HH:MM:SS  N  admin  update service-policy 'staff print'  identityRoles: #staff -> #staff,@visitor",
    '',
  ]);
  for (const kind of ['service-policy', 'sp', 'service-policies']) {
    t.equal((await run('audit', '--kind', kind)).out, said.out, kind);
  }
});

t.test('narrowed by time, LSN, name and who did it', async (t) => {
  const named = await run('audit', '--name', 'visitor', '--no-headers');
  t.match(masked(named.out), /^HH:MM:SS {2}N {2}admin {2}create identity 'visitor'\n$/);
  const [lsn = ''] = /(?<=\d\d:\d\d:\d\d +)\d+/.exec(named.out) ?? [];
  const from = await run('audit', '--from', lsn, '--by', 'admin', '--no-headers');
  t.equal(from.out.split('\n')[0]?.includes("create identity 'visitor'"), true);
  t.notMatch(from.out, "create identity 'clerk'");
  t.equal((await run('audit', '--by', 'nobody')).out, '');
  t.equal((await run('audit', '--from', '999999999')).out, '');
  t.equal((await run('audit', '--since', '0s')).out, '');
  const all = await run('audit');
  t.match(all.out, /^\d\d:\d\d:\d\d +1 +controller +create identity-type/m);
  const narrow = await person.types(['audit'], { columns: 60 });
  t.ok(narrow.out.split('\n').every((line) => line.length <= 60));
});

t.test('an object a line', async (t) => {
  const { out } = await run('audit', '--name', 'staff print', '-o', 'json');
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.match(lines, [
    { operation: 'createServicePolicy', actor: { name: 'admin' } },
    { changes: [{ change: 'updated', fields: { identityRoles: { before: ['#staff'] } } }] },
  ]);
});

t.test('what is wrong is refused before anything is sent', async (t) => {
  const cases = [
    [['--since', 'yesterday'], /--since is "yesterday" but must be a time such as/],
    [['--since', '25:99'], /--since is "25:99" but must be a time/],
    [['--from', '0'], /--from is "0" but must be an LSN/],
    [['--from', '-1'], /--from is "-1" but must be an LSN/],
    [['--since', '1h', '--from', '1'], /exclude each other/],
    [['--kind', 'servicePolice'], /is no kind. Did you mean service-policy\?/],
    [['--name', ''], /--name must not be empty/],
    [['-o', 'yaml'], /must be one of table, json/],
  ] as const;
  for (const [flags, err] of cases) {
    t.match(await run('audit', ...flags), { code: 2, out: '', err }, flags.join(' '));
  }
});

t.test('a caller who may not read the log', async (t) => {
  const reader = await readerOf(t, { serving, person, run }, 'service');
  const refused = await reader.types(['audit']);
  t.match(refused, { code: 5, out: '', err: /^edge-control: the controller refused it/ });
  t.match(await reader.types(['audit', '--follow', '-o', 'json']), { code: 5, out: '' });
});

t.test('live, over the end and the restart of the controller', async (t) => {
  const { context, ended } = person.begins(['audit', '--follow', '--kind', 'identity'], {
    columns: 160,
  });
  await context.says('TIME');
  await run('create', 'identity', 'first');
  await context.says(/admin +create identity 'first'/);
  await serving.process.kill();
  await context.says('Trying again.', 'stderr');
  await serve(t, serving.home);
  await context.says('connected again', 'stderr');
  await run('create', 'identity', 'second');
  await context.says("create identity 'second'");
  context.signal();
  const { code, out, err } = await ended;
  t.equal(code, 130);
  t.equal(err.split('\n').length, 3);
  t.equal(out.split("identity 'first'").length, 2, 'once');
});

t.test('every kind of records in the log can be typed', async (t) => {
  for (const { kind } of detachedStore(systemClock).durableTables()) {
    t.equal(recordKindTyped(kind), kind);
    t.ok(['router', kind].includes(recordKindTyped(recordWord(kind))), recordWord(kind));
  }
});

t.test('times that people type', async (t) => {
  const now = new Date(2026, 10, 24, 12, 30).getTime();
  t.equal(timeTyped('10m', now), now - 600_000);
  t.equal(timeTyped('09:00', now), new Date(2026, 10, 24, 9).getTime());
  t.equal(timeTyped('2026-11-23T09:00', now), new Date(2026, 10, 23, 9).getTime());
  t.equal(timeTyped('2026-11-23', now), new Date(2026, 10, 23).getTime());
  t.equal(timeTyped('2026-11-23T09:00Z', now), Date.UTC(2026, 10, 23, 9));
  for (const wrong of ['', '9', '24h ago', '2026-13-01', '99:00']) {
    t.equal(timeTyped(wrong, now), undefined, wrong);
  }
});

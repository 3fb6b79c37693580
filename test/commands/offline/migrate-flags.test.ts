// The flags of `migrate`: their meaning, what is refused, and what the help says.

import { t } from 'tap';
import { readArguments } from '../../../src/commands/arguments.ts';
import { nextCommands } from '../../../src/commands/offline/migrate-advice.ts';
import {
  type MigrateCommandOrder,
  type MigrateFlags,
  migrateOrder,
} from '../../../src/commands/offline/migrate-flags.ts';
import { leaveOuts, type StopReport } from '../../../src/migrate/report.ts';

/** The order that words on the command line give. */
function orderOf(...words: readonly string[]): MigrateCommandOrder {
  const read = readArguments(['migrate', ...words]);
  if (read.command !== 'migrate') throw new Error('another command');
  return migrateOrder(read.flags, '/work');
}

const both = ['--from', 'ctrl.db', '--config', '/etc/ctrl.yaml'];

t.test('paths are those of the working directory', (t) => {
  t.same(orderOf(...both), {
    from: '/work/ctrl.db',
    configuration: '/etc/ctrl.yaml',
    isCheck: false,
    leaveOut: new Set(),
    sessions: undefined,
    variables: {},
    listener: undefined,
    report: undefined,
  });
  t.end();
});

t.test('flags that may stand several times, or have commas', (t) => {
  const order = orderOf(
    ...both,
    '--leave-out',
    'fabric-only,duplicate-key',
    '--leave-out',
    'administrator',
    '--set-variable',
    'A=1',
    'B=x=y',
    '--set-variable',
    'C=',
    '--check',
    '--report',
    'r.json',
  );
  t.same(order.leaveOut, new Set(['fabric-only', 'duplicate-key', 'administrator']));
  t.same(order.variables, { A: '1', B: 'x=y', C: '' });
  t.match(order, { isCheck: true, report: '/work/r.json' });
  t.end();
});

t.test('what is missing or wrong', (t) => {
  const refusals: readonly (readonly [MigrateFlags, RegExp])[] = [
    [{}, /^--from is missing: name the database of the controller\.$/],
    [{ from: 'x' }, /^--config is missing: name its configuration, ctrl\.yaml\.$/],
  ];
  for (const [flags, message] of refusals) t.throws(() => migrateOrder(flags, '/'), { message });
  t.throws(() => orderOf(...both, '--leave-out', ''), {
    message: /names "", but what can be left/,
  });
  t.throws(() => orderOf(...both, '--set-variable', '=secret'), { message: /must be NAME=VALUE/ });
  t.end();
});

t.test('the help names everything that can be left out, and the exit codes', (t) => {
  const read = readArguments(['migrate', '--help']);
  if (read.command !== 'none') throw new Error('no help');
  for (const what of leaveOuts) t.match(read.out, new RegExp(`\\n  ${what} +[a-z]`));
  t.match(read.out, /\n- 3: something cannot be taken over, and nothing was written\n/);
  t.match(read.out, /\nExamples:\n {2}edge-control migrate --from ctrl-ha\.db /);
  t.end();
});

t.test('the commands to type', (t) => {
  const order = orderOf(...both, '--sessions', 'keep', '--set-variable', 'PIN=1234');
  const stop = (isAgreed: boolean): StopReport => ({
    what: 'fabric-only',
    isAgreed,
    shown: [],
    furtherCount: 0,
  });
  const again = (more: string, from = '/work/ctrl.db') =>
    `edge-control migrate --from ${from} --config /etc/ctrl.yaml --home '/my home'${more} --sessions keep --set-variable PIN=…`;
  t.same(nextCommands('/my home', order, [], order.from), [
    "edge-control check --home '/my home'",
    "edge-control run --home '/my home'",
    "edge-control status --home '/my home' --wait 60",
  ]);
  const check = { ...order, isCheck: true };
  t.same(nextCommands('/my home', check, [stop(true)], '/var/ctrl.db'), [
    'systemctl stop ziti-controller',
    again(' --leave-out fabric-only', '/var/ctrl.db'),
    "edge-control run --home '/my home'",
  ]);
  t.same(nextCommands('/my home', check, [stop(false)], '/var/ctrl.db'), [
    again(' --check --leave-out fabric-only'),
  ]);
  t.end();
});

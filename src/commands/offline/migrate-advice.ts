// The commands that an operator types next, after a migration or a rehearsal.

import type { StopReport } from '../../migrate/report.ts';
import { shellWord } from '../shell-word.ts';
import type { MigrateCommandOrder } from './migrate-flags.ts';

/**
 * The commands, in their order.
 * @param database what the cut-over reads: a rehearsal may have read a snapshot of it
 */
export function nextCommands(
  home: string,
  order: MigrateCommandOrder,
  stops: readonly StopReport[],
  database: string,
): readonly string[] {
  if (stops.some(({ isAgreed }) => !isAgreed)) return [again(home, order, stops)];
  const run = `edge-control run --home ${shellWord(home)}`;
  if (order.isCheck) {
    return [
      'systemctl stop ziti-controller',
      again(home, { ...order, isCheck: false, from: database }, stops),
      run,
    ];
  }
  const hasNobody = stops.some(({ what }) => what === 'administrator');
  return [
    `edge-control check --home ${shellWord(home)}`,
    run,
    `edge-control status --home ${shellWord(home)} --wait 60`,
    ...(hasNobody ? [`edge-control admin reset --home ${shellWord(home)}`] : []),
  ];
}

/** The command itself, with all that came up left out. Values of variables may be secrets. */
function again(
  home: string,
  { from, configuration, isCheck, sessions, variables, listener, report }: MigrateCommandOrder,
  stops: readonly StopReport[],
): string {
  const words = ['edge-control', 'migrate'];
  const put = (flag: string, value: string | undefined) => {
    if (value !== undefined) words.push(flag, shellWord(value));
  };
  put('--from', from);
  put('--config', configuration);
  put('--home', home);
  if (isCheck) words.push('--check');
  if (stops.length > 0) put('--leave-out', stops.map(({ what }) => what).join(','));
  put('--sessions', sessions);
  for (const name of Object.keys(variables)) words.push('--set-variable', `${shellWord(name)}=…`);
  put('--listener', listener);
  put('--report', report);
  return words.join(' ');
}

// The flags of the command `log`, and their meaning.

import { ConfigProblem, integer } from '../../settings/setting-type.ts';
import type { LogOrder } from './log-command.ts';

/** Flags besides `--home`, in commander's notation, with their descriptions. */
export const logFlags: readonly (readonly [flag: string, doc: string])[] = [
  ['--follow', 'Wait for new frames; ends on SIGINT or SIGTERM.'],
  ['--from-lsn <lsn>', 'Begin with this frame (default: the oldest that is kept).'],
  ['--to-lsn <lsn>', 'End with this frame.'],
  ['--id <id>', 'Only frames that change the record with this id.'],
  ['--kind <kind>', 'Only frames that change a record of this kind.'],
  ['--json', 'Print JSON lines on a terminal, too.'],
  ['--text', 'Print lines as audit shows them, in a pipe, too.'],
];

/** The meaning of the given flags. @throws ConfigProblem for an invalid LSN, and for both forms. */
export function logOrder(
  home: string,
  flags: Readonly<Record<string, string | true | undefined>>,
): LogOrder {
  const text = (key: string) => (typeof flags[key] === 'string' ? flags[key] : undefined);
  return {
    home,
    follow: flags['follow'] === true,
    fromLsn: lsnOf('--from-lsn', text('fromLsn')),
    toLsn: lsnOf('--to-lsn', text('toLsn')),
    id: text('id'),
    kind: text('kind'),
    form: formOf(flags),
  };
}

function formOf({ json, text }: Readonly<Record<string, string | true | undefined>>) {
  if (json === true && text === true) {
    throw new ConfigProblem('--json and --text exclude each other.');
  }
  return json === true ? 'json' : text === true ? 'text' : undefined;
}

const lsn = integer({ default: 0, least: 1, most: Number.MAX_SAFE_INTEGER, doc: '' });

/** The LSN that a flag gives. @throws ConfigProblem for an invalid one. */
export function lsnOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = lsn.read(text, '');
  if (value !== undefined) return value;
  throw new ConfigProblem(`${flag} is ${JSON.stringify(text)} but must be ${lsn.expected}.`);
}

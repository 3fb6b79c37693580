// The flags of the command `restore`, and their meaning.

import { resolve } from 'node:path';
import { ConfigProblem, integer } from '../setting.ts';
import type { FlagRow, Typed } from './snapshot-order.ts';

/** Flags beside `--home`. */
export const restoreFlags: readonly FlagRow[] = [
  ['--force', 'Lay what stands in the home aside, as <home>.before-restore-<time>.'],
  ['--log <directory>', 'Go on with the log that follows the snapshot: a home, or its folder log.'],
  ['--to-lsn <lsn>', 'End with this frame of the log.'],
  ['--to-time <time>', 'End with the last frame that is no later: ISO 8601 with its offset, or Z.'],
  ['--pki <directory>', 'Keys and certificates, where the backup has none: the folder pki.'],
  ['--new-keys', 'Restore without keys; the next start makes new ones that no client knows.'],
];

/** Notes for operators, shown with the help. */
export const restoreHelp = `
FILE is a backup (the directory that snapshot --output wrote) or a snapshot
(<home>/snapshots/*.snap), which needs --pki. All of it is verified before anything is changed,
and the home gets its name as the last thing: a restore that fails or is killed leaves nothing.

The restored home has the records, LSNs and keys of its source and a data set id of its own, so
that its log and that of the source never pass for one another. What the source changed after the
restored LSN is not in it: whoever lost a right since then has it again. Never let both serve the
same clients.`;

/** The meaning of the given flags; paths are absolute. */
export interface RestoreCommandOrder {
  readonly file: string;
  readonly force: boolean;
  readonly log: string | undefined;
  readonly toLsn: number | undefined;
  readonly toTimeMs: number | undefined;
  readonly pki: string | undefined;
  readonly newKeys: boolean;
}

/** Reads the flags. @throws ConfigProblem for flags that are invalid, alone or together. */
export function restoreOrder(file: string, typed: Typed): RestoreCommandOrder {
  const { flags, directory } = typed;
  const text = (key: string) => (typeof flags[key] === 'string' ? flags[key] : undefined);
  const path = (key: string) => {
    const value = text(key);
    return value === undefined ? undefined : resolve(directory, value);
  };
  const [toLsn, toTimeMs] = [lsnOf(text('toLsn')), timeOf(text('toTime'))];
  if (toLsn !== undefined && toTimeMs !== undefined) {
    throw new ConfigProblem('--to-lsn and --to-time exclude each other.');
  }
  const [pki, newKeys] = [path('pki'), flags['newKeys'] === true];
  if (newKeys && pki !== undefined) {
    throw new ConfigProblem('--pki and --new-keys exclude each other.');
  }
  return {
    file: resolve(directory, file),
    force: flags['force'] === true,
    log: path('log'),
    toLsn,
    toTimeMs,
    pki,
    newKeys,
  };
}

const lsn = integer({ default: 0, least: 1, most: Number.MAX_SAFE_INTEGER, doc: '' });

function lsnOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = lsn.read(text, '');
  if (value !== undefined) return value;
  throw new ConfigProblem(`--to-lsn is ${JSON.stringify(text)} but must be ${lsn.expected}.`);
}

/** RFC 3339; without an offset it would be a different time on each machine. */
const timeForm = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)$/;

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = timeForm.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
  if (!Number.isNaN(value)) return value;
  throw new ConfigProblem(
    `--to-time is ${JSON.stringify(text)} but must be a time such as 2026-11-21T14:30:00Z.`,
  );
}

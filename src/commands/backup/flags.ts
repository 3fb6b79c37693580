// The flags of the commands `snapshot` and `restore`, and their meaning.

import { resolve } from 'node:path';
import { ConfigProblem } from '../../settings/setting-type.ts';
import { lsnOf } from '../offline/log-order.ts';

/** A flag in commander's notation, with its description. */
export type FlagRow = readonly [flag: string, doc: string];

/** Flags of `snapshot` besides those of settings. */
export const snapshotFlags: readonly FlagRow[] = [
  [
    '--output <directory>',
    'Write a backup with everything that a restore needs: snapshot, keys, certificates, configuration.',
  ],
  ['--without-keys', 'Leave keys, certificates and the password file out of the backup.'],
  ['--url <url>', 'The URL of the running controller, if the home does not tell of it.'],
  [
    '--admin-user <name>',
    'The administrator to log in as (environment: EDGE_ADMIN_USER, default: admin).',
  ],
  [
    '--admin-password <password>',
    'Its password. A flag is visible to every user of the machine: prefer --admin-password-file.',
  ],
  [
    '--admin-password-file <file>',
    'A file with its password, or - for standard input (environment: EDGE_ADMIN_PASSWORD_FILE).',
  ],
  ['--cert <file>', 'PEM certificate of an administrator, to log in with instead of a password.'],
  ['--key <file>', 'PEM private key of --cert.'],
];

/** What an operator must know before storing a backup, shown with the help of `snapshot`. */
export const snapshotHelp = `
A running controller is asked for it (POST /database/snapshot, as an administrator); that of a
stopped home is taken here. It is a file in <home>/snapshots with all records, password hashes
and sealed secrets among them, and not enough for a restore: clients know the controller by the
keys in <home>/pki, and secrets are sealed with a key there.

--output writes a directory with all that a restore needs, with checksums, for its owner only.
Whoever reads it can pose as the controller: guard it like the home. With --without-keys it holds
no keys, and a restore asks for them (--pki): keep a copy of <home>/pki apart then.

The password is that of --admin-password, --admin-password-file, their environment variables, or
<home>/admin-password.`;

/** The meaning of the flags of `snapshot`; paths are absolute. */
export interface SnapshotOrder {
  readonly output: string | undefined;
  readonly withKeys: boolean;
  readonly url: string | undefined;
  readonly certificate: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** The configuration file, if one was named. */
  readonly configFile: string | undefined;
}

/** The flags as typed. */
export interface Typed {
  readonly flags: Readonly<Record<string, string | true | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  readonly directory: string;
}

/** Reads the flags. @throws ConfigProblem for flags that are invalid, alone or together. */
export function snapshotOrder({ flags, environment, directory }: Typed): SnapshotOrder {
  const file = (key: string) => {
    const value = flags[key];
    return typeof value === 'string' ? resolve(directory, value) : undefined;
  };
  const [output, certFile, keyFile] = [file('output'), file('cert'), file('key')];
  const url = typeof flags['url'] === 'string' ? flags['url'] : undefined;
  if (url !== undefined && !/^https:\/\/[^/?#@]+\/?$/.test(url)) {
    throw new ConfigProblem(`--url is ${JSON.stringify(url)} but must be https://HOST:PORT.`);
  }
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigProblem('--cert and --key only make sense together.');
  }
  const withKeys = flags['withoutKeys'] !== true;
  if (!withKeys && output === undefined) {
    throw new ConfigProblem('--without-keys only makes sense with --output.');
  }
  const certificate =
    certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
  const named = environment['EDGE_CONFIG'];
  const configFile = file('config') ?? (named ? resolve(directory, named) : undefined);
  return { output, withKeys, url, certificate, configFile };
}

/** Flags of `restore` besides `--home`. */
export const restoreFlags: readonly FlagRow[] = [
  ['--force', 'Lay what stands in the home aside, as <home>.before-restore-<time>.'],
  ['--log <directory>', 'Go on with the log that follows the snapshot: a home, or its folder log.'],
  ['--to-lsn <lsn>', 'End with this frame of the log.'],
  ['--to-time <time>', 'End with the last frame that is no later: ISO 8601 with its offset, or Z.'],
  ['--pki <directory>', 'Keys and certificates, where the backup has none: the folder pki.'],
  ['--new-keys', 'Restore without keys; the next start makes new ones that no client knows.'],
];

/** Notes for operators, shown with the help of `restore`. */
export const restoreHelp = `
FILE is a backup (the directory that snapshot --output wrote) or a snapshot
(<home>/snapshots/*.snap), which needs --pki. All of it is verified before anything is changed,
and the home gets its name as the last thing: a restore that fails leaves nothing, and what one that
is killed leaves is in no home's place and is removed by the next one.

The restored home has the records, LSNs and keys of its source and a data set id of its own, so
that its log and that of the source never pass for one another. What the source changed after the
restored LSN is not in it: whoever lost a right since then has it again. Never let both serve the
same clients.`;

/** The meaning of the flags of `restore`; paths are absolute. */
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
  const [toLsn, toTimeMs] = [lsnOf('--to-lsn', text('toLsn')), timeOf(text('toTime'))];
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

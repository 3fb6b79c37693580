// The flags of the command `snapshot`, and their meaning.

import { resolve } from 'node:path';
import { ConfigProblem } from '../setting.ts';

/** A flag in commander's notation, with its description. */
export type FlagRow = readonly [flag: string, doc: string];

/** Flags besides those of settings. */
export const snapshotFlags: readonly FlagRow[] = [
  [
    '--output <directory>',
    'Write a backup: the snapshot, keys, certificates and configuration, all that a restore needs.',
  ],
  ['--without-keys', 'Leave keys, certificates and the password file out of the backup.'],
  ['--url <url>', 'Where the running controller is asked, if not at its listen address.'],
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

/** What an operator must know before storing a backup, shown with the help. */
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

/** The meaning of the given flags; paths are absolute. */
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

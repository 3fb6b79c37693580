// Which files of a home a backup takes along beside its records, and which it cannot.

import { isAbsolute, join, relative } from 'node:path';
import type { FileElsewhere } from '../../snapshots/backup.ts';
import type { Config } from '../config.ts';
import type { Disk } from '../ports.ts';

/** The files of a home, relative to it, and those its settings name outside of it. */
export interface HomeFiles {
  readonly files: readonly string[];
  readonly elsewhere: readonly FileElsewhere[];
}

/** What the options of a backup say of its files. */
export interface HomeFilesOptions {
  /** Of keys, certificates and the administrator's password. */
  readonly withKeys: boolean;
  /** The configuration file, where it was named. */
  readonly configFile: string | undefined;
}

/** Lists what is there now. */
export function homeFiles(disk: Disk, config: Config, options: HomeFilesOptions): HomeFiles {
  const { home } = config;
  const files = [configName];
  const elsewhere: FileElsewhere[] = [];
  const { configFile } = options;
  if (configFile !== undefined && !isBelow(home, configFile)) {
    elsewhere.push({ setting: '--config', path: configFile });
  }
  if (options.withKeys) files.push(passwordName, ...pkiFiles(disk, home));
  for (const name of suppliedNames) {
    const path = config.pki[name];
    if (path === undefined) continue;
    if (options.withKeys && isBelow(home, path)) files.push(relative(home, path));
    else elsewhere.push({ setting: `pki.${name}`, path });
  }
  const found = [...new Set(files)].filter((path) => disk.exists(join(home, path)));
  return { files: found.sort(), elsewhere };
}

/** The folder of keys and certificates, in a home as in a backup. */
export const pkiName = 'pki';

/** The configuration file of a home. */
const configName = 'config.json';

/** Where a first start keeps the password that it made up. */
export const passwordName = 'admin-password';

const suppliedNames = ['serverCert', 'serverKey', 'ca', 'issuerCert', 'issuerKey'] as const;

/** All of the folder, but for drafts of a file that is being replaced. */
function pkiFiles(disk: Disk, home: string): string[] {
  const names = disk.list(join(home, pkiName)).filter((name) => !name.endsWith('.new'));
  return names.map((name) => `${pkiName}/${name}`);
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

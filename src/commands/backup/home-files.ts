// Which files of a home a backup includes besides its records, and which it cannot.

import { isAbsolute, join, relative } from 'node:path';
import type { FileElsewhere } from '../../../snapshots/home/backup.ts';
import { passwordName, pkiName } from '../../../snapshots/home/layout.ts';
import type { Disk } from '../../platform/ports.ts';
import type { Config } from '../../settings/config.ts';
import type { SnapshotOrder } from './flags.ts';

/** The files of a home, as relative paths, and the files outside of it that its settings name. */
export interface HomeFiles {
  readonly files: readonly string[];
  readonly elsewhere: readonly FileElsewhere[];
}

/** Lists the files that exist now. */
export function homeFiles(
  disk: Disk,
  config: Config,
  order: Pick<SnapshotOrder, 'withKeys' | 'configFile'>,
): HomeFiles {
  const { home } = config;
  const files = [configName];
  const elsewhere: FileElsewhere[] = [];
  const { configFile } = order;
  if (configFile !== undefined && !isBelow(home, configFile)) {
    elsewhere.push({ setting: '--config', path: configFile });
  }
  if (order.withKeys) files.push(passwordName, ...pkiFiles(disk, home));
  for (const name of suppliedNames) {
    const path = config.pki[name];
    if (path === undefined) continue;
    if (order.withKeys && isBelow(home, path)) files.push(relative(home, path));
    else elsewhere.push({ setting: `pki.${name}`, path });
  }
  const found = [...new Set(files)].filter((path) => disk.exists(join(home, path)));
  return { files: found.sort(), elsewhere };
}

/** The configuration file of a home. */
const configName = 'config.json';

const suppliedNames = ['serverCert', 'serverKey', 'ca', 'issuerCert', 'issuerKey'] as const;

/** All files of the folder, except temporary files of a replacement in progress. */
function pkiFiles(disk: Disk, home: string): string[] {
  const names = disk.list(join(home, pkiName)).filter((name) => !name.endsWith('.new'));
  return names.map((name) => `${pkiName}/${name}`);
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

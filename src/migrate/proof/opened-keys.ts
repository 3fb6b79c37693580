// Opens the keys of the new home as its first start will, before there is a home.

import { join } from 'node:path';
import { type Authority, openAuthority } from '../../pki/authority/authority.ts';
import type { Clock, Random } from '../../platform/ports.ts';
import type { Config } from '../../settings/config.ts';
import { MemoryDisk } from './memory-disk.ts';

/** The keys of a home that is not there yet. */
export interface KeysToOpen {
  /** As the controller will have it. */
  readonly config: Config;
  /** Texts by their paths below the home. */
  readonly files: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly random: Random;
}

/** @throws PkiProblem with the reason why the controller would not start with these files */
export async function openedKeys({ config, files, clock, random }: KeysToOpen): Promise<Authority> {
  const { home, advertise, ctrlAdvertise, pki: settings } = config;
  const paths = [...files].map(([path, text]) => [join(home, path), text] as const);
  return await openAuthority({
    disk: new MemoryDisk(new Map(paths)),
    clock,
    random,
    directory: join(home, 'pki'),
    host: advertise.host,
    controlHost: ctrlAdvertise?.host,
    settings,
  });
}

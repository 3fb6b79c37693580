// The folders of a bench run: new homes with their configuration, and their removal.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Argon2Parameters } from '../src/platform/ports.ts';
import { openLimits } from './open-limits.ts';

/** The folder for everything that the bench writes; it is not in the repository. */
export const outDirectory = fileURLToPath(new URL('./out', import.meta.url));

const here = fileURLToPath(new URL('..', import.meta.url));

/** The parameters of the hashes of OpenZiti, with which it is compared. */
export const rivalArgon2: Argon2Parameters = { memoryKib: 3072, timeCost: 1, parallelism: 4 };

/** The lowest cost that Argon2 accepts: for preparing many logins, never for measuring one. */
export const cheapestArgon2: Argon2Parameters = { memoryKib: 8, timeCost: 1, parallelism: 1 };

/** Settings by group, as a configuration file has them. */
export interface BenchSettings {
  readonly limits?: Readonly<Record<string, number>>;
  readonly [group: string]: object | undefined;
}

/** A home that does not exist yet. */
export interface BenchHome {
  readonly home: string;
  readonly logFile: string;
  /**
   * Writes its configuration file, `settings` beside the hashes' cost and `openLimits`; it takes
   * effect at the next start.
   */
  configure(argon2: Argon2Parameters, settings?: BenchSettings): void;
  remove(): void;
}

/**
 * Makes an empty home for the controller of the checkout in `root`. It is on the disk of this
 * checkout, because `/tmp` may be in memory.
 */
export function makeHome(name: string, root = here): BenchHome {
  const directory = join(outDirectory, 'homes', `${name}-${process.pid}`);
  rmSync(directory, { recursive: true, force: true });
  const home = join(directory, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return {
    home,
    logFile: join(directory, 'controller.log'),
    configure(argon2, settings = {}) {
      const limits = { ...openLimits(root), ...settings.limits };
      writeFileSync(join(home, 'config.json'), JSON.stringify({ argon2, ...settings, limits }));
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

// What PKI tests work with: a real temporary directory, a clock that stands, seeded chance.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import type { PkiContext } from '../../src/pki/authority/settings.ts';
import type { Random } from '../../src/platform/ports.ts';

/**
 * Real present, as Node's own TLS and OpenSSL evaluate dates by it; never a whole second, as
 * certificates have them: what is due at one would be so once in a thousand runs.
 */
export const startMs = Math.floor(Date.now() / 1000) * 1000 + 500;

/** A seeded Random; equal seeds give equal bytes. */
export function seededRandom(seed: string): Random {
  let calls = 0;
  return {
    bytes: (length) => {
      calls += 1;
      return createHash('shake256', { outputLength: length }).update(`${seed}/${calls}`).digest();
    },
  };
}

/** A context over `<home>/pki`. */
export function pkiContext(
  home: string,
  settings: Partial<PkiContext['settings']> = {},
  changes: Partial<PkiContext> = {},
): PkiContext {
  return {
    disk: nodeDisk,
    clock: { now: () => startMs },
    random: seededRandom(home),
    directory: join(home, 'pki'),
    host: 'edge.example.com',
    settings: { keyType: 'ec-p256', ...settings },
    ...changes,
  };
}

/** Homes below one test's directory: `testdir()` itself is emptied by each call. */
export function homesIn(directory: string): () => string {
  let homes = 0;
  return () => {
    homes += 1;
    return join(directory, `home-${homes}`);
  };
}

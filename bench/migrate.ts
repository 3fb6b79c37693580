// The scene of networks that are taken over from the peer.

import type { HomeRun } from './local-homes.ts';
import { measureMigrations } from './migrate/rows.ts';
import { noteRows, rowOptions } from './ratio-rows.ts';

/** Measures how a network of the peer is taken over. */
export async function measureMigrate(run: HomeRun): Promise<void> {
  run.progress('a network of the peer that is taken over');
  await measureMigrations(rowOptions(run), (row) => noteRows(run, 'migrateRatios', [row]));
}

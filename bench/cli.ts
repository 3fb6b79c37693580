// The scene of the command line: how long commands take, and how much memory a long list.

import { measureCommandTimes } from './commands/timings.ts';
import type { HomeRun } from './local-homes.ts';
import { noteRows, rowOptions } from './ratio-rows.ts';

/** Measures commands of a network in processes of their own. */
export async function measureCli(run: HomeRun): Promise<void> {
  run.progress('commands of a network');
  await measureCommandTimes(rowOptions(run), (row) => noteRows(run, 'cliRatios', [row]));
}

// Log lines about the disk: one line each time something fails, which says what the operator should
// do.

import type { Journal, RecoveryReport } from '../../snapshots/journal.ts';
import type { Log } from '../observe/logs.ts';

/** Logs what the start found, and from then on each change of the log's health. */
export function tellOfDisk(report: RecoveryReport, journal: Journal, log: Log): void {
  const { tornTail, damagedSnapshots, ...figures } = report;
  log.info({ ...figures }, 'the home is open');
  if (tornTail !== undefined) log.warn({ ...tornTail }, tornNote);
  // The older one that was used may be the last.
  for (const damaged of damagedSnapshots) log.error({ ...damaged }, damagedNote);
  journal.onHealth((health) => {
    if (health.state === 'writable') log.info('the log takes writes again');
    else if (health.state === 'stalled') log.error({ ...health }, stalledNote);
    else log.error({ ...health }, failedNote);
  });
}

const tornNote =
  'the end of the log was torn by a crash; a copy of what was cut is kept: nothing that was answered is lost, take a snapshot to acknowledge';

const damagedNote =
  'a snapshot is damaged and was passed over: see to the disk, and take another one';

const stalledNote = 'the log does not take writes: see to the disk of the home';

const failedNote =
  'the log has failed for good: see to the disk of the home, and start the controller again';

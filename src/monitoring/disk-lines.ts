// Log lines about the disk: one line each time something fails, which says what the operator should
// do.

import type { Journal, RecoveryReport } from '../../snapshots/journal.ts';
import type { Log } from '../observe/logs.ts';

/**
 * Logs what the start found, and from then on each change of the log's health. The log of a node
 * of a cluster is the stream, whose trouble the node itself tells.
 */
export function logDisk(report: RecoveryReport, journal: Journal, log: Log, isNode = false): void {
  const { tornTail, damagedSnapshots, lastCrc, term, ...figures } = report;
  log.info({ ...figures }, 'the home is open');
  log.debug({ lastCrc, term }, 'the end of the log, as nodes of a cluster compare it');
  if (tornTail !== undefined) log.warn({ ...tornTail }, tornNote);
  // The older one that was used may be the last.
  for (const damaged of damagedSnapshots) log.error({ ...damaged }, damagedNote);
  journal.onHealth((health) => {
    if (isNode && health.state !== 'failed') return;
    if (health.state === 'writable' && health.isShort) log.error(shortNote);
    else if (health.state === 'writable') log.info('the log accepts writes again');
    else if (health.state === 'stalled') log.error({ ...health }, stalledNote);
    else log.error({ ...health }, isNode ? failedNodeNote : failedNote);
  });
}

const tornNote =
  'a crash left an incomplete end of the log, which was cut off and kept as a copy: no answered change is lost; take a snapshot to acknowledge';

const damagedNote = 'a snapshot is damaged and was skipped: check the disk, and take another one';

/** The disk of the home has no space for the next segment of the log, as log and health say it. */
export const shortNote =
  'the disk of the home is full: no more records are created until there is room, and changes only while the log has some left';

const stalledNote = 'the log does not accept writes: check the disk of the home';

/** The log of a node of a cluster has failed, as log and health say it. */
export const failedNodeNote =
  'this node cannot write to the log of its cluster any more: see edge-control cluster status';

const failedNote =
  'the log has failed permanently: check the disk of the home, and start the controller again';

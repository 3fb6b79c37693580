// The newest formats that this program reads: what a node tells the others, so that nobody writes
// what they cannot read.

import { logFormatVersion } from '../../snapshots/log/segment.ts';
import { kinds } from '../resources/index.ts';

/** Versions by name: the log, and the records of each kind. */
export function formatsRead(): Readonly<Record<string, number>> {
  const versions = kinds.map(({ kind, version }) => [kind, version] as const);
  return Object.fromEntries([['log', logFormatVersion], ...versions]);
}

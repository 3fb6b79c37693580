// The formats of this program: what a node tells the others, so that nobody writes what they cannot
// read.

import { logFormatVersion } from '../../../snapshots/log/segment.ts';
import type { BuildFormats } from '../../cluster/log/formats.ts';
import { sealedMembers } from '../../cluster/nats/member-seal.ts';
import { version } from '../../platform/version.ts';
import { kinds } from '../../resources/index.ts';
import { deferredCascadeKind } from '../../store/deferred-cascades.ts';

/**
 * Versions by name: those of the records of each kind; that of the entries in the directory of
 * nodes; and `log`, which stands for everything else that nodes share or that a step back to the
 * former release has to read: segments and frames, snapshots, messages of the stream, the small
 * files of a home.
 */
export function buildFormats(): BuildFormats {
  const written = [...kinds.filter(({ volatile }) => volatile !== true), deferredCascadeKind];
  const codecs = written.map(({ kind, codec }) => [kind, codec] as const);
  const reads = codecs.map(([kind, codec]) => [kind, codec.version] as const);
  const writes = codecs.map(([kind, codec]) => [kind, codec.oldestWritten] as const);
  const members = [sealedMembers.name, sealedMembers.version] as const;
  return {
    version,
    reads: Object.fromEntries([['log', logFormatVersion], members, ...reads]),
    writes: Object.fromEntries([['log', oldestLogWritten], members, ...writes]),
  };
}

/** The oldest version of `log` that a node can write. */
const oldestLogWritten = 2;

// Turns the reason why a command cannot read a home into one sentence for the operator.

import { NewerFormat } from '../../../snapshots/errors.ts';
import { type Manifest, readManifest } from '../../../snapshots/home/manifest.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { Disk } from '../../platform/ports.ts';
import { NewerRecord } from '../../store/record.ts';

/**
 * The StartProblem for a refusal by the home or the system. Other errors are returned unchanged.
 */
export function asRefusal(thrown: unknown, home: string): unknown {
  if (thrown instanceof NewerFormat || thrown instanceof NewerRecord) {
    return new StartProblem(thrown.message);
  }
  if (!(thrown instanceof Error) || !('code' in thrown)) return thrown;
  return new StartProblem(`The home ${home} cannot be read: ${thrown.message}.`);
}

/**
 * The manifest of a home, which messages call `shown`. @throws StartProblem if there is no home, or
 * it cannot be read.
 */
export function manifestOf(disk: Disk, home: string, shown = home): Manifest {
  try {
    const manifest = readManifest(disk, home);
    if (manifest !== undefined) return manifest;
  } catch (error) {
    throw asRefusal(error, home);
  }
  throw new StartProblem(`${shown} is no home of a controller: it has no manifest.`);
}

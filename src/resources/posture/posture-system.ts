// The requirements of OS posture checks on an operating system; the systems' names apply to all
// checks.

import { fieldError } from '../../errors.ts';
import { parseVersionRange } from '../../posture/version-range.ts';
import type { OperatingSystem } from '../../records/operating-system.ts';

/** @throws ApiError COULD_NOT_VALIDATE for a text that is not a range of versions. */
export function refuseBadRanges(systems: readonly OperatingSystem[] | undefined): void {
  for (const [i, { versions }] of (systems ?? []).entries()) {
    const at = versions.findIndex((range) => parseVersionRange(range) === undefined);
    if (at < 0) continue;
    const field = `operatingSystems.${i}.versions.${at}`;
    throw fieldError(field, 'is not a range of versions', versions[at]);
  }
}

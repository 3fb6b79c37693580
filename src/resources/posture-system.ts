// What OS posture checks want of an operating system; the systems' names go for all checks.

import Type, { type Static } from 'typebox';
import { fieldError } from '../errors.ts';
import { parseVersionRange } from '../posture/version-range.ts';

/** Names of operating systems (behaviour §9.1). */
export const systemTypeSchema = Type.Enum([
  ...(['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS'] as const),
]);

/** One operating system with the ranges of versions it may have. */
export const operatingSystemSchema = Type.Object({
  type: systemTypeSchema,
  versions: Type.Array(Type.String({ maxLength: 1000 })),
});

/** An operating system as OS checks name it; no versions: any will do. */
export type OperatingSystem = Static<typeof operatingSystemSchema>;

/** @throws ApiError COULD_NOT_VALIDATE for a text that is no range of versions. */
export function refuseBadRanges(systems: readonly OperatingSystem[] | undefined): void {
  for (const [i, { versions }] of (systems ?? []).entries()) {
    const at = versions.findIndex((range) => parseVersionRange(range) === undefined);
    if (at < 0) continue;
    const field = `operatingSystems.${i}.versions.${at}`;
    throw fieldError(field, 'is not a range of versions', versions[at]);
  }
}

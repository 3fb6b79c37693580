// What OS posture checks want of an operating system; the systems' names go for all checks.

import Type, { type Static } from 'typebox';

/** Names of operating systems (behaviour/posture#fields). */
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

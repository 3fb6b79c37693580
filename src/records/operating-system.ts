// The operating systems in OS posture checks; the names of systems are used by all checks.

import Type, { type Static } from 'typebox';

/** Names of operating systems (behaviour/posture#fields). */
export const systemTypeSchema = Type.Enum([
  ...(['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS'] as const),
]);

/** One operating system with its accepted ranges of versions. */
export const operatingSystemSchema = Type.Object({
  type: systemTypeSchema,
  versions: Type.Array(Type.String({ maxLength: 1000 })),
});

/** An operating system in an OS check; without versions, any version is accepted. */
export type OperatingSystem = Static<typeof operatingSystemSchema>;

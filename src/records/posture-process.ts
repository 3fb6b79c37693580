// The processes that posture checks require, and the hexadecimal texts of checks.

import Type, { type Static } from 'typebox';
import { systemTypeSchema } from './operating-system.ts';

const hexText = Type.String({ maxLength: 1000 });

const common = {
  osType: systemTypeSchema,
  path: Type.String({ maxLength: 4096 }),
  hashes: Type.Optional(Type.Array(hexText)),
};

/** The process of a PROCESS check. */
export const processSchema = Type.Object({ ...common, signerFingerprint: Type.Optional(hexText) });

/** One of the processes of a PROCESS_MULTI check. */
export const processOfManySchema = Type.Object({
  ...common,
  signerFingerprints: Type.Optional(Type.Array(hexText)),
});

/** See `processSchema`. */
export type Process = Static<typeof processSchema>;

/** See `processOfManySchema`. */
export type ProcessOfMany = Static<typeof processOfManySchema>;

/** Lower-case hexadecimal digits only, the form for comparisons (behaviour/posture#fields). */
export function hexDigits(text: string): string {
  return text.toLowerCase().replace(/[^0-9a-f]/g, '');
}

/** A process as it is stored: only the given fields, hexadecimal texts in their one form. */
export function processOf<P extends Process | ProcessOfMany>(process: P): P {
  const normal: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(process)) {
    normal[name] = hexNames.has(name) ? digitsOf(value as string | string[]) : value;
  }
  return normal as P;
}

const hexNames = new Set(['hashes', 'signerFingerprint', 'signerFingerprints']);

function digitsOf(value: string | readonly string[]): string | string[] {
  return typeof value === 'string' ? hexDigits(value) : value.map(hexDigits);
}

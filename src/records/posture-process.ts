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

/** The process of a PROCESS check as it is stored: hexadecimal texts in their one form. */
export function processOf(process: Process): Process {
  const { hashes, signerFingerprint } = process;
  return {
    ...process,
    ...(hashes && { hashes: hashes.map(hexDigits) }),
    ...(signerFingerprint !== undefined && { signerFingerprint: hexDigits(signerFingerprint) }),
  };
}

/** A process of a PROCESS_MULTI check as it is stored: its hashes read back as they were sent. */
export function processOfMany(process: ProcessOfMany): ProcessOfMany {
  const { signerFingerprints } = process;
  return {
    ...process,
    ...(signerFingerprints && { signerFingerprints: signerFingerprints.map(hexDigits) }),
  };
}

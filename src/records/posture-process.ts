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

/** A process as version 1 of posture checks stored it: its signers in the form for comparisons. */
export function withSignerDigits(process: Process | ProcessOfMany): Process | ProcessOfMany {
  if ('signerFingerprints' in process) {
    const { signerFingerprints = [] } = process;
    return { ...process, signerFingerprints: signerFingerprints.map(hexDigits) };
  }
  const { signerFingerprint } = process as Process;
  if (signerFingerprint === undefined) return process;
  return { ...process, signerFingerprint: hexDigits(signerFingerprint) };
}

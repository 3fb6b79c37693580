// The processes that posture checks ask for, and the hexadecimal texts of checks.

import Type, { type Static } from 'typebox';
import { fieldError } from '../errors.ts';
import { systemTypeSchema } from './posture-system.ts';

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

/** Lower case, and nothing but hexadecimal digits: how such texts are compared (behaviour §9.1). */
export function hexDigits(text: string): string {
  return text.toLowerCase().replace(/[^0-9a-f]/g, '');
}

/** A process as it is stored: only what was said, hexadecimal texts in their one form. */
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

/** A blank fingerprint stands for none: it is how a patch clears one (behaviour §12.4.2). */
export function withoutBlankSigner(process: Process | undefined): Process | undefined {
  if (process?.signerFingerprint !== '') return process;
  const { signerFingerprint: _, ...rest } = process;
  return rest;
}

/**
 * Refuses a fingerprint that would be read as none, though something was said: the check would let
 * unsigned programs pass. @throws ApiError COULD_NOT_VALIDATE.
 */
export function checkSigner(given: unknown): void {
  const { signerFingerprint = '' } = (given ?? {}) as Partial<Process>;
  if (signerFingerprint.trim() === '' || hexDigits(signerFingerprint) !== '') return;
  const field = 'process.signerFingerprint';
  throw fieldError(field, 'holds no hexadecimal digit', signerFingerprint);
}

/** What of a check may hold hexadecimal texts. */
interface Checked {
  readonly macAddresses: readonly string[] | undefined;
  readonly process: Process | undefined;
  readonly processes: readonly ProcessOfMany[] | undefined;
}

/**
 * Refuses what has no digit in it: an empty text would match a client that submits an empty one.
 * @throws ApiError COULD_NOT_VALIDATE with the path of the first.
 */
export function checkHexTexts({ macAddresses = [], process, processes = [] }: Checked): void {
  refuseBlank('macAddresses', macAddresses);
  refuseBlank('process.hashes', process?.hashes ?? []);
  for (const [i, { hashes = [], signerFingerprints = [] }] of processes.entries()) {
    refuseBlank(`processes.${i}.hashes`, hashes);
    refuseBlank(`processes.${i}.signerFingerprints`, signerFingerprints);
  }
}

function refuseBlank(field: string, texts: readonly string[]): void {
  const at = texts.indexOf('');
  if (at >= 0) throw fieldError(`${field}.${at}`, 'holds no hexadecimal digit', texts[at]);
}

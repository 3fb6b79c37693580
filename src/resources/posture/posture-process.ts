// The processes that posture checks require, and the hexadecimal texts of checks.

import { fieldError } from '../../errors.ts';
import { hexDigits, type Process, type ProcessOfMany } from '../../records/posture-process.ts';

/** A blank fingerprint means none, so that a patch can clear it (behaviour/records#patch). */
export function withoutBlankSigner(process: Process | undefined): Process | undefined {
  if (process?.signerFingerprint !== '') return process;
  const { signerFingerprint: _, ...rest } = process;
  return rest;
}

/**
 * Refuses a text that would be read as no fingerprint although it is not blank: the check would let
 * unsigned programs pass. @throws ApiError COULD_NOT_VALIDATE.
 */
export function checkSigner(given: unknown): void {
  const { signerFingerprint = '' } = (given ?? {}) as Partial<Process>;
  if (signerFingerprint.trim() === '' || hexDigits(signerFingerprint) !== '') return;
  const field = 'process.signerFingerprint';
  throw fieldError(field, 'holds no hexadecimal digit', signerFingerprint);
}

/** The parts of a check that may hold hexadecimal texts. */
interface Checked {
  readonly macAddresses: readonly string[] | undefined;
  readonly process: Process | undefined;
  readonly processes: readonly ProcessOfMany[] | undefined;
}

/**
 * Refuses texts without a digit, because an empty text would match a client that submits an empty
 * one.
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

// Certificates that are over, not yet valid, or end soon, in sentences.

import type { X509Certificate } from 'node:crypto';
import { shown } from '../../pki/import/server-pair.ts';

/** Before its end a certificate is worth a word: our own are renewed this long before. */
const soonMs = 30 * 24 * 3600 * 1000;

/**
 * Why the dates of a certificate deserve attention; undefined if they do not.
 * @param name what messages call its source
 */
export function dateProblem(
  certificate: X509Certificate,
  name: string,
  nowMs: number,
): string | undefined {
  const { validFromDate, validToDate } = certificate;
  const what = `${name}: the certificate ${shown(certificate)}`;
  const end = validToDate.toISOString();
  if (validToDate.getTime() < nowMs) return `${what} ended on ${end}`;
  if (validFromDate.getTime() > nowMs) {
    return `${what} is valid only from ${validFromDate.toISOString()} on`;
  }
  return validToDate.getTime() - nowMs < soonMs ? `${what} ends soon, on ${end}` : undefined;
}

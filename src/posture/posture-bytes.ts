// Counts the bytes of posture data.

import type { PostureDataRecord } from '../records/posture-data.ts';
import type { ReportedProcess } from './processes.ts';

type SizedFields = Pick<PostureDataRecord, 'os' | 'domain' | 'mac' | 'processes'>;

/** The bytes of an entry besides its texts: its fields and their times. */
const entryBytes = 64;

/**
 * The bytes that `data` count for: those of their texts in UTF-8, and 64 for each entry. Computed
 * from the record itself, so it is the same after a restart.
 */
export function postureBytes({ os, domain, mac, processes }: SizedFields): number {
  let bytes = 0;
  if (os !== undefined) bytes += bytesOf(os.checkId, os.type, os.version, os.build);
  if (domain !== undefined) bytes += bytesOf(domain.checkId, domain.domain);
  if (mac !== undefined) bytes += bytesOf(mac.checkId, ...mac.addresses);
  for (const process of processes) bytes += processBytes(process);
  return bytes;
}

/** The bytes that one process counts for. */
export function processBytes(process: ReportedProcess): number {
  const { checkId, path, hash, signerFingerprints } = process;
  return bytesOf(checkId, path, hash, ...signerFingerprints);
}

function bytesOf(...texts: readonly string[]): number {
  let bytes = entryBytes;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes;
}

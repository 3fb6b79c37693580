// Bounds the posture data of one identity, and counts their bytes.

import { ApiError } from '../errors/errors.ts';
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
function processBytes(process: ReportedProcess): number {
  const { checkId, path, hash, signerFingerprints } = process;
  return bytesOf(checkId, path, hash, ...signerFingerprints);
}

function bytesOf(...texts: readonly string[]): number {
  let bytes = entryBytes;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes;
}

/**
 * Removes processes that were submitted earlier, the oldest first, until the data fits.
 * @throws ApiError POSTURE_DATA_TOO_LARGE when the present submission does not fit beside the rest.
 */
export function withinBytes(
  submitted: SizedFields,
  before: SizedFields,
  bytesMax: number,
): SizedFields {
  const { processes } = submitted;
  let bytes = postureBytes(submitted);
  let gone = 0;
  for (; bytes > bytesMax; gone++) {
    const oldest = processes[gone];
    if (oldest === undefined || !before.processes.includes(oldest)) {
      throw new ApiError('POSTURE_DATA_TOO_LARGE');
    }
    bytes -= processBytes(oldest);
  }
  return gone === 0 ? submitted : { ...submitted, processes: processes.slice(gone) };
}

/** One process per check and path, the latest last; the oldest are dropped beyond the bounds. */
export function latestProcesses(
  before: ReportedProcess[],
  submitted: readonly ReportedProcess[],
  { postureProcessesMax, postureProcessCharactersMax }: typeof submissionBounds,
): ReportedProcess[] {
  if (submitted.length === 0) return before;
  const byKey = new Map<string, ReportedProcess>();
  let characters = 0;
  for (const process of [...before, ...submitted]) {
    const key = `${process.checkId}\n${process.path}`;
    const replaced = byKey.get(key);
    if (replaced !== undefined) characters -= charactersOf(replaced);
    byKey.delete(key);
    byKey.set(key, process);
    characters += charactersOf(process);
  }
  for (const [key, process] of byKey) {
    if (byKey.size <= postureProcessesMax && characters <= postureProcessCharactersMax) break;
    byKey.delete(key);
    characters -= charactersOf(process);
  }
  return [...byKey.values()];
}

function charactersOf({ checkId, path, hash, signerFingerprints }: ReportedProcess): number {
  let characters = checkId.length + path.length + hash.length;
  for (const signer of signerFingerprints) characters += signer.length;
  return characters;
}

/** Bounds of posture data. */
export const submissionBounds = {
  /** Processes kept of one identity's endpoints, the latest. @bound per identity */
  postureProcessesMax: 500,
  /** Text of those processes: 500 of 250 characters. @bound per identity */
  postureProcessCharactersMax: 128 * 1024,
  /**
   * Posture data of one identity: the UTF-8 bytes of its texts and 64 per entry. 500 processes of
   * 250 characters count for 160 KB. A submission that does not fit by itself is refused.
   * @bound per identity
   */
  postureBytesMax: 256 * 1024,
};

// Finds the reported process that answers a check, and whether it is as required.

import type { PostureDataRecord } from '../records/posture-data.ts';
import { hexDigits, type Process, type ProcessOfMany } from '../records/posture-process.ts';

/** An identity's last report of one process. */
export type ReportedProcess = PostureDataRecord['processes'][number];

/** The response that a PROCESS check uses: the latest to this check, whatever path it gives. */
export function responseToCheck(
  data: PostureDataRecord | undefined,
  checkId: string,
): ReportedProcess | undefined {
  return data === undefined ? undefined : latestOf(data).byCheck.get(checkId);
}

/**
 * The response that a PROCESS_MULTI check uses: the latest with this path, whatever check it was
 * for. Paths must be exactly equal on every system, as in OpenZiti: clients answer with the path
 * that the query named. Nothing answers an empty path.
 */
export function responseOfPath(
  data: PostureDataRecord | undefined,
  path: string,
): ReportedProcess | undefined {
  return data === undefined ? undefined : latestOf(data).byPath.get(path);
}

/** The responses that checks use. */
export interface LatestProcesses {
  readonly byCheck: Map<string, ReportedProcess>;
  readonly byPath: Map<string, ReportedProcess>;
}

// Without it, a check of many processes would search all reported ones for each of them.
const known = new WeakMap<PostureDataRecord, LatestProcesses>();

/** The latest response per check and per path. */
export function latestOf(data: PostureDataRecord): LatestProcesses {
  let latest = known.get(data);
  if (latest === undefined) {
    latest = { byCheck: new Map(), byPath: new Map() };
    for (const one of data.processes) {
      // Later responses come after earlier ones, whatever the wall clock said.
      latest.byCheck.set(one.checkId, one);
      if (one.path !== '') latest.byPath.set(one.path, one);
    }
    known.set(data, latest);
  }
  return latest;
}

/** What a process lacks; hash and signer are only checked for a running process. */
export type ProcessLack = 'response' | 'running' | 'hash' | 'signer';

/** The first lack of the process; undefined when it is as required (behaviour/posture). */
export function lackOf(
  wanted: Process | ProcessOfMany,
  reported: ReportedProcess | undefined,
): ProcessLack | undefined {
  if (reported === undefined) return 'response';
  if (!reported.isRunning) return 'running';
  const hashes = hashesOf(wanted);
  if (hashes.length > 0 && !hashes.includes(reported.hash)) return 'hash';
  return isSignedAsWanted(wanted, reported) ? undefined : 'signer';
}

// A check is judged at every service list, but rarely changed.
const knownHashes = new WeakMap<readonly string[], readonly string[]>();

/** The wanted hashes in the form of reported ones; a PROCESS_MULTI check has them as sent. */
function hashesOf({ hashes }: Process | ProcessOfMany): readonly string[] {
  if (hashes === undefined || hashes.length === 0) return none;
  let known = knownHashes.get(hashes);
  if (known === undefined) knownHashes.set(hashes, (known = hashes.map(hexDigits)));
  return known;
}

const none: readonly string[] = [];

/** The signers of which the process must have one; with none, it need not be signed. */
export function signersOf(wanted: Process | ProcessOfMany): readonly string[] {
  if ('signerFingerprints' in wanted) return wanted.signerFingerprints ?? [];
  const { signerFingerprint = '' } = wanted as Process;
  return signerFingerprint === '' ? [] : [signerFingerprint];
}

function isSignedAsWanted(wanted: Process | ProcessOfMany, reported: ReportedProcess): boolean {
  const signers = signersOf(wanted);
  return signers.length === 0 || signers.some((one) => reported.signerFingerprints.includes(one));
}

// Which of the processes that an identity reported answers a check, and whether it is as wanted.

import type { PostureDataRecord } from '../records/posture-data.ts';
import type { Process, ProcessOfMany } from '../records/posture-process.ts';

/** What an identity last reported of one process. */
export type ReportedProcess = PostureDataRecord['processes'][number];

/** What a PROCESS check goes by: the latest response to it, whatever path that tells. */
export function responseToCheck(
  data: PostureDataRecord | undefined,
  checkId: string,
): ReportedProcess | undefined {
  return data === undefined ? undefined : latestOf(data).byCheck.get(checkId);
}

/**
 * What a PROCESS_MULTI check goes by: the latest response with the path, whatever check it was
 * meant for. Paths must be equal to the letter on every system, as OpenZiti has it: clients answer
 * with the path that the query named. Nothing answers an empty path.
 */
export function responseOfPath(
  data: PostureDataRecord | undefined,
  path: string,
): ReportedProcess | undefined {
  return data === undefined ? undefined : latestOf(data).byPath.get(path);
}

/** The responses that checks go by. */
export interface LatestProcesses {
  readonly byCheck: Map<string, ReportedProcess>;
  readonly byPath: Map<string, ReportedProcess>;
}

// A check of many processes would else go through all that was reported for each of them.
const known = new WeakMap<PostureDataRecord, LatestProcesses>();

/** Of each check and of each path the latest response. */
export function latestOf(data: PostureDataRecord): LatestProcesses {
  let latest = known.get(data);
  if (latest === undefined) {
    latest = { byCheck: new Map(), byPath: new Map() };
    for (const one of data.processes) {
      // Later ones stand behind earlier ones, whatever the wall clock said.
      latest.byCheck.set(one.checkId, one);
      if (one.path !== '') latest.byPath.set(one.path, one);
    }
    known.set(data, latest);
  }
  return latest;
}

/** What a process lacks; hash and signer are asked only of one that runs. */
export type ProcessLack = 'response' | 'running' | 'hash' | 'signer';

/** What keeps the process from being as wanted; undefined when nothing does (behaviour/posture). */
export function lackOf(
  wanted: Process | ProcessOfMany,
  reported: ReportedProcess | undefined,
): ProcessLack | undefined {
  if (reported === undefined) return 'response';
  if (!reported.isRunning) return 'running';
  const { hashes } = wanted;
  if (hashes !== undefined && hashes.length > 0 && !hashes.includes(reported.hash)) return 'hash';
  return isSignedAsWanted(wanted, reported) ? undefined : 'signer';
}

/** The signers of which the process must have one; none: it need not be signed. */
export function signersOf(wanted: Process | ProcessOfMany): readonly string[] {
  if ('signerFingerprints' in wanted) return wanted.signerFingerprints ?? [];
  const { signerFingerprint = '' } = wanted as Process;
  return signerFingerprint === '' ? [] : [signerFingerprint];
}

function isSignedAsWanted(wanted: Process | ProcessOfMany, reported: ReportedProcess): boolean {
  const signers = signersOf(wanted);
  return signers.length === 0 || signers.some((one) => reported.signerFingerprints.includes(one));
}

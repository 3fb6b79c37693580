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
  const { hashes, signers } = digitsOf(wanted);
  if (hashes.length > 0 && !hashes.includes(reported.hash)) return 'hash';
  const isSigned = signers.some((one) => reported.signerFingerprints.includes(one));
  return signers.length === 0 || isSigned ? undefined : 'signer';
}

/** The wanted hashes and signers in the form of reported ones. */
interface WantedDigits {
  readonly hashes: readonly string[];
  readonly signers: readonly string[];
}

// A check is evaluated at every service list, but rarely changed.
const knownDigits = new WeakMap<Process | ProcessOfMany, WantedDigits>();

function digitsOf(wanted: Process | ProcessOfMany): WantedDigits {
  let known = knownDigits.get(wanted);
  if (known === undefined) {
    const { hashes = [] } = wanted;
    known = { hashes: hashes.map(hexDigits), signers: signersOf(wanted).map(hexDigits) };
    knownDigits.set(wanted, known);
  }
  return known;
}

/**
 * The signers, as they were sent, of which the process must have one; with none, it need not be
 * signed.
 */
export function signersOf(wanted: Process | ProcessOfMany): readonly string[] {
  if ('signerFingerprints' in wanted) return wanted.signerFingerprints ?? [];
  const { signerFingerprint = '' } = wanted as Process;
  return signerFingerprint === '' ? [] : [signerFingerprint];
}

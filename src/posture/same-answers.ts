// Compares two submissions of an identity: whether they are the same to every check, whatever their
// times and order.

import type { PostureDataRecord } from '../records/posture-data.ts';
import { latestOf, type ReportedProcess } from './processes.ts';

/**
 * Whether no check can tell `after` from `before`. Times are ignored. So are the checks for which
 * an operating system, a domain or addresses were reported, because these count for all checks
 * (behaviour/posture#responses).
 * @param goesByCheck whether the check with this id uses the latest response to itself, so that the
 *   order of the responses to it matters.
 */
export function saysTheSame(
  before: PostureDataRecord,
  after: PostureDataRecord,
  goesByCheck: (checkId: string) => boolean,
): boolean {
  return (
    isSameSystem(before.os, after.os) &&
    before.domain?.domain === after.domain?.domain &&
    isSameList(before.mac?.addresses, after.mac?.addresses) &&
    areSameProcesses(before, after, goesByCheck)
  );
}

type System = PostureDataRecord['os'];

function isSameSystem(one: System, other: System): boolean {
  return (
    one?.type === other?.type && one?.version === other?.version && one?.build === other?.build
  );
}

function isSameList(one: readonly string[] | undefined, other: typeof one): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || one.length !== other.length) return false;
  return one.every((text, at) => text === other[at]);
}

function areSameProcesses(
  before: PostureDataRecord,
  after: PostureDataRecord,
  goesByCheck: (checkId: string) => boolean,
): boolean {
  const [was, is] = [before.processes, after.processes];
  if (was === is) return true;
  if (was.length !== is.length) return false;
  if (was.every((one, at) => isSameProcess(one, is[at]))) return true;
  const byKey = new Map(was.map((one) => [keyOf(one), one]));
  if (!is.every((one) => isSameProcess(byKey.get(keyOf(one)), one))) return false;
  // The same responses in another order.
  const [wasLatest, isLatest] = [latestOf(before), latestOf(after)];
  for (const [path, one] of isLatest.byPath) {
    if (!reportsTheSame(wasLatest.byPath.get(path), one)) return false;
  }
  for (const [checkId, one] of isLatest.byCheck) {
    if (isSameProcess(wasLatest.byCheck.get(checkId), one)) continue;
    if (goesByCheck(checkId)) return false;
  }
  return true;
}

function keyOf({ checkId, path }: ReportedProcess): string {
  return `${checkId}\n${path}`;
}

function isSameProcess(one: ReportedProcess | undefined, other: ReportedProcess | undefined) {
  return one?.checkId === other?.checkId && one?.path === other?.path && reportsTheSame(one, other);
}

function reportsTheSame(one: ReportedProcess | undefined, other: ReportedProcess | undefined) {
  return (
    one?.isRunning === other?.isRunning &&
    one?.hash === other?.hash &&
    isSameList(one?.signerFingerprints, other?.signerFingerprints)
  );
}

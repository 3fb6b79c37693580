// The rules of roles and posture (behaviour/policies, behaviour/posture), over plain objects: a
// second opinion that shares nothing with the code it is held against.

import type {
  ApiSession,
  Check,
  Identity,
  Member,
  Policy,
  Space,
  SubmittedProcess,
  Wanted,
  WantedProcess,
} from './posture-things.ts';

/** Whether a role list of the policy selects the member (behaviour/policies#matching). */
export function selects(
  policy: Policy,
  space: Space,
  { id, attributes }: Pick<Member, 'id' | 'attributes'>,
): boolean {
  const roles = policy.roles[space] ?? [];
  if (roles.includes('#all') || roles.includes(`@${id}`)) return true;
  const wanted = roles.filter((role) => role[0] === '#').map((role) => role.slice(1));
  if (wanted.length === 0) return false;
  if (policy.semantic === 'AnyOf') return wanted.some((name) => attributes.includes(name));
  return wanted.every((name) => attributes.includes(name));
}

/** Grace after a wake or an unlock (behaviour/posture#prompts). */
export const graceMs = 300_000;

/**
 * Whether a check passes for an identity at one of its API sessions, undefined for none
 * (behaviour/posture#verdicts).
 */
export function passes(
  { id, wanted }: Check,
  { data, mfa }: Identity,
  apiSession: ApiSession | undefined,
  now: number,
): boolean {
  switch (wanted.typeId) {
    case 'OS':
      return data.os !== undefined && isSystemRight(wanted.systems, data.os);
    case 'DOMAIN':
      return wanted.domains.some((one) => one.toLowerCase() === data.domain?.toLowerCase());
    case 'MAC': {
      const allowed = wanted.macAddresses.map(bare);
      return (data.macAddresses ?? []).some((one) => allowed.includes(bare(one)));
    }
    case 'PROCESS':
      return runs(
        wanted.process,
        data.processes.findLast(({ checkId }) => checkId === id),
      );
    case 'PROCESS_MULTI': {
      const isRight = (process: WantedProcess) =>
        runs(
          process,
          data.processes.findLast(({ path }) => path === process.path),
        );
      if (wanted.semantic === 'AllOf') return wanted.processes.every(isRight);
      return wanted.processes.some(isRight);
    }
    case 'MFA':
      return isPassed(mfa, apiSession) && now <= endsAt(wanted, apiSession);
  }
}

/** Whether a code was accepted that counts for the present enrollment (behaviour/mfa#removal). */
export function isPassed<S extends ApiSession>(
  mfa: Identity['mfa'],
  apiSession: S | undefined,
): apiSession is S & { readonly mfaPassedAt: number } {
  const passedAt = apiSession?.mfaPassedAt;
  return mfa?.isVerified === true && passedAt !== undefined && mfa.createdAt <= passedAt;
}

/** The last ms at which a passed MFA counts, infinity for ever (behaviour/posture). */
export function endsAt(
  wanted: Extract<Wanted, { typeId: 'MFA' }>,
  session: ApiSession & { readonly mfaPassedAt: number },
): number {
  const ends = [Number.POSITIVE_INFINITY];
  if (wanted.timeoutSeconds > 0) ends.push(session.mfaPassedAt + wanted.timeoutSeconds * 1000);
  const { wokenAt, unlockedAt, mfaPassedAt } = session;
  if (wanted.promptOnWake && wokenAt !== undefined && wokenAt > mfaPassedAt) {
    ends.push(wokenAt + graceMs);
  }
  if (wanted.promptOnUnlock && unlockedAt !== undefined && unlockedAt > mfaPassedAt) {
    ends.push(unlockedAt + graceMs);
  }
  return Math.min(...ends);
}

/** Lower case and hexadecimal digits alone (behaviour/posture#fields). */
function bare(text: string): string {
  return [...text.toLowerCase()].filter((letter) => '0123456789abcdef'.includes(letter)).join('');
}

function runs(wanted: WantedProcess, found: SubmittedProcess | undefined): boolean {
  if (found?.isRunning !== true) return false;
  const hashes = wanted.hashes.map(bare);
  const signers = wanted.signers.map(bare);
  return (
    (hashes.length === 0 || hashes.includes(bare(found.hash))) &&
    (signers.length === 0 || found.signers.some((one) => signers.includes(bare(one))))
  );
}

type Systems = Extract<Wanted, { typeId: 'OS' }>['systems'];

function isSystemRight(systems: Systems, found: { type: string; version: string }): boolean {
  const wanted = systems.findLast(({ type }) => type.toLowerCase() === found.type.toLowerCase());
  if (wanted === undefined) return false;
  if (wanted.versions.length === 0) return true;
  const place = placeOf(found.version);
  if (place === undefined) return false;
  return wanted.versions.some((range) => versionRanges[range]?.(place) ?? false);
}

/** A version of three numbers as one number; undefined for what is none. */
export function placeOf(version: string): number | undefined {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return undefined;
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return major * 1_000_000 + minor * 1000 + patch;
}

/** The ranges that the model uses; a version stands as one number, three digits for each part. */
export const versionRanges: Readonly<Record<string, (place: number) => boolean>> = {
  '>=10.0.0': (place) => place >= 10_000_000,
  '<5.0.0': (place) => place < 5_000_000,
  '5.4.x': (place) => place >= 5_004_000 && place < 5_005_000,
  '>=4.14.0 <5.0.0 || 5.9.0': (place) =>
    (place >= 4_014_000 && place < 5_000_000) || place === 5_009_000,
};

/** Versions that endpoints report; the last two are none. */
export const versions = ['10.0.1', '5.4.7', '4.14.0', '5.9.0', '3.1.4', '5.9', 'unknown'];

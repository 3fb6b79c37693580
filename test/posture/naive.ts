// A second, slow implementation of posture, straight from behaviour/posture, for comparison with
// evaluate-check.ts. It shares nothing with it; version ranges are given as values, not as text.

import type { EndpointState } from '../../src/posture/subject.ts';

type Numbers = readonly [number, number, number];

/** One comparison of a range; `any` numbers from some place on match all. */
export interface Comparison {
  readonly operator: '<' | '<=' | '>' | '>=' | '=' | '!=';
  readonly numbers: Numbers;
}

/** A process as a check wants it or as a client reported it. */
export interface NaiveProcess {
  readonly path: string;
  readonly hashes: readonly string[];
  readonly signers: readonly string[];
}

/** One response about a process. */
export interface NaiveResponse {
  readonly checkId: string;
  readonly path: string;
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signers: readonly string[];
  readonly at: number;
}

/** A check in its parts. */
export type NaiveCheck =
  | {
      readonly type: 'OS';
      /** Each range: alternatives of comparisons. */
      readonly systems: readonly {
        readonly type: string;
        readonly ranges: readonly (readonly (readonly Comparison[])[])[];
      }[];
    }
  | { readonly type: 'DOMAIN'; readonly domains: readonly string[] }
  | { readonly type: 'MAC'; readonly addresses: readonly string[] }
  | { readonly type: 'PROCESS'; readonly id: string; readonly process: NaiveProcess }
  | {
      readonly type: 'PROCESS_MULTI';
      readonly semantic: 'AllOf' | 'AnyOf';
      readonly processes: readonly NaiveProcess[];
    }
  | {
      readonly type: 'MFA';
      readonly timeoutSeconds: number;
      readonly promptOnWake: boolean;
      readonly promptOnUnlock: boolean;
    };

/** A subject in its parts. */
export interface NaiveSubject {
  readonly hasData: boolean;
  readonly os: { readonly type: string; readonly version: string } | undefined;
  readonly domain: string | undefined;
  readonly addresses: readonly string[] | undefined;
  readonly responses: readonly NaiveResponse[];
  readonly endpoint: EndpointState | undefined;
  readonly enrolledAt: number | undefined;
}

/** Whether the subject passes. */
export function passesNaively(check: NaiveCheck, subject: NaiveSubject, now: number): boolean {
  if (check.type === 'MFA') return passesMfa(check, subject, now);
  if (!subject.hasData) return false;
  switch (check.type) {
    case 'OS':
      return passesOs(check.systems, subject.os);
    case 'DOMAIN':
      return check.domains.some((domain) => domain.toUpperCase() === subject.domain?.toUpperCase());
    case 'MAC':
      return (subject.addresses ?? []).some((one) => check.addresses.includes(one));
    case 'PROCESS': {
      const own = subject.responses.filter(({ checkId }) => checkId === check.id);
      return isAsWanted(check.process, latest(own));
    }
    case 'PROCESS_MULTI': {
      const each = check.processes.map((process) => {
        const same = subject.responses.filter(({ path }) => path === process.path && path !== '');
        return isAsWanted(process, latest(same));
      });
      return check.semantic === 'AllOf' ? !each.includes(false) : each.includes(true);
    }
  }
}

function passesOs(
  systems: (NaiveCheck & { type: 'OS' })['systems'],
  os: NaiveSubject['os'],
): boolean {
  if (os === undefined) return false;
  const last = systems.findLast(({ type }) => type.toLowerCase() === os.type.toLowerCase());
  if (last === undefined) return false;
  if (last.ranges.length === 0) return true;
  const version = /^(\d+)\.(\d+)\.(\d+)$/.exec(os.version)?.slice(1).map(Number);
  if (version === undefined) return false;
  return last.ranges.some((alternatives) =>
    alternatives.some((all) => all.every((one) => holds(one, version as unknown as Numbers))),
  );
}

function holds({ operator, numbers }: Comparison, version: Numbers): boolean {
  // Small numbers only: as digits of one number they compare as versions do.
  const order = weight(version) - weight(numbers);
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
  }
}

const weight = ([major, minor, patch]: Numbers) => major * 1e6 + minor * 1e3 + patch;

/** The last one to come, whatever the clock said then. */
function latest(responses: readonly NaiveResponse[]): NaiveResponse | undefined {
  return responses.at(-1);
}

function isAsWanted(wanted: NaiveProcess, response: NaiveResponse | undefined): boolean {
  return (
    response?.isRunning === true &&
    (wanted.hashes.length === 0 || wanted.hashes.includes(response.hash)) &&
    (wanted.signers.length === 0 || wanted.signers.some((one) => response.signers.includes(one)))
  );
}

function passesMfa(
  check: NaiveCheck & { type: 'MFA' },
  { endpoint, enrolledAt }: NaiveSubject,
  now: number,
): boolean {
  const passedAt = endpoint?.mfaPassedAt;
  if (passedAt === undefined || enrolledAt === undefined || enrolledAt > passedAt) return false;
  if (check.timeoutSeconds !== -1 && passedAt + check.timeoutSeconds * 1000 < now) return false;
  const asked = [
    ...(check.promptOnWake ? [endpoint?.wokenAt] : []),
    ...(check.promptOnUnlock ? [endpoint?.unlockedAt] : []),
  ];
  return asked.every((at) => at === undefined || at <= passedAt || now - at <= 300_000);
}

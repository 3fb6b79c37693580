// The operating systems that an OS check accepts, with their ranges parsed once per record.

import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { PostureDataRecord } from '../records/posture-data.ts';
import {
  parseVersion,
  parseVersionRange,
  type Version,
  type VersionRange,
} from './version-range.ts';

/** The operating system that an identity last reported. */
export type ReportedSystem = NonNullable<PostureDataRecord['os']>;

/** One accepted operating system. */
export interface WantedSystem {
  /** The type as the check spells it. */
  readonly type: string;
  /** The versions as the check spells them; with none, any version is accepted. */
  readonly versions: readonly string[];
  readonly ranges: readonly VersionRange[];
}

/**
 * The systems that an OS check accepts, by type in lower case. If a type occurs twice, its last
 * entry counts (behaviour/posture#verdicts).
 */
export function systemsOf(check: PostureCheckRecord): ReadonlyMap<string, WantedSystem> {
  let known = systems.get(check);
  if (known === undefined) {
    known = new Map();
    for (const { type, versions } of check.operatingSystems ?? []) {
      // A text that is not a range would not have been stored; it accepts no version.
      const ranges = versions.map((text) => parseVersionRange(text) ?? (() => false));
      known.set(type.toLowerCase(), { type, versions, ranges });
    }
    systems.set(check, known);
  }
  return known;
}

const systems = new WeakMap<PostureCheckRecord, Map<string, WantedSystem>>();

/** Whether the reported system is an accepted one, with an accepted version. */
export function isSystemWanted(
  wanted: ReadonlyMap<string, WantedSystem>,
  reported: ReportedSystem | undefined,
): boolean {
  if (reported === undefined) return false;
  const system = wanted.get(reported.type.toLowerCase());
  if (system === undefined) return false;
  if (system.ranges.length === 0) return true;
  const version = versionOf(reported);
  if (version === undefined) return false;
  for (const holds of system.ranges) if (holds(version)) return true;
  return false;
}

/** The version of three numbers that was reported; undefined for anything else. */
export function versionOf(reported: ReportedSystem): Version | undefined {
  let known = versions.get(reported);
  if (known === undefined) {
    known = parseVersion(reported.version) ?? 'none';
    versions.set(reported, known);
  }
  return known === 'none' ? undefined : known;
}

// Versions are evaluated at every service list, but rarely reported.
const versions = new WeakMap<ReportedSystem, Version | 'none'>();

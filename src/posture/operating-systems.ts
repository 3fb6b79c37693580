// The operating systems that an OS check wants, its ranges parsed once a record.

import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { PostureDataRecord } from '../records/posture-data.ts';
import {
  parseVersion,
  parseVersionRange,
  type Version,
  type VersionRange,
} from './version-range.ts';

/** What an identity last reported of its operating system. */
export type ReportedSystem = NonNullable<PostureDataRecord['os']>;

/** One wanted operating system. */
export interface WantedSystem {
  /** As the check writes it. */
  readonly type: string;
  /** As the check writes them; none: any version will do. */
  readonly versions: readonly string[];
  readonly ranges: readonly VersionRange[];
}

/**
 * The systems that an OS check wants, by type in lower case. Where a type stands twice its last
 * entry counts (behaviour/posture#verdicts).
 */
export function systemsOf(check: PostureCheckRecord): ReadonlyMap<string, WantedSystem> {
  let known = systems.get(check);
  if (known === undefined) {
    known = new Map();
    for (const { type, versions } of check.operatingSystems ?? []) {
      // A text that is no range would not have been stored; it lets nobody in.
      const ranges = versions.map((text) => parseVersionRange(text) ?? (() => false));
      known.set(type.toLowerCase(), { type, versions, ranges });
    }
    systems.set(check, known);
  }
  return known;
}

const systems = new WeakMap<PostureCheckRecord, Map<string, WantedSystem>>();

/** Whether the reported system is one of those wanted, and at a version wanted of it. */
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

// Judged at every service list, reported once in a while.
const versions = new WeakMap<ReportedSystem, Version | 'none'>();

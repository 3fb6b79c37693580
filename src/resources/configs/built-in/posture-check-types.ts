// All posture check types, with the operating systems that each applies to.

import { deepFrozen } from './frozen.ts';

/** An operating system and the versions of it that tools offer; an empty list means any. */
export interface OperatingSystem {
  readonly type: 'Windows' | 'WindowsServer' | 'Android' | 'iOS' | 'Linux' | 'macOS';
  readonly versions: readonly string[];
}

/** A posture check type as its record holds it, without times and tags. */
export interface BuiltInPostureCheckType {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly operatingSystems: readonly OperatingSystem[];
}

const windows: OperatingSystem = { type: 'Windows', versions: ['Vista', '7', '8', '10', '2000'] };
const linux: OperatingSystem = { type: 'Linux', versions: ['4.14', '4.19', '5.4', '5.9'] };
const android: OperatingSystem = { type: 'Android', versions: ['9', '10', '11'] };
const macos: OperatingSystem = { type: 'macOS', versions: ['10.15', '11.0'] };
const ios: OperatingSystem = { type: 'iOS', versions: ['11', '12'] };

/** See behaviour/posture#types. */
export const builtInPostureCheckTypes: readonly BuiltInPostureCheckType[] = deepFrozen([
  checkType('OS', 'Operating System Check', [windows, linux, android, macos, ios]),
  checkType('PROCESS', 'Process Check', [windows, macos, linux]),
  checkType('DOMAIN', 'Windows Domain Check', [windows]),
  checkType('MAC', 'MAC Address Check', [windows, linux, macos, android]),
  checkType('PROCESS_MULTI', 'Process Multi Check', [windows, macos, linux].map(anyVersion)),
  checkType('MFA', 'MFA Check', []),
]);

function checkType(
  id: string,
  name: string,
  operatingSystems: readonly OperatingSystem[],
): BuiltInPostureCheckType {
  return { id, name, version: '1', operatingSystems };
}

function anyVersion({ type }: OperatingSystem): OperatingSystem {
  return { type, versions: [] };
}

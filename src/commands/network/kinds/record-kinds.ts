// The kinds of records in the log, as commands name them: `servicePolicy` is service-policy there.

import { nearestName } from '../../../platform/nearest-name.ts';
import { CommandFailure } from '../command-failure.ts';
import type { KindRow } from './kind.ts';
import { kindRows } from './kind-rows.ts';
import { wordsOf } from './kinds.ts';

/** Kinds of records that no command shows otherwise; a test compares them with the declarations. */
const recordKindsAlone: readonly string[] = [
  'authRequest',
  'circuitPath',
  'clusterInvitation',
  'followUp',
  'integrityRun',
  'mfaEnrollment',
  'postureData',
  'routerModel',
  'sessionCertificate',
  'tokenKey',
  'usage',
  'usagePair',
  'wrongPasswords',
];

/** The kind of the records that hold the entities of a kind. */
export function recordKindOf({ name }: KindRow): string {
  if (name.endsWith('-router')) return 'router';
  return name.replaceAll(/-[a-z]/g, (part) => part.slice(1).toUpperCase());
}

/** How a kind of records is called in commands: `service-policy`. */
export function recordWord(recordKind: string): string {
  return recordKind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The kind of a command that shows records of a kind; the fabric's routers are all routers. */
export function kindOfRecords(recordKind: string): KindRow | undefined {
  return kindRows.find((kind) => kind.name === recordWord(recordKind));
}

/** The kind of records that was typed, by any of its names. @throws CommandFailure for no kind */
export function recordKindTyped(word: string): string {
  const kind = kindRows.find((row) => [...wordsOf(row), recordKindOf(row)].includes(word));
  if (kind !== undefined) return recordKindOf(kind);
  const alone = recordKindsAlone.find((name) => name === word || recordWord(name) === word);
  if (alone !== undefined) return alone;
  const nearest = nearestName(word, [...kindRows.flatMap(wordsOf), ...recordKindsAlone]);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw CommandFailure.wrong(`--kind is "${word}", which is no kind.${meant} Nothing was sent.`);
}

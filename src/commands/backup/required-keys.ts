// Checks, before a restore changes anything, that the keys beside a snapshot are those that its
// clients need.

import { join } from 'node:path';
import { StartProblem } from '../../errors/errors.ts';
import { tokenKeyName } from '../../pki/authority/authority.ts';
import { loadOwnCa } from '../../pki/authority/own-ca.ts';
import type { Clock, Disk, Random } from '../../platform/ports.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import { enrollmentKind } from '../../records/enrollment.ts';
import { tokenKeyKind } from '../../records/token-key.ts';
import { kinds as allKinds } from '../../resources/index.ts';
import type { Config } from '../../settings/config.ts';

/** The files to check, and the records that need them. */
export interface KeysInQuestion {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  /** The folder `pki` of the backup, or a copy of the home's `pki`. */
  readonly folder: string;
  readonly config: Config;
  /** Kinds of the records that are restored. */
  readonly kinds: ReadonlySet<string>;
}

/** @throws StartProblem for missing files, and for a CA whose files do not belong together */
export function checkKeys(question: KeysInQuestion): void {
  const { disk, folder, config, clock, random } = question;
  const missing = requiredNames(question).filter((name) => !disk.exists(join(folder, name)));
  if (missing.length > 0) {
    throw new StartProblem(
      `${folder} lacks ${missing.join(', ')}: without the keys that its clients know, ` +
        'a restored controller is a stranger to them.',
    );
  }
  if (config.pki.issuerCert !== undefined) return;
  const { pki: settings, advertise } = config;
  loadOwnCa({ disk, clock, random, directory: folder, host: advertise.host, settings });
}

/**
 * Kinds whose records are left out when a home is restored without its keys: records that only
 * these keys open and that a network can do without, and records that depend on them. Clients log
 * in again, and identities that have not enrolled need another enrollment.
 */
export function leftWithoutKeys(): ReadonlySet<string> {
  const left = new Set([apiSessionKind.kind, enrollmentKind.kind, tokenKeyKind.kind]);
  // Iterating over a set also visits the members that are added meanwhile.
  for (const owner of left) {
    for (const { kind, relations } of allKinds) {
      const goesAlong = relations.some(
        ({ relation }) => relation.kind === owner && relation.onDelete === 'cascade',
      );
      if (goesAlong) left.add(kind);
    }
  }
  return left;
}

/** Whether records of these kinds may be sealed with `sealing.key` (behaviour/mfa#at-rest). */
function holdSealed(kinds: ReadonlySet<string>): boolean {
  return allKinds.some(({ kind, sealedFields }) => sealedFields.length > 0 && kinds.has(kind));
}

function requiredNames({ config, kinds }: KeysInQuestion): string[] {
  const { issuerCert, serverCert } = config.pki;
  const names = ['ca.pem'];
  // A former release kept it beside the records.
  if (!kinds.has(tokenKeyKind.kind)) names.push(tokenKeyName);
  if (issuerCert === undefined) names.push('root.pem', 'intermediate.pem', 'intermediate.key');
  if (serverCert === undefined) names.push('server.key');
  if (holdSealed(kinds)) names.push('sealing.key');
  return names;
}

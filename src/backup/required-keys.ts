// Whether the keys beside a snapshot are those that its clients need: found out before a restore
// changes anything.

import { join } from 'node:path';
import type { Config } from '../config.ts';
import { StartProblem } from '../errors.ts';
import { loadOwnCa } from '../pki/own-ca.ts';
import type { Clock, Disk, Random } from '../ports.ts';
import { apiSessionKind } from '../records/api-session.ts';
import { enrollmentKind } from '../records/enrollment.ts';
import { kinds as allKinds } from '../resources/index.ts';

/** What is looked at, and what it is for. */
export interface KeysInQuestion {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  /** The folder `pki` of the backup, or a copy of that of the home. */
  readonly folder: string;
  readonly config: Config;
  /** Kinds of the records that are restored. */
  readonly kinds: ReadonlySet<string>;
}

/**
 * @throws StartProblem for files that are missing, and for a CA whose files do not belong together
 */
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
 * Kinds whose records a home leaves behind where it is restored without its keys: what only these
 * keys open and a network can do without, and what goes with such records. Clients log in again,
 * and who has not enrolled is given another enrollment.
 */
export function leftWithoutKeys(): ReadonlySet<string> {
  const left = new Set([apiSessionKind.kind, enrollmentKind.kind]);
  // A set that grows while it is gone through is gone through to its last member.
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
  const names = ['ca.pem', 'token.key'];
  if (issuerCert === undefined) names.push('root.pem', 'intermediate.pem', 'intermediate.key');
  if (serverCert === undefined) names.push('server.key');
  if (holdSealed(kinds)) names.push('sealing.key');
  return names;
}

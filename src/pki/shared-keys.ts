// Fingerprints of the keys that all nodes of a cluster share: a client that is served by another
// node must find the same CA and API key there. The keys of tokens are in the log, except in a home
// of a former release.

import { createHash, createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { withFile } from '../../snapshots/home/file-access.ts';
import type { Disk } from '../platform/ports.ts';
import { tokenKeyName } from './authority/authority.ts';
import { readText } from './authority/files.ts';
import { PkiProblem } from './problem.ts';
import {
  fingerprint,
  parseCertificates,
  parsePrivateKey,
  publicKeyFingerprint,
} from './x509/pem.ts';

/** Where the keys are. */
export interface SharedKeyFiles {
  readonly disk: Disk;
  /** The folder `pki` of a home, or a copy of it. */
  readonly folder: string;
  /** `pki.serverKey`, if it is set. */
  readonly serverKey: string | undefined;
  /** `pki.issuerKey`, if it is set. */
  readonly issuerKey: string | undefined;
}

/** Names of the keys, as `status` and `join` show them. */
const sharedKeyNames = ['CA', 'API key', 'token key', 'sealing key'] as const;

/** Fingerprints by name, in hex; of a token key while it is in a file. */
export type SharedKeys = Readonly<
  Record<Exclude<(typeof sharedKeyNames)[number], 'token key'>, string>
> & { readonly 'token key'?: string };

/**
 * The fingerprints. None of them helps to find a key.
 * @throws PkiProblem for a file that is missing or holds no key
 */
export function sharedKeysOf({ disk, folder, serverKey, issuerKey }: SharedKeyFiles): SharedKeys {
  const text = (name: string) => readText(disk, join(folder, name), name);
  const publicPart = (path: string, name: string) =>
    publicKeyFingerprint(createPublicKey(parsePrivateKey(readText(disk, path, name), name)));
  const trusted = parseCertificates(text('ca.pem'), 'ca.pem').map(fingerprint).sort().join();
  const issuer = publicPart(issuerKey ?? join(folder, 'intermediate.key'), 'the key of the CA');
  const ofTokens = join(folder, tokenKeyName);
  return {
    CA: hashOf('CA', `${trusted} ${issuer}`),
    'API key': publicPart(serverKey ?? join(folder, 'server.key'), 'the key of the API'),
    ...(disk.exists(ofTokens) ? { 'token key': publicPart(ofTokens, tokenKeyName) } : {}),
    'sealing key': hashOf('sealing key', sealingText(text('sealing.key'))),
  };
}

/** The key by which the other nodes know a node, and its certificate: they are never shared. */
const ownFiles: ReadonlySet<string> = new Set(['node.pem', 'node.key']);

/** Whether a file of the folder `pki` is one that all nodes share; drafts are none. */
export function isSharedFile(name: string): boolean {
  return !name.endsWith('.new') && !ownFiles.has(name);
}

/** A name that `join` takes from another node. */
export const sharedFileName: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The shared files of a folder `pki`, by their names. @throws a system error */
export function sharedFilesOf(disk: Disk, folder: string): ReadonlyMap<string, Buffer> {
  const names = disk.list(folder).filter((name) => isSharedFile(name) && sharedFileName.test(name));
  return new Map(
    names.map((name) => [
      name,
      withFile(disk, join(folder, name), 'read', (file) => file.read(0, file.size())),
    ]),
  );
}

/** Names of the keys in which two nodes differ; a token key may be in the log of one of them. */
export function differingKeys(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): readonly string[] {
  const isInLog = one['token key'] === undefined || other['token key'] === undefined;
  return sharedKeyNames.filter(
    (name) => one[name] !== other[name] && !(name === 'token key' && isInLog),
  );
}

function sealingText(text: string): string {
  const hex = text.trim();
  if (/^[0-9a-f]{64}$/.test(hex)) return hex;
  throw new PkiProblem('sealing.key holds no key.');
}

/** The sealing key has 256 random bits: nobody finds it by trying. */
function hashOf(name: string, value: string): string {
  return createHash('sha256').update(`edge-control fingerprint of ${name}: ${value}`).digest('hex');
}

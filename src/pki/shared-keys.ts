// Fingerprints of the keys that all nodes of a cluster share: a client that is served by another
// node must find the same CA and API key there. The keys of tokens are in the log.

import { createHash, createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from '../platform/ports.ts';
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
const sharedKeyNames = ['CA', 'API key', 'sealing key'] as const;

/** Fingerprints by name, in hex. */
export type SharedKeys = Readonly<Record<(typeof sharedKeyNames)[number], string>>;

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
  return {
    CA: hashOf('CA', `${trusted} ${issuer}`),
    'API key': publicPart(serverKey ?? join(folder, 'server.key'), 'the key of the API'),
    'sealing key': hashOf('sealing key', sealingText(text('sealing.key'))),
  };
}

/** Names of the keys in which two nodes differ. */
export function differingKeys(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): readonly string[] {
  return sharedKeyNames.filter((name) => one[name] !== other[name]);
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

// Reads the certificates and keys that the peer's configuration names.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { pkiFileBytesMax, reasonOf } from '../../pki/authority/files.ts';
import { PkiProblem } from '../../pki/problem.ts';
import { parseCertificates, parsePrivateKey } from '../../pki/x509/pem.ts';
import type { FileBounds } from '../../platform/text-file.ts';
import { type KeySource, sourceName } from '../configuration/key-source.ts';

/** Reads a text file within bounds. @throws system errors, and an Error beyond the bounds */
export type ReadFile = (path: string, bounds: FileBounds) => string;

/** Certificates of a network: a bundle of all public CAs has some 150. @bound */
const networkCertificatesMax = 500;

/**
 * The certificates of a source, in their order.
 * @throws PkiProblem for a file that cannot be read, one without a certificate, and a damaged one
 */
export function certificatesOf(
  source: KeySource,
  readFile: ReadFile,
): readonly [X509Certificate, ...X509Certificate[]] {
  const name = sourceName(source);
  const certificates = parseCertificates(textOf(source, readFile), name);
  if (certificates.length <= networkCertificatesMax) return certificates;
  throw new PkiProblem(
    `${name}: there are more than ${networkCertificatesMax} certificates in it.`,
  );
}

/**
 * The private key of a source.
 * @throws PkiProblem for a file that cannot be read, a key with a passphrase, and one of a kind
 *   that the controller does not use
 */
export function privateKeyOf(source: KeySource, readFile: ReadFile): KeyObject {
  return parsePrivateKey(textOf(source, readFile), sourceName(source));
}

function textOf(source: KeySource, readFile: ReadFile): string {
  if (source.from === 'text') return source.pem;
  const name = sourceName(source);
  if (source.from === 'module') throw new PkiProblem(`${name}: a module does not give it away.`);
  try {
    return readFile(source.path, { bytesMax: pkiFileBytesMax, isRegular: true });
  } catch (error) {
    // A message of the system would name the path once more.
    throw new PkiProblem(`${name}: it cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

/** The result, or undefined and its sentence told. @throws what is not a PkiProblem */
export function attempt<T>(read: () => T, tell: (sentence: string) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PkiProblem)) throw error;
    tell(error.message);
    return undefined;
  }
}

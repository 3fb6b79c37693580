// Fingerprints of public keys, which show whether a new certificate has another key.

import { createHash, type KeyObject, X509Certificate } from 'node:crypto';

/** SHA-256 of a public key's DER (SubjectPublicKeyInfo) in lower-case hex. */
export function publicKeyPrint(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex');
}

/** The same for the first certificate of a PEM text; undefined if there is none. */
export function publicKeyPrintIn(pem: unknown): string | undefined {
  if (typeof pem !== 'string') return undefined;
  try {
    return publicKeyPrint(new X509Certificate(pem).publicKey);
  } catch {
    return undefined;
  }
}

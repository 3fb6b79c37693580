// The keys and signatures that are strong enough, for certificates and for requests.

import type { KeyObject } from 'node:crypto';

/** The algorithm of a signature. */
export interface SignatureKind {
  readonly key: 'rsa' | 'ec';
  /** Undefined if the parameters of the algorithm name it (RSASSA-PSS). */
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
}

/**
 * The signature algorithm of an object id, as hex of its DER content; undefined for a weak one
 * (MD5, SHA-1) or an unknown one.
 */
export function signatureKind(objectId: string): SignatureKind | undefined {
  return signatureKinds[objectId];
}

/**
 * The reason why a public key is refused, as the end of a sentence; undefined if it is accepted.
 * RSA keys of 2048 to 8192 bits and EC keys on the three curves of TLS clients are accepted:
 * shorter ones can be broken, longer ones cost more than 1 ms per signature.
 */
export function keyProblem(key: KeyObject): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  if (type === 'rsa') {
    const { modulusLength: bits = 0, publicExponent: exponent = 0n } = details;
    if (bits < 2048) return `its RSA key has ${bits} bits, fewer than 2048`;
    if (bits > 8192) return `its RSA key has ${bits} bits, more than 8192`;
    const isFit = exponent >= 3n && exponent < 2n ** 64n && exponent % 2n === 1n;
    return isFit ? undefined : 'its RSA key has an exponent that is not taken';
  }
  if (type === 'ec') {
    const { namedCurve: curve } = details;
    if (curve !== undefined && curves.has(curve)) return undefined;
    return 'its EC key is not on the curve P-256, P-384 or P-521';
  }
  return `its key is of the kind ${type}, not RSA or EC`;
}

const curves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

const signatureKinds: Readonly<Record<string, SignatureKind>> = {
  // 1.2.840.113549.1.1.10 to 13 (RFC 8017 appendix C).
  '2a864886f70d01010a': { key: 'rsa' },
  '2a864886f70d01010b': { key: 'rsa', hash: 'sha256' },
  '2a864886f70d01010c': { key: 'rsa', hash: 'sha384' },
  '2a864886f70d01010d': { key: 'rsa', hash: 'sha512' },
  // 1.2.840.10045.4.3.2 to 4 (RFC 5758 §3.2).
  '2a8648ce3d040302': { key: 'ec', hash: 'sha256' },
  '2a8648ce3d040303': { key: 'ec', hash: 'sha384' },
  '2a8648ce3d040304': { key: 'ec', hash: 'sha512' },
};

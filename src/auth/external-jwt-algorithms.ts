// Which signature algorithms external JWTs may have, and the keys that each of them takes.

import { constants, type KeyObject, verify } from 'node:crypto';

/** A kind of key that a signature algorithm is bound to. */
export type KeyType = 'RSA' | 'P-256' | 'P-384' | 'P-521' | 'Ed25519';

interface Algorithm {
  readonly keyType: KeyType;
  readonly hash: string | null;
  readonly isPss?: boolean;
}

/**
 * RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2. Neither `none` nor an HMAC is in it: with an HMAC
 * whoever has the public key could sign (RFC 8725 §2.1). A map, as an object would know
 * `constructor` too.
 */
const algorithms: ReadonlyMap<string, Algorithm> = new Map<string, Algorithm>([
  ['RS256', { keyType: 'RSA', hash: 'sha256' }],
  ['RS384', { keyType: 'RSA', hash: 'sha384' }],
  ['RS512', { keyType: 'RSA', hash: 'sha512' }],
  ['PS256', { keyType: 'RSA', hash: 'sha256', isPss: true }],
  ['PS384', { keyType: 'RSA', hash: 'sha384', isPss: true }],
  ['PS512', { keyType: 'RSA', hash: 'sha512', isPss: true }],
  ['ES256', { keyType: 'P-256', hash: 'sha256' }],
  ['ES384', { keyType: 'P-384', hash: 'sha384' }],
  ['ES512', { keyType: 'P-521', hash: 'sha512' }],
  ['EdDSA', { keyType: 'Ed25519', hash: null }],
  ['Ed25519', { keyType: 'Ed25519', hash: null }],
]);

/** The kind of key an algorithm takes; undefined for one that no token may have. */
export function keyTypeFor(algorithm: string): KeyType | undefined {
  return algorithms.get(algorithm)?.keyType;
}

/** What a public key is; undefined for one that is too weak, too slow or of another kind. */
export function keyTypeOf(key: KeyObject): KeyType | undefined {
  if (key.type !== 'public') return undefined;
  const {
    namedCurve = '',
    modulusLength = 0,
    publicExponent = 0n,
  } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return isFitRsa(modulusLength, publicExponent) ? 'RSA' : undefined;
    case 'ec':
      return curves.get(namedCurve);
    case 'ed25519':
      return 'Ed25519';
    default:
      return undefined;
  }
}

/**
 * Whether `signature` is that of `signed` by `key`. The algorithm must take the key. Synchronous:
 * behind Argon2 in the libuv pool it would wait for tens of ms.
 */
export function isSignedBy(
  key: KeyObject,
  algorithm: string,
  signed: Buffer,
  signature: Buffer,
): boolean {
  const rules = algorithms.get(algorithm);
  if (rules === undefined || rules.keyType !== keyTypeOf(key)) return false;
  const padding = rules.isPss ? pssPadding : {};
  return verify(rules.hash, signed, { key, dsaEncoding: 'ieee-p1363', ...padding }, signature);
}

const curves: ReadonlyMap<string, KeyType> = new Map<string, KeyType>([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
]);

/** The salt is as long as the hash (RFC 7518 §3.5). */
const pssPadding = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
} as const;

/**
 * At least 2048 bits (RFC 7518 §3.3); above 8192 one check takes over a ms. With the exponent 1
 * everything is its own signature.
 */
function isFitRsa(modulusBits: number, exponent: bigint): boolean {
  return modulusBits >= 2048 && modulusBits <= 8192 && exponent >= 3n;
}

// The signature algorithms that external JWTs may use, and the keys that each of them accepts.

import type { KeyObject } from 'node:crypto';
import { compactVerify, errors } from 'jose';

/** A kind of key that a signature algorithm is bound to. */
export type KeyType = 'RSA' | 'P-256' | 'P-384' | 'P-521' | 'Ed25519';

/**
 * RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2. Neither `none` nor an HMAC is in it: with an HMAC,
 * anybody with the public key could sign (RFC 8725 §2.1). It is a map, because an object would also
 * contain `constructor`.
 */
const keyTypes: ReadonlyMap<string, KeyType> = new Map<string, KeyType>([
  ['RS256', 'RSA'],
  ['RS384', 'RSA'],
  ['RS512', 'RSA'],
  ['PS256', 'RSA'],
  ['PS384', 'RSA'],
  ['PS512', 'RSA'],
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['ES512', 'P-521'],
  ['EdDSA', 'Ed25519'],
  ['Ed25519', 'Ed25519'],
]);

/** The kind of key that an algorithm accepts; undefined for an algorithm that no token may use. */
export function keyTypeFor(algorithm: string): KeyType | undefined {
  return keyTypes.get(algorithm);
}

/** The kind of a public key; undefined for a key that is too weak, too slow or of another kind. */
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
 * Whether a compact JWS was signed by `key` with `algorithm`, which must be one that takes the key,
 * and the one that its header names. The check runs in the libuv pool.
 */
export async function isSignedBy(
  key: KeyObject,
  algorithm: string,
  token: string,
): Promise<boolean> {
  const keyType = keyTypeFor(algorithm);
  if (keyType === undefined || keyType !== keyTypeOf(key)) return false;
  try {
    await compactVerify(token, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

const curves: ReadonlyMap<string, KeyType> = new Map<string, KeyType>([
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
]);

/**
 * At least 2048 bits (RFC 7518 §3.3); above 8192 one check takes over a ms. With the exponent 1
 * every message is its own signature.
 */
function isFitRsa(modulusBits: number, exponent: bigint): boolean {
  return modulusBits >= 2048 && modulusBits <= 8192 && exponent >= 3n;
}

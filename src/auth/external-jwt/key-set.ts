// The published keys of one external JWT signer: from its certificate or its JWKS.

import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { fingerprint, parseCertificates } from '../../pki/x509/pem.ts';
import { keyTypeFor, keyTypeOf } from './algorithms.ts';

/** Keys by their ids; it never changes. */
export interface KeySet {
  /** Whether a key of this id was published, usable or not. */
  has(kid: string): boolean;
  /** The key of this id that the algorithm takes, if there is one. */
  find(kid: string, algorithm: string): KeyObject | undefined;
}

/**
 * The key of a certificate under `kid`, else under the certificate's SHA-1 fingerprint
 * (behaviour/external-jwt#keys). Of several certificates the first one counts; dates are not
 * checked.
 * @throws PkiProblem when there is no certificate in the text.
 */
export function certificateKeySet(certPem: string, kid: string | undefined): KeySet {
  const [certificate] = parseCertificates(certPem, 'certPem');
  const { publicKey } = certificate;
  const keyType = keyTypeOf(publicKey);
  const ownKid = kid ?? fingerprint(certificate);
  return {
    has: (asked) => asked === ownKid,
    find: (asked, algorithm) =>
      asked === ownKid && keyType !== undefined && keyTypeFor(algorithm) === keyType
        ? publicKey
        : undefined,
  };
}

/**
 * Keys of a JSON Web Key Set (RFC 7517 §5). Keys without id, of other kinds or for other uses are
 * skipped, and so are keys after the first `keysMax`.
 * @throws Error for anything but a key set; its message contains nothing of the body.
 */
export function parseJwks(body: Buffer, keysMax: number): KeySet {
  const byKid = new Map<string, PublishedKey[]>();
  let count = 0;
  for (const jwk of keysOf(body)) {
    const key = publishedKey(jwk);
    if (key === undefined) continue;
    if (count >= keysMax) break;
    count += 1;
    const same = byKid.get(key.kid);
    if (same === undefined) byKid.set(key.kid, [key]);
    else same.push(key);
  }
  return {
    has: (kid) => byKid.has(kid),
    find: (kid, algorithm) => {
      const keyType = keyTypeFor(algorithm);
      if (keyType === undefined) return undefined;
      const fitting = byKid.get(kid)?.find((key) => isFor(key, algorithm, keyType));
      return fitting?.key();
    },
  };
}

interface PublishedKey {
  readonly kid: string;
  /** The only algorithm of the key, if the set names one. */
  readonly algorithm: string | undefined;
  /** Undefined if it is not a usable key. */
  key(): KeyObject | undefined;
}

function keysOf(body: Buffer): readonly unknown[] {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Error('The answer is not JSON.');
  }
  const keys = typeof json === 'object' && json !== null && 'keys' in json ? json.keys : undefined;
  if (!Array.isArray(keys)) throw new Error('The answer is no JSON Web Key Set.');
  return keys;
}

/** Members of a public key. Private members are not copied. */
const numberNames = ['crv', 'x', 'y', 'n', 'e'] as const;

function publishedKey(jwk: unknown): PublishedKey | undefined {
  if (typeof jwk !== 'object' || jwk === null) return undefined;
  const { kid, kty, use, key_ops, alg, x5c, ...rest } = jwk as Record<string, unknown>;
  if (typeof kid !== 'string' || kid === '') return undefined;
  const [first] = Array.isArray(x5c) ? x5c : [];
  const leaf = typeof first === 'string' ? first : undefined;
  // Some providers publish certificates alone.
  const isOfCertificate = kty === undefined && leaf !== undefined;
  if (!isOfCertificate && kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP') return undefined;
  if (use !== undefined && use !== 'sig') return undefined;
  if (Array.isArray(key_ops) && !key_ops.includes('verify')) return undefined;
  const numbers: Record<string, string> = {};
  if (typeof kty === 'string') numbers['kty'] = kty;
  for (const name of numberNames) {
    const value = rest[name];
    if (typeof value === 'string') numbers[name] = value;
  }
  const algorithm = typeof alg === 'string' ? alg : undefined;
  return { kid, algorithm, key: once(() => makeKey(numbers, leaf)) };
}

/** Keys are created when a token first needs them, because a set may hold a thousand. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function isFor(published: PublishedKey, algorithm: string, keyType: string): boolean {
  if (published.algorithm !== undefined && published.algorithm !== algorithm) return false;
  const key = published.key();
  return key !== undefined && keyTypeOf(key) === keyType;
}

/** A certificate, base64 of its DER, outweighs the numbers beside it (behaviour/external-jwt). */
function makeKey(
  numbers: Readonly<Record<string, string>>,
  leaf: string | undefined,
): KeyObject | undefined {
  try {
    return leaf === undefined
      ? createPublicKey({ key: numbers, format: 'jwk' })
      : new X509Certificate(Buffer.from(leaf, 'base64')).publicKey;
  } catch {
    return undefined;
  }
}

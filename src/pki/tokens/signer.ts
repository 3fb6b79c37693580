// Signs and checks the JWTs of this controller. Session tokens, on the hottest path, are signed on
// the caller's stack, which takes half the CPU that jose needs. Others are signed by jose, in the
// libuv pool.

import { createPublicKey, type KeyObject, sign, verify, type X509Certificate } from 'node:crypto';
import { CompactSign } from 'jose';
import type { ChainedKey } from '../authority/server-certificate.ts';
import { PkiProblem } from '../problem.ts';
import { fingerprint } from '../x509/pem.ts';

/** JWS algorithms of the keys that a controller may have (RFC 7518 §3.1). */
export type JwtAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** Creates compact JWTs with one key. */
export interface Signer {
  readonly algorithm: JwtAlgorithm;
  /** Names the key in the header of its tokens and in the JWKS. */
  readonly kid: string;
  /** Each token of `signNow` begins so: its header, and the dot behind it. */
  readonly start: string;
  /** Signs claims in the libuv pool. */
  sign(claims: object): Promise<string>;
  /**
   * Signs claims that are already JSON text, on the hottest path. Takes the time of one private-key
   * operation.
   */
  signNow(claims: string): string;
  /** The signature over a text, in the form of its algorithm (RFC 7518 §3), in base64. */
  signText(text: string): string;
}

/** A key of the JSON Web Key Set (RFC 7517 §4). */
export interface JwksEntry {
  readonly kid: string;
  readonly kty: string;
  readonly use: 'sig';
  readonly alg: JwtAlgorithm;
  /** Base64 of DER, the certificate of the key first. */
  readonly x5c?: readonly string[];
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

/**
 * A signer for an RSA key or an EC key on P-256, P-384 or P-521; the algorithm follows from the
 * key.
 * @throws PkiProblem for any other key.
 */
export function createSigner(privateKey: KeyObject, kid: string): Signer {
  const { algorithm, hash } = algorithmOf(privateKey);
  const header = { alg: algorithm, kid, typ: 'JWT' };
  const start = `${base64url(JSON.stringify(header))}.`;
  const options = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return {
    algorithm,
    kid,
    start,
    sign: (claims) =>
      new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader(header)
        .sign(privateKey),
    signNow: (claims) => {
      const signed = start + bytesOf(claims).toString('base64url');
      const signature = sign(hash, bytesOf(signed), options);
      return `${signed}.${signature.toString('base64url')}`;
    },
    signText: (text) => sign(hash, Buffer.from(text, 'utf8'), options).toString('base64'),
  };
}

/**
 * A verifier for the tokens of `createSigner`, by the public keys under their names. It returns the
 * claims as parsed JSON; undefined for anything but a JWT of one of these keys. Dates are not
 * checked.
 */
export function createVerifier(keys: Iterable<readonly [string, KeyObject]>): Verifier {
  const known = new Map<unknown, VerifyingKey>();
  for (const [kid, key] of keys) known.set(kid, { key, ...algorithmOf(key) });
  return (jwt) => {
    if (jwt.length > jwtCharactersMax) return undefined;
    const parts = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(jwt);
    if (parts === null) return undefined;
    const [, header = '', claims = '', signature = ''] = parts;
    const stated = parseObject(header);
    const found = known.get(stated?.['kid']);
    // The key determines the algorithm, and the header must match (RFC 8725 §3.1).
    if (found === undefined || stated?.['alg'] !== found.algorithm) return undefined;
    const signed = Buffer.from(`${header}.${claims}`, 'latin1');
    const options = { key: found.key, dsaEncoding: 'ieee-p1363' } as const;
    if (!verify(found.hash, signed, options, Buffer.from(signature, 'base64url'))) return undefined;
    return parseObject(claims);
  };
}

/** Verifies a JWT, as `createVerifier` says. */
export type Verifier = (jwt: string) => unknown;

/** A public key with its algorithm. */
interface VerifyingKey {
  readonly key: KeyObject;
  readonly algorithm: JwtAlgorithm;
  readonly hash: string;
}

/** The published form of a key's public half; `chain` is that of its certificate, if it has one. */
export function jwksEntry(
  key: KeyObject,
  kid: string,
  chain: readonly X509Certificate[] = [],
): JwksEntry {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const { kty = '', crv, x, y, n, e } = publicKey.export({ format: 'jwk' });
  const numbers = kty === 'RSA' ? { n, e } : { crv, x, y };
  const x5c = chain.map((certificate) => certificate.raw.toString('base64'));
  const entry = {
    kid,
    kty,
    use: 'sig',
    alg: algorithmOf(publicKey).algorithm,
    ...numbers,
  } as const;
  return (x5c.length === 0 ? entry : { ...entry, x5c }) as JwksEntry;
}

/** Signs tokens that clients check against the TLS connection (behaviour/enrollment#jwt). */
export interface ApiKey {
  readonly signer: Signer;
  /** The public half with the certificates that vouch for it, for the JWKS. */
  readonly jwk: JwksEntry;
}

/** The API key of a serving pair. @throws PkiProblem for a key that cannot sign a JWT. */
export function createApiKey({ key, certificate, chain }: ChainedKey): ApiKey {
  const kid = fingerprint(certificate);
  const shown = chain.length === 0 ? [certificate] : chain;
  return { signer: createSigner(key, kid), jwk: jwksEntry(key, kid, shown) };
}

const curveAlgorithms: Readonly<Record<string, { algorithm: JwtAlgorithm; hash: string }>> = {
  prime256v1: { algorithm: 'ES256', hash: 'sha256' },
  secp384r1: { algorithm: 'ES384', hash: 'sha384' },
  secp521r1: { algorithm: 'ES512', hash: 'sha512' },
};

function algorithmOf(key: KeyObject): { algorithm: JwtAlgorithm; hash: string } {
  if (key.asymmetricKeyType === 'rsa') return { algorithm: 'RS256', hash: 'sha256' };
  const found = curveAlgorithms[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (found === undefined) throw new PkiProblem('Tokens can only be signed with RSA and EC keys.');
  return found;
}

/** Holds the texts of `signNow`: new buffers for each token would let garbage grow quickly. */
const scratch = Buffer.allocUnsafeSlow(4096);

/** A text in UTF-8, valid until the next call. */
function bytesOf(text: string): Buffer {
  // A UTF-16 unit becomes three bytes of UTF-8 at most.
  if (3 * text.length > scratch.length) return Buffer.from(text, 'utf8');
  return scratch.subarray(0, scratch.write(text, 'utf8'));
}

function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

function parseObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A JWT that a caller shows; identity providers' have under 8 KiB. @bound per request */
export const jwtCharactersMax = 8192;

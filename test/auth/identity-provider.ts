// Keys and tokens of an identity provider, made by jose: independent of the code under test.

import type { webcrypto } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { JwtSigner } from '../../src/auth/external-jwt/jwks-endpoints.ts';
import type { BearerToken } from '../../src/declare/operations/operation.ts';
import { SimulatedClock } from '../simulated/clock.ts';

/** Where the simulated clock begins, in s since the epoch. */
export const startSeconds = new SimulatedClock().now() / 1000;

export interface ProviderKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: webcrypto.CryptoKey;
  readonly jwk: JWK;
}

export async function newKey(algorithm: string, kid: string, bits = 2048): Promise<ProviderKey> {
  const options = { extractable: true, modulusLength: bits };
  const { publicKey, privateKey } = await generateKeyPair(algorithm, options);
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig' };
  return { kid, algorithm, privateKey, jwk };
}

/** Claims that pass for `provider()`, unless `changes` say otherwise; undefined takes one away. */
export function claims(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    iss: 'https://idp.example.com',
    aud: 'edge',
    sub: 'alice',
    iat: startSeconds,
    nbf: startSeconds,
    exp: startSeconds + 60,
    ...changes,
  };
}

export function sign(
  key: ProviderKey,
  payload = claims(),
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header })
    .sign(key.privateKey);
}

/** Tokens as a request brings them. */
export function bearers(...texts: readonly string[]): readonly BearerToken[] {
  return texts.map((text) => ({ text, signature: undefined }));
}

/** One part of a token, of JSON or of text as it is. */
export function base64url(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return Buffer.from(text).toString('base64url');
}

export function jwks(...keys: readonly ProviderKey[]): string {
  return JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
}

/** The record of a signer whose tokens `claims` and `sign` make. */
export function provider(changes: Partial<JwtSigner> = {}): JwtSigner {
  return Object.freeze({
    id: 'signer-1',
    issuer: 'https://idp.example.com',
    audience: 'edge',
    enabled: true,
    useExternalId: true,
    jwksEndpoint: 'https://idp.example.com/keys',
    ...changes,
  });
}

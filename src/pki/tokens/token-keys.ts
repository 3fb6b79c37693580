// The keys of tokens: one signs, and those that signed before it still verify
// (behaviour/token-keys).

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import {
  createSigner,
  createVerifier,
  type JwksEntry,
  jwksEntry,
  type Signer,
  type Verifier,
} from './signer.ts';

/** Signs tokens, and verifies those of former keys, too. */
export interface TokenKeys {
  /** Of the key that signs at present. */
  readonly signer: Pick<Signer, 'kid' | 'start' | 'signNow'>;
  /** The public keys of the network, also those that do not sign yet. */
  readonly jwks: readonly JwksEntry[];
  /** Whether one of them has this name. */
  has(kid: unknown): boolean;
  /**
   * The claims of a JWT that one of the keys has signed, as parsed JSON; undefined for anything
   * else. Dates are not checked.
   */
  verify(jwt: string): unknown;
  /** Calls `changed` after a key was added, has begun to sign, or was removed (`isGone`). */
  onChange(changed: (isGone: boolean) => void): void;
}

/** One key. Both halves are EC P-256. */
export interface TokenKey {
  readonly kid: string;
  readonly publicKey: KeyObject;
}

/** A set of keys as it is until the next change. */
export class TokenKeySet implements Pick<TokenKeys, 'signer' | 'jwks' | 'has' | 'verify'> {
  readonly signer: Signer;
  readonly jwks: readonly JwksEntry[];
  readonly verify: Verifier;
  readonly #names: ReadonlySet<unknown>;

  constructor(signing: KeyObject, others: readonly TokenKey[] = []) {
    const kid = tokenKeyId(signing);
    this.signer = createSigner(signing, kid);
    const all = [{ kid, publicKey: createPublicKey(signing) }, ...others];
    this.jwks = all.map((key) => jwksEntry(key.publicKey, key.kid));
    this.verify = createVerifier(all.map((key) => [key.kid, key.publicKey]));
    this.#names = new Set(all.map((key) => key.kid));
  }

  /** As `TokenKeys.has`. */
  has(kid: unknown): boolean {
    return this.#names.has(kid);
  }
}

/** The name of a key by RFC 7638: it has no certificate that could name it. */
export function tokenKeyId(key: KeyObject): string {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

/** The form of a private key in which a record keeps it. */
export function privateKeyText(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'der' }).toString('base64');
}

/** The form of its public half in which a record keeps it. */
export function publicKeyText(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
}

/** The key of `privateKeyText`. @throws Error for any other text */
export function privateKeyOf(text: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
}

/** The key of `publicKeyText`. @throws Error for any other text */
export function publicKeyOf(text: string): KeyObject {
  return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
}

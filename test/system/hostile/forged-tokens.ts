// Access tokens that nobody has issued, as an ordinary client can make them: it has a token of its
// own, and knows the public key and the signers of the network.

import { createHmac, createPublicKey, type JsonWebKey, randomBytes } from 'node:crypto';

/** What whoever forges tokens knows. */
export interface KnownToForger {
  /** A good access token of its own session. */
  readonly access: string;
  /** The key of `/oidc/keys`. */
  readonly jwk: JsonWebKey;
  /** An external JWT signer of the network. */
  readonly signer: { readonly issuer: string; readonly kid: string };
}

/** The kinds of forged tokens. */
export const forgedKinds = [
  ...(['garbage', 'broken signature', 'wrong signature', 'alg none'] as const),
  ...(['public key as secret', 'foreign key', 'unknown session', 'external signer'] as const),
] as const;

/** One of them. */
export type ForgedKind = (typeof forgedKinds)[number];

/** Makes forged tokens. Each one is unlike all before it. */
export class Forger {
  readonly #header: object;
  readonly #claims: object;
  readonly #signer: KnownToForger['signer'];
  readonly #publicPem: string;
  #made = 0;

  constructor({ access, jwk, signer }: KnownToForger) {
    const [header = '', claims = ''] = access.split('.');
    this.#header = decoded(header);
    this.#claims = decoded(claims);
    this.#signer = signer;
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    this.#publicPem = String(key.export({ type: 'spki', format: 'pem' }));
  }

  /** The next token of a kind. */
  next(kind: ForgedKind): string {
    this.#made += 1;
    const jti = `00000000-0000-4000-8000-${String(this.#made).padStart(12, '0')}`;
    const own = encoded(this.#header);
    const claims = encoded({ ...this.#claims, jti });
    switch (kind) {
      case 'garbage':
        return [random(60), random(900), random(64)].join('.');
      case 'broken signature':
        return `${own}.${claims}.${random(40)}`;
      case 'wrong signature':
        return `${own}.${claims}.${random(64)}`;
      case 'alg none':
        return `${encoded({ ...this.#header, alg: 'none' })}.${claims}.`;
      case 'public key as secret':
        return this.#signedByPublicKey(claims);
      case 'foreign key':
        return `${encoded({ ...this.#header, kid: random(32) })}.${claims}.${random(64)}`;
      case 'unknown session': {
        const unknown = encoded({ ...this.#claims, jti, z_asid: jti });
        return `${own}.${unknown}.${random(64)}`;
      }
      case 'external signer': {
        const { kid, issuer } = this.#signer;
        const foreign = encoded({ ...this.#claims, jti, iss: issuer });
        return `${encoded({ ...this.#header, kid })}.${foreign}.${random(64)}`;
      }
    }
  }

  #signedByPublicKey(claims: string): string {
    const text = `${encoded({ ...this.#header, alg: 'HS256' })}.${claims}`;
    return `${text}.${createHmac('sha256', this.#publicPem).update(text).digest('base64url')}`;
  }
}

const random = (bytes: number) => randomBytes(bytes).toString('base64url');

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function decoded(part: string): object {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

// Fetches and caches the keys of external JWT signers, and limits how often they are fetched again.

import { createHash } from 'node:crypto';
import type { LogFields } from '../../observe/logs.ts';
import type { Clock, Fetch, FetchAnswer } from '../../platform/ports.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import type { Limits } from '../../settings/limits.ts';
import { certificateKeySet, type KeySet, parseJwks } from './key-set.ts';

/** The relevant fields of an external JWT signer; a record, replaced with every change. */
export interface JwtSigner {
  readonly id: string;
  readonly issuer: string;
  /** Undefined for a signer of tokens without an audience. */
  readonly audience?: string | undefined;
  readonly enabled: boolean;
  readonly useExternalId: boolean;
  readonly certPem?: string | undefined;
  readonly jwksEndpoint?: string | undefined;
  readonly kid?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly claimsProperty?: string | undefined;
  readonly isUnconfirmed?: boolean | undefined;
}

/** The parts of the controller that fetching needs. */
export interface SignerKeyOptions {
  readonly fetch: Fetch;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly limits: Pick<Limits, 'externalJwtsKnownMax' | 'jwksTimeoutMs'>;
  readonly bounds?: BoundValues | undefined;
  readonly log: { warn(fields: LogFields, message: string): void };
}

/** Key sets by signer. */
export interface SignerKeys {
  /**
   * The cached keys; undefined before the first successful fetch. The same object as long as the
   * keys are the same. An old set is fetched again in the background.
   * @throws PkiProblem for a certificate that cannot be read; such a certificate is never stored.
   */
  current(signer: JwtSigner): KeySet | undefined;
  /** Whether `load` would call the endpoint, or wait for a running fetch. */
  mayLoad(signer: JwtSigner): boolean;
  /**
   * Fetches the keys, unless that was tried a moment ago; concurrent callers wait for the same
   * fetch. It never rejects: after a failure the previous keys stay in use, and the pause before
   * the next try doubles.
   */
  load(signer: JwtSigner): Promise<void>;
  /**
   * Fetches before the first token arrives, after a create or an update; earlier failures are
   * forgotten.
   */
  warm(signer: JwtSigner): void;
  /** Removes a deleted signer's keys. */
  forget(signerId: string): void;
}

/** Key sets of all signers of one controller. */
export function createSignerKeys(options: SignerKeyOptions): SignerKeys {
  const endpoints = new Map<string, JwksEndpoint>();
  const certificates = new WeakMap<JwtSigner, KeySet>();

  /**
   * Keys are dropped when the address changes, because an address may be replaced because its
   * keys can no longer be trusted.
   */
  const endpointOf = ({ id, jwksEndpoint, certPem }: JwtSigner): JwksEndpoint | undefined => {
    if (jwksEndpoint === undefined || certPem !== undefined) return undefined;
    const known = endpoints.get(id);
    if (known?.url === jwksEndpoint) return known;
    const endpoint = new JwksEndpoint(jwksEndpoint, id, options);
    endpoints.set(id, endpoint);
    return endpoint;
  };

  const ofCertificate = (signer: JwtSigner, certPem: string): KeySet => {
    const known = certificates.get(signer);
    if (known !== undefined) return known;
    const keys = certificateKeySet(certPem, signer.kid);
    certificates.set(signer, keys);
    return keys;
  };

  return {
    current: (signer) =>
      signer.certPem === undefined
        ? endpointOf(signer)?.current()
        : ofCertificate(signer, signer.certPem),
    mayLoad: (signer) => endpointOf(signer)?.mayLoad() ?? false,
    load: async (signer) => endpointOf(signer)?.load(),
    warm: (signer) => endpointOf(signer)?.warm(),
    forget: (signerId) => void endpoints.delete(signerId),
  };
}

/** One JWKS endpoint: its last answer, and when it may be called again. */
class JwksEndpoint {
  readonly url: string;
  readonly #signerId: string;
  readonly #options: SignerKeyOptions;
  readonly #bounds: typeof keySetBounds;
  #keys: KeySet | undefined;
  #digest = '';
  #failures = 0;
  /** Monotonic ms, as all times here. */
  #triedAt = Number.NEGATIVE_INFINITY;
  #staleAt = Number.POSITIVE_INFINITY;
  #underWay: Promise<void> | undefined;

  constructor(url: string, signerId: string, options: SignerKeyOptions) {
    this.url = url;
    this.#signerId = signerId;
    this.#options = options;
    this.#bounds = boundsOf(keySetBounds, options.bounds);
  }

  current(): KeySet | undefined {
    if (this.#options.clock.monotonic() >= this.#staleAt) void this.load();
    return this.#keys;
  }

  mayLoad(): boolean {
    return this.#underWay !== undefined || this.#isRested();
  }

  async load(): Promise<void> {
    if (this.#underWay === undefined && this.#isRested()) {
      this.#underWay = this.#ask().finally(() => {
        this.#underWay = undefined;
      });
    }
    await this.#underWay;
  }

  warm(): void {
    this.#failures = 0;
    void this.load();
  }

  /** Whether the pause after the last try is over. */
  #isRested(): boolean {
    const { jwksIntervalMs, jwksPauseMaxMs } = this.#bounds;
    const doublings = Math.max(0, this.#failures - 1);
    const pauseMs = Math.min(jwksIntervalMs * 2 ** doublings, jwksPauseMaxMs);
    return this.#options.clock.monotonic() >= this.#triedAt + pauseMs;
  }

  async #ask(): Promise<void> {
    const { clock, limits, fetch, log } = this.#options;
    try {
      const bounds = {
        timeoutMs: limits.jwksTimeoutMs,
        bodyBytesMax: this.#bounds.jwksBytesMax,
        redirectsMax: this.#bounds.jwksRedirectsMax,
      };
      this.#take(await fetch(this.url, bounds));
      this.#failures = 0;
      this.#staleAt = clock.monotonic() + this.#bounds.jwksRefreshMs;
    } catch (error) {
      this.#failures += 1;
      const reason = error instanceof Error ? error.message : String(error);
      const fields = { signerId: this.#signerId, failures: this.#failures, reason };
      log.warn(fields, 'the key set of an external JWT signer was not fetched');
    }
    this.#triedAt = clock.monotonic();
  }

  /** Equal bytes keep the set, and with it the verdicts on all tokens that were verified by it. */
  #take({ status, body }: FetchAnswer): void {
    if (status !== 200) throw new Error(`The endpoint answered ${status}.`);
    const digest = createHash('sha256').update(body).digest('base64');
    if (this.#keys !== undefined && digest === this.#digest) return;
    this.#keys = parseJwks(body, this.#bounds.jwksKeysMax);
    this.#digest = digest;
  }
}

const keySetBounds = {
  /** Redirects on the way to a key set (behaviour/external-jwt#keys). @bound per request */
  jwksRedirectsMax: 5,
  /** A key set: 1,000 RSA keys have 0.5 MB, 500 with their certificates 1 MB. @bound per request */
  jwksBytesMax: 1024 * 1024,
  /** Keys used of one key set. Identity providers publish two to ten. @bound per request */
  jwksKeysMax: 1000,
  /** Pause between fetches for one signer, whatever key ids tokens name. @bound per controller */
  jwksIntervalMs: 1000,
  /** After failures the interval doubles up to this: a provider is back within a minute. @bound */
  jwksPauseMaxMs: 60_000,
  /** A key set this old is fetched again on use: a key may have been withdrawn. @bound */
  jwksRefreshMs: 3_600_000,
};

// Evaluates the certificate chain that a client showed: finds the CA that vouches for it
// (behaviour/login).

import { RecentCache } from '../../containers/recent-cache.ts';
import type { Certificate, SignatureBudget } from '../../pki/x509/certificate.ts';
import { type BySubject, bySubject, type PathFacts } from '../../pki/x509/certificate-path.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Limits } from '../../settings/limits.ts';
import type { CertifiedNames } from '../external-jwt/external-id-claim.ts';
import {
  type ClientCa,
  digestOf,
  type IssuingCa,
  type OwnAuthorities,
  OwnCas,
  readOrPass,
  ThirdPartyCas,
  type ThirdPartyIssuer,
} from './issuing-cas.ts';

/** All third-party CAs. */
export interface ClientCas {
  /** Changes with each change of any CA. */
  readonly revision: number;
  all(): Iterable<ClientCa>;
}

/** The facts in the leaf itself. */
export interface LeafFacts extends CertifiedNames {
  /** SHA-1 of the DER in lower-case hex. */
  readonly fingerprint: string;
  /** `CN=desk,O=Example`. */
  readonly subject: string;
  /** Wall-clock ms. */
  readonly validFromMs: number;
  readonly validToMs: number;
}

/** The verdict on a chain that a client showed. */
export interface EvaluatedChain {
  readonly leaf: LeafFacts;
  /** Undefined if no CA vouches for it. */
  readonly issuingCa: IssuingCa | undefined;
}

/** Bounds of one chain. */
export const chainBounds = {
  /** Certificates that a client may show. Public chains have 3 or 4. @bound per request */
  certificatesMax: 8,
  /** DER of a client's chain. Eight of RSA-4096 fit; OpenSSL takes 100 KiB. @bound per request */
  certificatesBytesMax: 32 * 1024,
  /**
   * Signatures checked to evaluate one chain, at up to 1 ms each. A chain of 4 has 3; several CAs
   * of one name, or chains built to burn time, need more. @bound per request
   */
  chainSignaturesMax: 16,
};

/** A chain as a client showed it: DER, the leaf first, the others in any order. */
export type ShownChain = readonly Buffer[];

/** A verdict and the CAs that it is based on. */
interface Remembered {
  readonly evaluated: EvaluatedChain | undefined;
  readonly revision: number;
  readonly bytes: number;
}

/** Approximate bytes that OpenSSL holds per parsed certificate besides its DER. */
const parsedBytes = 16 * 1024;
/** A verdict without the texts of its names. */
const verdictBytes = 512;

/**
 * Evaluates chains. The verdicts do not depend on the time: callers compare the dates, because the
 * auth policy may allow expired certificates (behaviour/login#dates).
 *
 * Dates of CAs count like those of the leaf: `validFromMs` and `validToMs` of an issuing CA are
 * those of the whole path. So a chain under an expired CA is itself expired, and the same policy
 * decides.
 */
export class ClientChains {
  readonly #own: OwnCas;
  readonly #cas: ClientCas;
  readonly #bounds: typeof chainBounds;
  /** Keyed by the array that a connection holds, so a second login on it hashes nothing. */
  readonly #byConnection = new WeakMap<ShownChain, Remembered>();
  readonly #byContent: RecentCache<string, Remembered>;
  readonly #intermediates: RecentCache<string, Certificate>;
  #third = new ThirdPartyCas([], new Map());
  #thirdRevision = Number.NaN;

  constructor(
    own: OwnAuthorities,
    cas: ClientCas,
    { chainCacheBytesMax }: Pick<Limits, 'chainCacheBytesMax'>,
    bounds?: Partial<typeof chainBounds>,
  ) {
    this.#own = new OwnCas(own);
    this.#cas = cas;
    this.#bounds = boundsOf(chainBounds, bounds);
    this.#byContent = new RecentCache(chainCacheBytesMax, ({ bytes }) => bytes);
    // Many leaves share few CAs, so an eighth of the verdicts' budget is enough.
    this.#intermediates = new RecentCache(
      chainCacheBytesMax / 8,
      ({ bytes }) => parsedBytes + bytes,
    );
  }

  /**
   * Evaluates a chain in the three passes of behaviour/login#chains. Undefined when there is no
   * certificate, the leaf cannot be read, or a bound is exceeded. A chain that was evaluated
   * recently costs microseconds.
   */
  evaluate(shown: ShownChain): EvaluatedChain | undefined {
    const { revision } = this.#cas;
    const known = this.#byConnection.get(shown);
    if (known?.revision === revision) return known.evaluated;
    if (!this.#isWithinBounds(shown)) return undefined;
    const digests = shown.map(digestOf);
    const key = digests.join('');
    let remembered = this.#byContent.get(key);
    if (remembered?.revision !== revision) {
      const evaluated = this.#evaluate(shown, digests);
      // The names are parts of the leaf, so its length bounds them.
      const bytes = verdictBytes + key.length + (shown[0]?.length ?? 0);
      remembered = { evaluated, revision, bytes };
      this.#byContent.set(key, remembered);
    }
    this.#byConnection.set(shown, remembered);
    return remembered.evaluated;
  }

  /**
   * The nearest of the given CAs that a chain leads to, regardless of their enabled uses; undefined
   * when there is none. For enrollment (behaviour/enrollment#completion,
   * behaviour/cas#auto-enrollment). Not remembered.
   */
  caOf(shown: ShownChain, cas: Iterable<ClientCa>): ThirdPartyIssuer | undefined {
    const chain = this.#readWithinBounds(shown);
    if (chain === undefined) return undefined;
    const third = new ThirdPartyCas(cas, this.#third.read);
    return third.issuingCaOf(chain.leaf, chain.sent, this.#budget());
  }

  /**
   * The issuing CA of a chain: our own CAs, else the nearest of the given CAs, regardless of their
   * enabled uses. For authenticators that an administrator creates
   * (behaviour/certificates#by-administrators). Not remembered.
   */
  issuingCaOf(shown: ShownChain, cas: Iterable<ClientCa>): IssuingCa | undefined {
    const chain = this.#readWithinBounds(shown);
    if (chain === undefined) return undefined;
    return this.#own.issuingCaOf(chain.leaf, chain.sent, this.#budget()) ?? this.caOf(shown, cas);
  }

  #budget(): SignatureBudget {
    return { left: this.#bounds.chainSignaturesMax };
  }

  #isWithinBounds(shown: ShownChain): boolean {
    const { certificatesMax, certificatesBytesMax } = this.#bounds;
    if (shown.length === 0 || shown.length > certificatesMax) return false;
    return shown.reduce((sum, { length }) => sum + length, 0) <= certificatesBytesMax;
  }

  #evaluate(shown: ShownChain, digests: readonly string[]): EvaluatedChain | undefined {
    const chain = this.#read(shown, digests);
    if (chain === undefined) return undefined;
    const { leaf, sent } = chain;
    const { commonName, alternativeNames, fingerprint, validFromMs, validToMs } = leaf;
    const facts = {
      subject: leaf.subjectText,
      commonName,
      alternativeNames,
      fingerprint,
      validFromMs,
      validToMs,
    };
    const budget = this.#budget();
    const issuingCa =
      this.#own.issuingCaOf(leaf, sent, budget) ??
      this.#thirdParties().issuingCaOf(leaf, sent, budget);
    return { leaf: facts, issuingCa };
  }

  #readWithinBounds(shown: ShownChain) {
    return this.#isWithinBounds(shown) ? this.#read(shown, shown.map(digestOf)) : undefined;
  }

  /** Undefined when the leaf cannot be read; other unreadable certificates are skipped. */
  #read(
    shown: ShownChain,
    digests: readonly string[],
  ): { readonly leaf: Certificate; readonly sent: BySubject } | undefined {
    const [first] = shown;
    const leaf = first === undefined ? undefined : readOrPass(first);
    if (leaf === undefined) return undefined;
    const sent: Certificate[] = [];
    for (let index = 1; index < shown.length; index += 1) {
      const certificate = this.#intermediate(shown[index], digests[index]);
      if (certificate !== undefined) sent.push(certificate);
    }
    return { leaf, sent: bySubject(sent) };
  }

  /** Parsed once for all clients that send it, so its signature is also checked once. */
  #intermediate(der: Buffer | undefined, digest = ''): Certificate | undefined {
    const known = this.#own.find(digest) ?? this.#intermediates.get(digest);
    if (known !== undefined || der === undefined) return known;
    const read = readOrPass(der);
    if (read !== undefined) this.#intermediates.set(digest, read);
    return read;
  }

  #thirdParties(): ThirdPartyCas {
    const { revision } = this.#cas;
    if (this.#thirdRevision !== revision) {
      const usable = [...this.#cas.all()].filter((ca) => ca.isTrusted && ca.isAuthEnabled);
      this.#third = new ThirdPartyCas(usable, this.#third.read);
      this.#thirdRevision = revision;
    }
    return this.#third;
  }
}

/** Whether the validity of a certificate or a path has begun; also true for an expired one. */
export function hasBegun(dates: Pick<PathFacts, 'validFromMs'>, nowMs: number): boolean {
  return dates.validFromMs <= nowMs;
}

/** Whether a moment lies within the dates of a certificate or a path, both ends included. */
export function isWithinDates(
  dates: Pick<PathFacts, 'validFromMs' | 'validToMs'>,
  nowMs: number,
): boolean {
  return hasBegun(dates, nowMs) && nowMs <= dates.validToMs;
}

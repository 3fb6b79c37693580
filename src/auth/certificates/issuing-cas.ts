// The CAs that can vouch for a client's certificate: our own, and those of third parties.

import { hash, type X509Certificate } from 'node:crypto';
import { Certificate, type SignatureBudget } from '../../pki/x509/certificate.ts';
import {
  type BySubject,
  bySubject,
  type PathFacts,
  pathFacts,
  pathToAnchor,
  type Trust,
} from '../../pki/x509/certificate-path.ts';
import { readCertificates } from '../../pki/x509/certificate-text.ts';
import { DerProblem } from '../../pki/x509/der.ts';

/** The controller's own CAs; an `Authority` is one. */
export interface OwnAuthorities {
  /** Roots, and CAs below them that `pki.ca` names as well. */
  readonly anchors: readonly X509Certificate[];
  readonly intermediates: readonly X509Certificate[];
  readonly issuer: {
    readonly certificate: X509Certificate;
    readonly chain: readonly X509Certificate[];
  };
}

/** A third-party CA in the form in which `ClientChains` uses it. */
export interface ClientCa {
  readonly id: string;
  /**
   * PEM text. The first certificate is the CA; it alone was proven to be the owner's
   * (behaviour/cas#verification), so further certificates only help to build a path to it.
   */
  readonly certPem: string;
  readonly isAuthEnabled: boolean;
  /** Whether it counts at all: it is verified, and confirmed. */
  readonly isTrusted: boolean;
}

/** The CA from which the path of a leaf leads down, and the facts of that path. */
export type IssuingCa = OwnIssuer | ThirdPartyIssuer;

/** The path leads to one of our anchors. */
export interface OwnIssuer extends PathFacts {
  readonly by: 'own';
  /** The client sent no intermediate; the login is still accepted (behaviour/login#chains). */
  readonly isImproper: boolean;
  /** Signed by an issuing CA of ours, so that it can be extended (behaviour/certificates). */
  readonly isIssuedByUs: boolean;
  /**
   * Signed by a CA of `pki.ca` that is no root, which may have been the issuing CA of this network
   * before. It may also be one of another organisation, so only a record can say that the network
   * issued this certificate (behaviour/certificates#former-cas).
   */
  readonly mayBeOfFormerIssuer: boolean;
}

/**
 * Whether this network issued a certificate, now or by an issuing CA of before.
 * @param isOnRecord whether a record of the certificate says that the network issued it
 */
export function isIssuedByNetwork(issuingCa: IssuingCa | undefined, isOnRecord: boolean): boolean {
  if (issuingCa?.by !== 'own') return false;
  return issuingCa.isIssuedByUs || (isOnRecord && issuingCa.mayBeOfFormerIssuer);
}

/** The path leads to a third-party CA. */
export interface ThirdPartyIssuer extends PathFacts {
  readonly by: 'ca';
  readonly caId: string;
}

/** Our own CAs: the first two passes of behaviour/login#chains. */
export class OwnCas {
  readonly #byDigest = new Map<string, Certificate>();
  /** The anchors that no other one issued. */
  readonly #roots: Trust;
  readonly #all: Trust;
  readonly #issuing: ReadonlySet<Certificate | undefined>;
  readonly #belowRoots: ReadonlySet<Certificate | undefined>;

  constructor({ anchors, intermediates, issuer }: OwnAuthorities) {
    const read = (list: readonly X509Certificate[]): Certificate[] =>
      list.flatMap(({ raw }) => this.#once(raw) ?? []);
    const trusted = read(anchors);
    this.#belowRoots = new Set(trusted.filter(({ subject, issuer: above }) => subject !== above));
    const highest = trusted.filter((one) => !trusted.some((above) => isAbove(above, one)));
    this.#roots = { anchors: bySubject(highest), intermediates: none };
    const all = new Set([...trusted, ...read(intermediates)]);
    this.#all = { anchors: bySubject(all), intermediates: none };
    // A supplied issuer may be below CAs of another organisation, which also sign for others.
    const above = new Set(read(issuer.chain.slice(1)));
    const issuing = read([issuer.certificate, ...intermediates]);
    this.#issuing = new Set(issuing.filter((certificate) => !above.has(certificate)));
  }

  /** Our own CA certificate with this DER digest. */
  find(digest: string): Certificate | undefined {
    return this.#byDigest.get(digest);
  }

  issuingCaOf(leaf: Certificate, sent: BySubject, budget: SignatureBudget): IssuingCa | undefined {
    const proper = pathToAnchor(leaf, sent, this.#roots, budget);
    const path = proper ?? pathToAnchor(leaf, sent, this.#all, budget);
    if (path === undefined) return undefined;
    return {
      by: 'own',
      isImproper: proper === undefined,
      isIssuedByUs: this.#issuing.has(path[1]),
      mayBeOfFormerIssuer: this.#belowRoots.has(path[1]),
      ...pathFacts(path),
    };
  }

  #once(der: Buffer): Certificate | undefined {
    const digest = digestOf(der);
    const certificate = this.#byDigest.get(digest) ?? readOrPass(der);
    if (certificate !== undefined) this.#byDigest.set(digest, certificate);
    return certificate;
  }
}

const none: BySubject = new Map();

/** A root is above itself only by its name. */
function isAbove(above: Certificate, one: Certificate): boolean {
  if (one.subject === one.issuer) return false;
  return one.isIssuedBy(above, 1, { left: 1 });
}

/** Third-party CAs: the third pass. Their texts are parsed once as long as they stay unchanged. */
export class ThirdPartyCas {
  /** By the text of a CA. */
  readonly read = new Map<string, readonly Certificate[]>();
  readonly #ids = new Map<Certificate, string>();
  readonly #trust: Trust;

  constructor(cas: Iterable<ClientCa>, known: ReadonlyMap<string, readonly Certificate[]>) {
    const below: Certificate[] = [];
    for (const { id, certPem } of cas) {
      const certificates = known.get(certPem) ?? certificatesIn(certPem);
      this.read.set(certPem, certificates);
      const [authority, ...others] = certificates;
      if (authority === undefined) continue;
      this.#ids.set(authority, id);
      below.push(...others);
    }
    this.#trust = { anchors: bySubject(this.#ids.keys()), intermediates: bySubject(below) };
  }

  issuingCaOf(
    leaf: Certificate,
    sent: BySubject,
    budget: SignatureBudget,
  ): ThirdPartyIssuer | undefined {
    const path = pathToAnchor(leaf, sent, this.#trust, budget);
    const anchor = path?.at(-1);
    const caId = anchor === undefined ? undefined : this.#ids.get(anchor);
    if (path === undefined || caId === undefined) return undefined;
    return { by: 'ca', caId, ...pathFacts(path) };
  }
}

/** Empty if the first cannot be read, because the others mean nothing without it. */
function certificatesIn(pem: string): readonly Certificate[] {
  const read = readCertificates(pem, pem.length);
  if ('unreadable' in read) return [];
  const [first, ...others] = read.certificates.map(({ raw }) => readOrPass(raw));
  if (first === undefined) return [];
  return [first, ...others.filter((certificate) => certificate !== undefined)];
}

/** The key of a certificate within this process. */
export function digestOf(der: Buffer): string {
  return hash('sha256', der, 'base64');
}

/** Undefined unless the input is exactly one certificate. */
export function readOrPass(der: Buffer): Certificate | undefined {
  try {
    return new Certificate(der);
  } catch (error) {
    if (error instanceof DerProblem) return undefined;
    throw error;
  }
}

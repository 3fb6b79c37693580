// A parsed certificate with the properties that evaluating chains and naming identities need.

import { hash, type KeyObject, X509Certificate } from 'node:crypto';
import type { AlternativeName } from '../authority/issue.ts';
import { keyProblem, signatureKind } from './algorithms.ts';
import {
  allowsClients,
  extensionId,
  extensionsIn,
  pathLengthIn,
  signsHandshakes,
} from './certificate-extensions.ts';
import { alternativeNamesIn, commonNameIn } from './certificate-names.ts';
import { subjectText } from './certificate-text.ts';
import { contextTag, DerProblem, DerReader, derTag, wholeElement } from './der.ts';

/** A certificate; everything but the signature is checked when it is created. */
export class Certificate {
  /** SHA-1 of the DER in lower-case hex, as records name certificates (behaviour/login). */
  readonly fingerprint: string;
  /**
   * Length of the DER. The bytes themselves are not kept, because they may be a view of a large
   * buffer.
   */
  readonly bytes: number;
  /** DER of the names as text of bytes: equal names are equal texts (RFC 5280 §7.1, binary). */
  readonly subject: string;
  readonly issuer: string;
  /** Common name of the subject, the last if it has several. */
  readonly commonName: string | undefined;
  readonly alternativeNames: readonly AlternativeName[];
  /** Wall-clock ms. */
  readonly validFromMs: number;
  readonly validToMs: number;
  /** Whether its extended key usages, if it has any, allow TLS clients. */
  readonly allowsClients: boolean;
  /** Whether its key usage, if it has one, allows the holder to authenticate a TLS handshake. */
  readonly signsHandshakes: boolean;
  /** Whether all critical extensions are understood (RFC 5280 §4.2). */
  readonly isUnderstood: boolean;
  /**
   * The most certificates between it and a leaf; undefined for no bound, `'none'` if it is not a
   * CA.
   */
  readonly pathLength: number | undefined | 'none';
  /** The key identifier in certificates that it signs; undefined if it has none. */
  readonly keyId: Buffer | undefined;
  readonly #x509: X509Certificate;
  readonly #isSignedFitly: boolean;
  readonly #issuedBy = new WeakMap<Certificate, boolean>();
  #key: KeyObject | undefined;

  /** @throws DerProblem when `der` is not exactly one certificate. */
  constructor(der: Buffer) {
    this.#x509 = x509Of(der);
    this.fingerprint = hash('sha1', der);
    this.bytes = der.length;
    const outer = new DerReader(wholeElement(der, derTag.sequence).content);
    const content = outer.enter(derTag.sequence);
    const algorithm = outer.enter(derTag.sequence).next(derTag.objectId).content;
    this.#isSignedFitly = signatureKind(algorithm.toString('hex')) !== undefined;
    content.optional(contextTag(0)); // version
    content.next(derTag.integer); // serial number
    content.next(derTag.sequence); // signature algorithm
    this.issuer = content.next(derTag.sequence).whole.toString('latin1');
    content.next(derTag.sequence); // dates, which Node reads as well
    const subject = content.next(derTag.sequence).whole;
    this.subject = subject.toString('latin1');
    this.commonName = commonNameIn(subject);
    content.next(derTag.sequence); // key
    content.optional(0x81); // unique ids, of no use to anybody
    content.optional(0x82);
    const wrapped = content.optional(contextTag(3));
    content.finish();

    const extensions = wrapped === undefined ? new Map() : extensionsIn(wrapped.content);
    const names = extensions.get(extensionId.alternativeNames);
    this.alternativeNames = names === undefined ? [] : alternativeNamesIn(names.value);
    const keyId = extensions.get(extensionId.subjectKeyId);
    this.keyId = keyId && Buffer.from(wholeElement(keyId.value, derTag.octetString).content);
    const usages = extensions.get(extensionId.extendedKeyUsage);
    this.allowsClients = usages === undefined || allowsClients(usages.value);
    const keyUsage = extensions.get(extensionId.keyUsage);
    this.signsHandshakes = keyUsage === undefined || signsHandshakes(keyUsage.value);
    this.isUnderstood = [...extensions].every(
      ([id, { isCritical }]) => !isCritical || understood.has(id),
    );
    const constraints = extensions.get(extensionId.basicConstraints);
    // Name constraints are not checked here, so a CA that has some cannot sign.
    const isBound = extensions.has(extensionId.nameConstraints);
    // OpenSSL does not treat a certificate whose key usage lacks keyCertSign as a CA.
    const isCa = this.#x509.ca && constraints !== undefined && !isBound;
    this.pathLength = isCa ? pathLengthIn(constraints.value) : 'none';
    this.validFromMs = this.#x509.validFromDate.getTime();
    this.validToMs = this.#x509.validToDate.getTime();
  }

  /**
   * Whether `issuer` may sign certificates, has the right name and made the signature. The
   * signature is checked at most once per pair, and the check is charged to `budget`.
   * @param below the number of certificates between this one and a leaf
   */
  isIssuedBy(issuer: Certificate, below: number, budget: SignatureBudget): boolean {
    if (this.issuer !== issuer.subject || !issuer.isUnderstood) return false;
    const { pathLength } = issuer;
    if (pathLength === 'none' || (pathLength !== undefined && pathLength < below)) return false;
    let isIssued = this.#issuedBy.get(issuer);
    if (isIssued === undefined) {
      if (budget.left <= 0) return false;
      budget.left -= 1;
      isIssued = this.#isSignedFitly && this.#isSignedBy(issuer);
      this.#issuedBy.set(issuer, isIssued);
    }
    return isIssued;
  }

  /** The subject as text, the most special part first (RFC 4514): `CN=desk,O=Example`. */
  get subjectText(): string {
    return subjectText(this.#x509);
  }

  #isSignedBy(issuer: Certificate): boolean {
    try {
      issuer.#key ??= issuer.#x509.publicKey;
      return keyProblem(issuer.#key) === undefined && this.#x509.verify(issuer.#key);
    } catch {
      // A key that OpenSSL cannot read, which shows only on demand.
      return false;
    }
  }
}

/** Signature checks that one evaluation may still make; each takes up to 1 ms. */
export interface SignatureBudget {
  left: number;
}

/** `nameConstraints` is not among them, because it is not enforced here. */
const understood: ReadonlySet<string> = new Set([
  extensionId.keyUsage,
  extensionId.alternativeNames,
  extensionId.basicConstraints,
  extensionId.certificatePolicies,
  extensionId.extendedKeyUsage,
]);

function x509Of(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch {
    throw new DerProblem('it is no certificate');
  }
}

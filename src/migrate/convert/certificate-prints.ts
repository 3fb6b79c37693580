// The prints by which a certificate is known, without OpenSSL, which takes ten times as long to
// read it: networks have hundreds of thousands.

import { hash } from 'node:crypto';
import { contextTag, DerProblem, DerReader, derTag, wholeElement } from '../../pki/x509/der.ts';

/** What a certificate is known by. */
export interface CertificatePrints {
  /** SHA-1 of its DER in lower-case hex. */
  readonly fingerprint: string;
  /** SHA-256 of its public key (SubjectPublicKeyInfo) in lower-case hex. */
  readonly publicKeyPrint: string;
}

/**
 * The prints of the first certificate of a PEM text; undefined for a text without one. Whether its
 * key and its signature are good is not looked at.
 */
export function printsIn(pem: string): CertificatePrints | undefined {
  const [, base64] = /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/.exec(pem) ?? [];
  if (base64 === undefined) return undefined;
  const der = Buffer.from(base64, 'base64');
  try {
    return { fingerprint: hash('sha1', der), publicKeyPrint: hash('sha256', publicKeyIn(der)) };
  } catch (error) {
    if (error instanceof DerProblem) return undefined;
    throw error;
  }
}

/** The order of the fields is that of RFC 5280 §4.1. */
function publicKeyIn(der: Buffer): Buffer {
  const content = new DerReader(wholeElement(der, derTag.sequence).content).enter(derTag.sequence);
  content.optional(contextTag(0)); // version
  content.next(derTag.integer); // serial number
  content.next(derTag.sequence); // signature algorithm
  content.next(derTag.sequence); // issuer
  content.next(derTag.sequence); // dates
  content.next(derTag.sequence); // subject
  return content.next(derTag.sequence).whole;
}

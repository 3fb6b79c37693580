// Certificates in text that callers send: read strictly, and refused with the reason.

import { X509Certificate } from 'node:crypto';
// Node loads a part of this module for `toLegacyObject`. If that part comes before the whole, the
// module lacks `createSecureContext` for the rest of the process.
import 'node:tls';

/**
 * The reason why a text holds no certificate, by the code that CA verify answers (behaviour/cas).
 */
export type Unreadable =
  | 'COULD_NOT_PARSE_BODY'
  | 'EXPECTED_PEM_CERTIFICATE'
  | 'COULD_NOT_PARSE_DER_BLOCK';

/** The result of reading a text. */
export type CertificateText =
  | { readonly certificates: readonly [X509Certificate, ...X509Certificate[]] }
  | { readonly unreadable: Unreadable; readonly reason: string };

/**
 * The certificates of a PEM text in its order; anything between the blocks is skipped, because
 * OpenSSL writes explanations there. A block that is not exactly one certificate makes the whole
 * text invalid.
 */
export function readCertificates(text: string, charactersMax = pemCharactersMax): CertificateText {
  if (text.length > charactersMax) {
    return unreadable('COULD_NOT_PARSE_BODY', `is longer than ${charactersMax} characters`);
  }
  const blocks = [...text.matchAll(pemBlock)];
  const begun = text.split('-----BEGIN ').length - 1;
  if (blocks.length === 0 || blocks.length < begun) {
    const reason = begun === 0 ? 'holds no PEM' : 'holds a PEM block that is cut off or damaged';
    return unreadable('COULD_NOT_PARSE_BODY', reason);
  }
  const certificates: X509Certificate[] = [];
  for (const [, label = '', content = ''] of blocks) {
    if (label !== 'CERTIFICATE') {
      return unreadable('EXPECTED_PEM_CERTIFICATE', `holds a PEM block of the kind ${label}`);
    }
    const certificate = parsed(content);
    if (certificate === undefined) {
      return unreadable('COULD_NOT_PARSE_DER_BLOCK', 'holds a block that is no certificate');
    }
    certificates.push(certificate);
  }
  return { certificates: certificates as [X509Certificate, ...X509Certificate[]] };
}

/** The common name of a certificate's subject, the last where it has several; empty for none. */
export function commonName(certificate: X509Certificate): string {
  // The escapes in the subject's text cannot be told from backslashes in a name.
  const names: unknown = certificate.toLegacyObject().subject?.CN;
  const last: unknown = Array.isArray(names) ? names.at(-1) : names;
  return typeof last === 'string' ? last : '';
}

/** The subject, its most special part first (RFC 4514): `CN=desk,O=Example`. */
export function subjectText(certificate: { readonly subject: string | undefined }): string {
  // For an empty subject Node returns undefined, despite its types.
  return (certificate.subject ?? '').split('\n').reverse().join(',');
}

/** Whether a moment, in wall-clock ms, lies within the dates of a certificate. */
export function isInDate(certificate: X509Certificate, nowMs: number): boolean {
  const { validFromDate, validToDate } = certificate;
  return validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime();
}

const pemBlock = /-----BEGIN ([A-Z0-9 ]{1,64})-----([^-]*)-----END \1-----/g;

function unreadable(code: Unreadable, reason: string): CertificateText {
  return { unreadable: code, reason };
}

/** Undefined unless the input is exactly one certificate with a usable key. */
function parsed(base64: string): X509Certificate | undefined {
  const text = base64.replace(/\s+/g, '');
  // Buffer.from ignores characters that are not base64.
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    return undefined;
  }
  const der = Buffer.from(text, 'base64');
  try {
    const certificate = new X509Certificate(der);
    // OpenSSL reads the key only on demand, and ignores bytes after the end.
    return certificate.publicKey !== undefined && certificate.raw.equals(der)
      ? certificate
      : undefined;
  } catch {
    return undefined;
  }
}

/** PEM text of certificates. Twenty of RSA-4096 fit, at 25 µs each. @bound per request */
export const pemCharactersMax = 65_536;

// Parses the extensions of a certificate or a request, and the few that we understand.

import { DerProblem, DerReader, derTag, wholeElement } from './der.ts';

/** Object ids as the hex of their DER content, below id-ce, 2.5.29 (RFC 5280 §4.2.1). */
export const extensionId = {
  subjectKeyId: '551d0e',
  keyUsage: '551d0f',
  alternativeNames: '551d11',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  certificatePolicies: '551d20',
  authorityKeyId: '551d23',
  extendedKeyUsage: '551d25',
} as const;

/** One extension; `value` is the DER within its octet string. */
export interface Extension {
  readonly isCritical: boolean;
  readonly value: Buffer;
}

/**
 * Extensions by `extensionId`.
 * @param extensions DER of an RFC 5280 `Extensions`.
 * @throws DerProblem when it is damaged or one occurs twice.
 */
export function extensionsIn(extensions: Buffer): ReadonlyMap<string, Extension> {
  const found = new Map<string, Extension>();
  const reader = new DerReader(wholeElement(extensions, derTag.sequence).content);
  while (!reader.isAtEnd) {
    const extension = reader.enter(derTag.sequence);
    const id = extension.next(derTag.objectId).content.toString('hex');
    const critical = extension.optional(derTag.boolean);
    const { content: value } = extension.next(derTag.octetString);
    extension.finish();
    if (found.has(id)) throw new DerProblem('it holds an extension twice');
    found.set(id, { isCritical: critical !== undefined && critical.content[0] !== 0, value });
  }
  return found;
}

/**
 * The maximum number of intermediates below a CA; undefined if it is not given.
 * @param value DER of `BasicConstraints`.
 * @throws DerProblem when it is damaged.
 */
export function pathLengthIn(value: Buffer): number | undefined {
  const reader = new DerReader(wholeElement(value, derTag.sequence).content);
  reader.optional(derTag.boolean);
  const length = reader.optional(derTag.integer)?.content;
  reader.finish();
  if (length === undefined) return undefined;
  // A value above the longest accepted chain has the same effect as no bound.
  if (length.length !== 1) return length[0] !== undefined && length[0] < 0x80 ? undefined : 0;
  return Math.max(0, length.readInt8(0));
}

/**
 * Whether extended key usages allow TLS clients: they name it, or any (RFC 5280 §4.2.1.12).
 * @param value DER of `ExtKeyUsageSyntax`.
 * @throws DerProblem when it is damaged.
 */
export function allowsClients(value: Buffer): boolean {
  const reader = new DerReader(wholeElement(value, derTag.sequence).content);
  let allows = false;
  while (!reader.isAtEnd) {
    const id = reader.next(derTag.objectId).content.toString('hex');
    allows ||= id === clientAuthId || id === anyUsageId;
  }
  return allows;
}

/**
 * Whether a key usage allows a TLS client to authenticate with the key: by a signature or by key
 * agreement (RFC 5280 §4.2.1.3, RFC 5246 §7.4.6), the rule of OpenSSL's purpose `sslclient`.
 * @param value DER of `KeyUsage`.
 * @throws DerProblem when it is damaged.
 */
export function signsHandshakes(value: Buffer): boolean {
  const [unusedBits, usages = 0] = wholeElement(value, derTag.bitString).content;
  if (unusedBits === undefined || unusedBits > 7) throw new DerProblem('its key usage is damaged');
  return (usages & (digitalSignature | keyAgreement)) !== 0;
}

/** Bits 0 and 4 of `KeyUsage`, counted from the most significant one. */
const digitalSignature = 0x80;
const keyAgreement = 0x08;

/** 1.3.6.1.5.5.7.3.2. */
const clientAuthId = '2b06010505070302';
/** 2.5.29.37.0. */
const anyUsageId = '551d2500';

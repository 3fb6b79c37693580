// Certificates as a PKCS#7 bundle without signatures, the form in which EST publishes CAs (RFC 7030
// §4.1.3).

import type { X509Certificate } from 'node:crypto';
import { contextTag, derTag } from './der.ts';
import { derElement, derObjectId, derSequence } from './der-writer.ts';

/** `data` and `signedData` of PKCS#7 (RFC 5652 §4, §5): 1.2.840.113549.1.7.1 and .2. */
const dataType = '2a864886f70d010701';
const signedDataType = '2a864886f70d010702';

/**
 * DER of a degenerate `SignedData` (RFC 5652 §5.1): no content, no signers, only certificates. They
 * form a set, which DER sorts by bytes.
 */
export function certificateBundle(certificates: readonly X509Certificate[]): Buffer {
  const ordered = certificates.map(({ raw }) => raw).sort((a, b) => a.compare(b));
  const signedData = derSequence(
    derElement(derTag.integer, Buffer.from([1])),
    derElement(derTag.set),
    derSequence(derObjectId(dataType)),
    derElement(contextTag(0), ...ordered),
    derElement(derTag.set),
  );
  return derSequence(derObjectId(signedDataType), derElement(contextTag(0), signedData));
}

/** Base64 in lines of 64 characters, each of them ended (behaviour/information#ca-bundle). */
export function base64Lines(bytes: Buffer): string {
  return bytes.toString('base64').replace(/.{1,64}/g, '$&\n');
}

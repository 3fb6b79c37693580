// Writes the certificate request of an enrollment (PKCS #10, RFC 2986).

import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { commonNameOnly } from './certificate-writer.ts';
import { contextTag, derTag } from './der.ts';
import { derBitString, derElement, derObjectId, derSequence } from './der-writer.ts';

/**
 * A request in PEM for a certificate with a common name.
 * @param key private key on the curve P-256, which signs the request
 */
export function certificateRequest(key: KeyObject, commonName: string): string {
  const info = derSequence(
    derElement(derTag.integer, Buffer.from([0])), // version 1
    commonNameOnly(commonName),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    derElement(contextTag(0)),
  );
  const request = derSequence(info, ecdsaWithSha256, derBitString(sign('sha256', info, key)));
  const lines = request.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}

/** RFC 5758 §3.2. */
const ecdsaWithSha256 = derSequence(derObjectId('2a8648ce3d040302'));

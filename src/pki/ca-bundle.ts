// Certificates as a PKCS#7 bundle that signs nothing: how EST hands out CAs (RFC 7030 §4.1.3).

import type { X509Certificate } from 'node:crypto';
import { contextTag, derTag } from './der.ts';

/** `data` and `signedData` of PKCS#7 (RFC 5652 §4, §5): 1.2.840.113549.1.7.1 and .2. */
const dataType = Buffer.from('2a864886f70d010701', 'hex');
const signedDataType = Buffer.from('2a864886f70d010702', 'hex');

/**
 * DER of a degenerate `SignedData` (RFC 5652 §5.1): no content, no signers, only certificates. They
 * are a set, which DER orders by their bytes.
 */
export function certificateBundle(certificates: readonly X509Certificate[]): Buffer {
  const ordered = certificates.map(({ raw }) => raw).sort((a, b) => a.compare(b));
  const signedData = element(
    derTag.sequence,
    element(derTag.integer, Buffer.from([1])),
    element(derTag.set),
    element(derTag.sequence, element(derTag.objectId, dataType)),
    element(contextTag(0), ...ordered),
    element(derTag.set),
  );
  return element(
    derTag.sequence,
    element(derTag.objectId, signedDataType),
    element(contextTag(0), signedData),
  );
}

/** Base64 in lines of 64 characters, each of them ended (behaviour §11.10). */
export function base64Lines(bytes: Buffer): string {
  return bytes.toString('base64').replace(/.{1,64}/g, '$&\n');
}

function element(type: number, ...contents: readonly Buffer[]): Buffer {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  return Buffer.concat([Buffer.from([type, ...lengthOf(length)]), ...contents]);
}

/** A length below 128 is one byte; longer ones are preceded by how many bytes they take. */
function lengthOf(length: number): number[] {
  if (length < 128) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

// Writes the DER (X.690) that certificates are made of.

import { derTag } from './der.ts';

/** An element of the given identifier byte, its contents one after the other. */
export function derElement(tag: number, ...contents: readonly Buffer[]): Buffer {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...contents]);
}

/** A SEQUENCE. */
export function derSequence(...contents: readonly Buffer[]): Buffer {
  return derElement(derTag.sequence, ...contents);
}

/** An OBJECT IDENTIFIER from the hex of its content. */
export function derObjectId(hex: string): Buffer {
  return derElement(derTag.objectId, Buffer.from(hex, 'hex'));
}

/** A BIT STRING of whole bytes. */
export function derBitString(bytes: Buffer): Buffer {
  return derElement(derTag.bitString, Buffer.from([0]), bytes);
}

/** The time of a certificate, in whole seconds: UTCTime to the end of 2049 (RFC 5280 §4.1.2.5). */
export function derTime(timeMs: number): Buffer {
  const digits = new Date(timeMs).toISOString().replace(/\.\d+|[-:T]/g, '');
  return digits < '2050'
    ? derElement(utcTimeTag, Buffer.from(digits.slice(2), 'latin1'))
    : derElement(generalizedTimeTag, Buffer.from(digits, 'latin1'));
}

const utcTimeTag = 0x17;
const generalizedTimeTag = 0x18;

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.trunc(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

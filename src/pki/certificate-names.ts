// Names within certificates and requests, read from their DER: Node gives them as one text, whose
// parts cannot be told apart once a name holds a comma or a quote (CVE-2021-44532).

import { DerProblem, DerReader, derTag, wholeElement } from './der.ts';
import type { AlternativeName } from './issue.ts';

/**
 * The common name of a distinguished name, the last where it has several; undefined for none.
 * @param name DER of an RFC 5280 `Name`.
 * @throws DerProblem when it is damaged.
 */
export function commonNameIn(name: Buffer): string | undefined {
  let commonName: string | undefined;
  const parts = new DerReader(wholeElement(name, derTag.sequence).content);
  while (!parts.isAtEnd) {
    const part = parts.enter(derTag.set);
    do {
      const attribute = part.enter(derTag.sequence);
      const type = attribute.next(derTag.objectId);
      const value = attribute.next();
      attribute.finish();
      if (type.content.equals(commonNameId)) commonName = textOf(value.tag, value.content);
    } while (!part.isAtEnd);
  }
  return commonName;
}

/**
 * The names of a SubjectAlternativeName extension in their order; kinds beside e-mail, DNS, URI and
 * IP address are passed over.
 * @param value DER of `GeneralNames`.
 * @throws DerProblem when it is damaged, or a name holds what its kind cannot.
 */
export function alternativeNamesIn(value: Buffer): AlternativeName[] {
  const names: AlternativeName[] = [];
  const reader = new DerReader(wholeElement(value, derTag.sequence).content);
  while (!reader.isAtEnd) {
    const { tag, content } = reader.next();
    const type = textKinds[tag];
    if (type !== undefined) names.push({ type, value: ascii(content) });
    else if (tag === ipAddressTag) names.push({ type: 'ip', value: addressText(content) });
  }
  return names;
}

/** id-at-commonName, 2.5.4.3. */
const commonNameId = Buffer.from('550403', 'hex');

/** The choices of GeneralName that hold an IA5String (RFC 5280 §4.2.1.6). */
const textKinds: Readonly<Record<number, 'email' | 'dns' | 'url'>> = {
  129: 'email',
  130: 'dns',
  134: 'url',
};
const ipAddressTag = 0x87;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws DerProblem for what is no text of its type. */
function textOf(tag: number, content: Buffer): string {
  switch (tag) {
    case derTag.utf8String:
      try {
        return utf8.decode(content);
      } catch {
        throw new DerProblem('its common name is not UTF-8');
      }
    case derTag.printableString:
    case derTag.ia5String:
      return ascii(content);
    case derTag.teletexString:
      return content.toString('latin1');
    case derTag.bmpString:
      if (content.length % 2 !== 0) break;
      return Buffer.from(content).swap16().toString('utf16le');
    default:
      break;
  }
  throw new DerProblem('its common name is no text');
}

function ascii(content: Buffer): string {
  if (content.some((byte) => byte > 0x7f)) {
    throw new DerProblem('one of its names holds a character that is not ASCII');
  }
  return content.toString('latin1');
}

function addressText(content: Buffer): string {
  if (content.length === 4) return content.join('.');
  if (content.length !== 16) throw new DerProblem('it holds an IP address of no known length');
  const groups = Array.from({ length: 8 }, (_, index) => content.readUInt16BE(2 * index));
  return groups.map((group) => group.toString(16)).join(':');
}

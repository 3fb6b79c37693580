// Reads names in certificates and requests from their DER. Node returns them as one text, whose
// parts cannot be separated once a name holds a comma or a quote (CVE-2021-44532).

import { isPlainText, notPlainReason } from '../../declare/resources/plain-text.ts';
import type { AlternativeName } from '../authority/issue.ts';
import { type DerElement, DerProblem, DerReader, derTag, wholeElement } from './der.ts';

/**
 * The common name of a distinguished name, the last where it has several; undefined for none.
 * @param name DER of an RFC 5280 `Name`.
 * @throws DerProblem when it is damaged.
 */
export function commonNameIn(name: Buffer): string | undefined {
  let commonName: string | undefined;
  for (const { type, value } of attributesIn(name)) {
    if (type.content.equals(commonNameId)) commonName = textOf(value);
  }
  return commonName;
}

/**
 * Refuses a distinguished name with text that is not plain: it goes into certificates, and from
 * there into logs and terminals. Values that are not text, such as bit strings, are skipped.
 * @param name DER of an RFC 5280 `Name`.
 * @throws DerProblem when it is damaged, or one of its texts is not plain.
 */
export function refuseControlCharacters(name: Buffer): void {
  for (const { value } of attributesIn(name)) {
    if (textTags.has(value.tag) && !isPlainText(textOf(value))) {
      throw new DerProblem(`its subject ${notPlainReason}`);
    }
  }
}

interface NameAttribute {
  readonly type: DerElement;
  readonly value: DerElement;
}

function* attributesIn(name: Buffer): Generator<NameAttribute> {
  const parts = new DerReader(wholeElement(name, derTag.sequence).content);
  while (!parts.isAtEnd) {
    const part = parts.enter(derTag.set);
    do {
      const attribute = part.enter(derTag.sequence);
      const type = attribute.next(derTag.objectId);
      const value = attribute.next();
      attribute.finish();
      yield { type, value };
    } while (!part.isAtEnd);
  }
}

/**
 * The names of a SubjectAlternativeName extension in their order; kinds other than e-mail, DNS, URI
 * and IP address are skipped.
 * @param value DER of `GeneralNames`.
 * @throws DerProblem when it is damaged, or a name is not valid for its kind.
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

/** The string types of X.520 (ITU-T X.520 §6.2, RFC 5280 §4.1.2.4). */
const textTags: ReadonlySet<number> = new Set([
  derTag.utf8String,
  derTag.numericString,
  derTag.printableString,
  derTag.teletexString,
  derTag.ia5String,
  derTag.visibleString,
  derTag.universalString,
  derTag.bmpString,
]);

/** @throws DerProblem for bytes that are not text of the type. */
function textOf({ tag, content }: DerElement): string {
  switch (tag) {
    case derTag.utf8String:
      try {
        return utf8.decode(content);
      } catch {
        throw new DerProblem('a text of its subject is not UTF-8');
      }
    case derTag.numericString:
    case derTag.printableString:
    case derTag.visibleString:
    case derTag.ia5String:
      return ascii(content);
    case derTag.teletexString:
      return content.toString('latin1');
    case derTag.bmpString: {
      if (content.length % 2 !== 0) break;
      const text = Buffer.from(content).swap16().toString('utf16le');
      // Half a surrogate pair would be read back from the disk as another character.
      if (!/\p{Surrogate}/u.test(text)) return text;
      break;
    }
    default:
      break;
  }
  throw new DerProblem('a text of its subject cannot be read');
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

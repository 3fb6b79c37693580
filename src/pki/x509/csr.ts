// Certificate requests (PKCS #10, RFC 2986): read and checked before anything is issued for them.

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isPlainText, notPlainReason } from '../../declare/resources/plain-text.ts';
import { ApiError } from '../../errors/errors.ts';
import type { AlternativeName } from '../authority/issue.ts';
import { keyProblem, signatureKind } from './algorithms.ts';
import { extensionId, extensionsIn } from './certificate-extensions.ts';
import { alternativeNamesIn, commonNameIn, refuseControlCharacters } from './certificate-names.ts';
import { bitStringBytes, contextTag, DerProblem, DerReader, derTag, wholeElement } from './der.ts';

/** The content of a request; its sender holds the private key. */
export interface CertificateRequest {
  /** DER of the subject as it was sent, so that it goes into the certificate byte for byte. */
  readonly subject: Buffer;
  /** Common name of the subject, the last if it has several; undefined for none. */
  readonly commonName: string | undefined;
  readonly publicKey: KeyObject;
  readonly alternativeNames: readonly AlternativeName[];
}

/**
 * Reads a request: one PEM block, bare base64 or DER, under any content type
 * (behaviour/enrollment#completion). Takes one signature check, some 0.1 ms, and loads no library.
 * @param sent the body of the request, or a value of its JSON.
 * @param field its name in errors: `clientCsr`, `certCsr`, `serverCertCsr`, `csr`.
 * @param bytesMax longest `sent`, in any of its forms.
 * @throws ApiError COULD_NOT_PROCESS_CSR for input that is not a request, is not signed by its own
 *   key, has a key that is too weak, or has names with control characters.
 */
export function readCertificateRequest(
  sent: Buffer | string,
  field: string,
  bytesMax = csrBytesMax,
): CertificateRequest {
  if (sent.length > bytesMax) throw csrError(field, `it is longer than ${bytesMax} bytes`);
  try {
    return parsed(derOf(sent));
  } catch (error) {
    if (error instanceof DerProblem) throw csrError(field, error.message);
    throw error;
  }
}

/**
 * 400 for a certificate request. The input is not echoed, because it may be a private key by
 * mistake.
 */
export function csrError(field: string, reason: string): ApiError {
  return new ApiError('COULD_NOT_PROCESS_CSR', { cause: { field, reason, value: '' } });
}

/** Both labels are in use (RFC 7468 §7). */
const labels: ReadonlySet<string> = new Set(['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST']);
const pemBlock = /-----BEGIN ([A-Z0-9 ]{1,64})-----([^-]*)-----END \1-----/g;

/** @throws DerProblem for input in none of the three forms. */
function derOf(sent: Buffer | string): Buffer {
  if (Buffer.isBuffer(sent) && sent[0] === derTag.sequence) return sent;
  const text = Buffer.isBuffer(sent) ? sent.toString('latin1') : sent;
  if (text.trim() === '') throw new DerProblem('it is empty');
  const begun = text.split('-----BEGIN ').length - 1;
  if (begun === 0) return fromBase64(text);
  const [block, ...others] = text.matchAll(pemBlock);
  if (block === undefined) throw new DerProblem('its PEM block is cut off or damaged');
  if (others.length > 0 || begun > 1) throw new DerProblem('it holds more than one PEM block');
  const [, label = '', content = ''] = block;
  if (!labels.has(label)) throw new DerProblem(`it holds a PEM block of the kind ${label}`);
  return fromBase64(content);
}

function fromBase64(text: string): Buffer {
  const packed = text.replace(/[ \t\r\n]+/g, '');
  // Buffer.from ignores characters that are not base64.
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) {
    throw new DerProblem('it is not PEM, base64 or DER');
  }
  return Buffer.from(packed, 'base64');
}

/** @throws DerProblem for a request that is damaged, weak or not signed by its own key. */
function parsed(der: Buffer): CertificateRequest {
  const request = new DerReader(wholeElement(der, derTag.sequence).content);
  const info = request.next(derTag.sequence);
  const algorithm = request.enter(derTag.sequence).next(derTag.objectId).content.toString('hex');
  const signature = bitStringBytes(request.next(derTag.bitString));
  request.finish();

  const reader = new DerReader(info.content);
  const version = reader.next(derTag.integer).content;
  if (version.length !== 1 || version[0] !== 0) throw new DerProblem('its version is unknown');
  const subject = reader.next(derTag.sequence).whole;
  const publicKey = keyOf(reader.next(derTag.sequence).whole);
  // Some tools leave out the attributes if there are none.
  const attributes = reader.optional(contextTag(0));
  reader.finish();

  refuseControlCharacters(subject);
  const content = {
    subject,
    commonName: commonNameIn(subject),
    publicKey,
    alternativeNames: attributes === undefined ? [] : namesAskedFor(attributes.content),
  };
  const kind = signatureKind(algorithm);
  if (kind?.hash === undefined || kind.key !== publicKey.asymmetricKeyType) {
    throw new DerProblem('its signature algorithm is weak, unknown or not that of its key');
  }
  if (!verify(kind.hash, info.whole, publicKey, signature)) {
    throw new DerProblem('it is not signed by the key it holds');
  }
  return content;
}

/** @throws DerProblem for a key that cannot be read or is too weak. */
function keyOf(spki: Buffer): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    throw new DerProblem('its public key cannot be read');
  }
  const problem = keyProblem(key);
  if (problem !== undefined) throw new DerProblem(problem);
  return key;
}

/** extensionRequest, 1.2.840.113549.1.9.14 (RFC 2985 §5.4.2). */
const extensionRequestId = '2a864886f70d01090e';

/** The alternative names among the attributes of a request. */
function namesAskedFor(attributes: Buffer): AlternativeName[] {
  let names: AlternativeName[] | undefined;
  const reader = new DerReader(attributes);
  while (!reader.isAtEnd) {
    const attribute = reader.enter(derTag.sequence);
    const id = attribute.next(derTag.objectId).content.toString('hex');
    const values = attribute.enter(derTag.set);
    attribute.finish();
    if (id !== extensionRequestId) continue;
    const extensions = extensionsIn(values.next(derTag.sequence).whole);
    values.finish();
    const found = extensions.get(extensionId.alternativeNames);
    if (found === undefined) continue;
    if (names !== undefined) throw new DerProblem('it asks for alternative names twice');
    names = alternativeNamesIn(found.value);
    if (!names.every(({ value }) => isPlainText(value))) {
      throw new DerProblem(`a name that it asks for ${notPlainReason}`);
    }
  }
  return names ?? [];
}

/**
 * A certificate request as it was sent. In PEM it has 1 KB, with an RSA key of 8192 bits 3 KB, plus
 * the names. @bound per request
 */
export const csrBytesMax = 16 * 1024;

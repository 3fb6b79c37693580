// Writes and signs certificates on the caller's stack, because the libuv pool, where a library
// would sign, is busy with password hashes.

import { createPublicKey, hash, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { Random } from '../../platform/ports.ts';
import type { AlternativeName, CertificateContent, CertifiedKey } from '../authority/issue.ts';
import { PkiProblem } from '../problem.ts';
import { Certificate } from './certificate.ts';
import { extensionId } from './certificate-extensions.ts';
import { bitStringBytes, contextTag, DerProblem, DerReader, derTag } from './der.ts';
import { derBitString, derElement, derObjectId, derSequence, derTime } from './der-writer.ts';

/**
 * The content of a certificate; the subject is the DER of a name, which is copied byte for byte.
 */
export type CertificateText = Omit<CertificateContent, 'commonName'> & {
  readonly subject: Buffer;
};

/** A CA that signs, parsed once for all its signatures. */
export interface CertificateSigner {
  readonly key: KeyObject;
  /** DER of its name. */
  readonly name: Buffer;
  /** The key identifier in certificates that it signs. */
  readonly keyId: Buffer;
  /** Wall-clock ms; no certificate that it signs is valid longer. */
  readonly validToMs: number;
  readonly algorithm: SignatureAlgorithm;
}

interface SignatureAlgorithm {
  readonly hash: string;
  /** DER of its AlgorithmIdentifier. */
  readonly id: Buffer;
}

/** @throws PkiProblem when the certificate cannot be read, or the key cannot sign certificates. */
export function certificateSigner({ key, certificate }: CertifiedKey): CertificateSigner {
  const { subject, keyId, validToMs } = issuerFacts(certificate);
  return {
    key,
    name: Buffer.from(subject, 'latin1'),
    // Copied from the certificate if present, because other CAs may compute it in another way.
    keyId: keyId ?? keyIdOf(spkiOf(certificate.publicKey)),
    validToMs,
    algorithm: signatureAlgorithm(key),
  };
}

/** Signs its own certificate, which makes it a root. @throws PkiProblem as `certificateSigner`. */
export function selfSigner(key: KeyObject, name: Buffer): CertificateSigner {
  const keyId = keyIdOf(spkiOf(key));
  const algorithm = signatureAlgorithm(key);
  return { key, name, keyId, validToMs: Number.POSITIVE_INFINITY, algorithm };
}

/** Creates a certificate. Takes one private-key operation and some 0.1 ms. */
export function writeCertificate(
  text: CertificateText,
  signer: CertificateSigner,
  random: Random,
): X509Certificate {
  const spki = spkiOf(text.publicKey);
  const { id, hash: digest } = signer.algorithm;
  const content = derSequence(
    derElement(contextTag(0), integer(Buffer.from([2]))), // version 3
    serialNumber(random),
    id,
    signer.name,
    derSequence(derTime(text.notBeforeMs), derTime(Math.min(text.notAfterMs, signer.validToMs))),
    text.subject,
    spki,
    derElement(contextTag(3), derSequence(...extensionsOf(text, spki, signer))),
  );
  const signature = derBitString(sign(digest, content, signer.key));
  return new X509Certificate(derSequence(content, id, signature));
}

/** DER of a name that consists of a common name. */
export function commonNameOnly(commonName: string): Buffer {
  const value = derElement(derTag.utf8String, Buffer.from(commonName, 'utf8'));
  return derSequence(derElement(derTag.set, derSequence(derObjectId('550403'), value)));
}

function issuerFacts(certificate: X509Certificate): Certificate {
  try {
    return new Certificate(certificate.raw);
  } catch (error) {
    if (!(error instanceof DerProblem)) throw error;
    throw new PkiProblem(`The certificate of the issuing CA cannot be used: ${error.message}.`, {
      cause: error,
    });
  }
}

function extensionsOf(text: CertificateText, spki: Buffer, signer: CertificateSigner): Buffer[] {
  const { use, alternativeNames, subject } = text;
  const octets = (bytes: Buffer): Buffer => derElement(derTag.octetString, bytes);
  const extension = (id: string, value: Buffer, isCritical = false): Buffer =>
    derSequence(derObjectId(id), ...(isCritical ? [yes] : []), octets(value));
  const extensions =
    use.as === 'authority'
      ? [
          extension(extensionId.basicConstraints, authorityConstraints(use.pathLength), true),
          extension(extensionId.keyUsage, authorityUsage, true),
        ]
      : [
          extension(extensionId.basicConstraints, derSequence(), true),
          extension(extensionId.keyUsage, endUsage, true),
          extension(
            extensionId.extendedKeyUsage,
            derSequence(...use.extendedUsages.map((usage) => derObjectId(usageIds[usage]))),
          ),
        ];
  extensions.push(
    extension(extensionId.subjectKeyId, octets(keyIdOf(spki))),
    extension(extensionId.authorityKeyId, derSequence(derElement(0x80, signer.keyId))),
  );
  if (alternativeNames.length > 0) {
    const names = derSequence(...alternativeNames.map(generalName));
    // If the subject is empty they must be critical (RFC 5280 §4.2.1.6).
    extensions.push(extension(extensionId.alternativeNames, names, subject.length === 2));
  }
  return extensions;
}

const yes = derElement(derTag.boolean, Buffer.from([0xff]));
/** keyCertSign and cRLSign, bits 5 and 6; one bit of the byte is unused. */
const authorityUsage = derElement(derTag.bitString, Buffer.from([1, 0b0000_0110]));
/** digitalSignature, keyEncipherment, dataEncipherment: bits 0, 2, 3 (behaviour/certificates). */
const endUsage = derElement(derTag.bitString, Buffer.from([4, 0b1011_0000]));
/** 1.3.6.1.5.5.7.3.1 and 2. */
const usageIds = { serverAuth: '2b06010505070301', clientAuth: '2b06010505070302' } as const;

function authorityConstraints(pathLength: number): Buffer {
  return derSequence(yes, integer(Buffer.from([pathLength])));
}

function generalName({ type, value }: AlternativeName): Buffer {
  if (type === 'ip') return derElement(0x87, addressBytes(value));
  const tag = { email: 0x81, dns: 0x82, url: 0x86 }[type];
  return derElement(tag, Buffer.from(value, 'latin1'));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The WHATWG form has no dotted part; only `::` remains to be expanded.
  const { hostname } = new URL(`http://[${address}]`);
  const [before = '', after] = hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(before), groups(after ?? '')];
  const zeros = new Array<string>(8 - first.length - last.length).fill('0');
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...first, ...zeros, ...last].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), 2 * index);
  }
  return bytes;
}

function signatureAlgorithm(key: KeyObject): SignatureAlgorithm {
  if (key.asymmetricKeyType === 'rsa') {
    const none = Buffer.from('0500', 'hex');
    return { hash: 'sha256', id: derSequence(derObjectId('2a864886f70d01010b'), none) };
  }
  const found = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (found === undefined) {
    throw new PkiProblem(`A key of kind ${key.asymmetricKeyType} cannot sign certificates.`);
  }
  return { hash: found[0], id: derSequence(derObjectId(found[1])) };
}

/** Digests and ids of ECDSA (RFC 5758 §3.2). */
const curves: Readonly<Record<string, readonly [hash: string, id: string]>> = {
  prime256v1: ['sha256', '2a8648ce3d040302'],
  secp384r1: ['sha384', '2a8648ce3d040303'],
  secp521r1: ['sha512', '2a8648ce3d040304'],
};

function spkiOf(key: KeyObject): Buffer {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  return half.export({ type: 'spki', format: 'der' });
}

/** SHA-1 of the key's bits (RFC 5280 §4.2.1.2, method 1). */
function keyIdOf(spki: Buffer): Buffer {
  const reader = new DerReader(spki).enter(derTag.sequence);
  reader.next(derTag.sequence);
  return hash('sha1', bitStringBytes(reader.next(derTag.bitString)), 'buffer');
}

/** 16 bytes, positive and not zero (RFC 5280 §4.1.2.2). */
function serialNumber(random: Random): Buffer {
  const bytes = random.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return integer(bytes);
}

/** @param bytes big-endian, the first below 0x80 */
function integer(bytes: Buffer): Buffer {
  return derElement(derTag.integer, bytes);
}

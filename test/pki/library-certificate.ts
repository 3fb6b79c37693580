// Certificates by the X.509 library, for our own writer to be held against.

import 'reflect-metadata';
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { CertificateContent, CertifiedKey } from '../../src/pki/authority/issue.ts';
import type { Random } from '../../src/platform/ports.ts';

/** What a certificate shall say; its subject is an RFC 4514 name. */
export type LibraryContent = Omit<CertificateContent, 'commonName'> & { readonly subject: string };

/** Makes a certificate signed by `issuer`; `'self'` with the subject's own key makes a root. */
export async function libraryCertificate(
  content: LibraryContent,
  issuer: CertifiedKey | { readonly key: KeyObject; readonly certificate: 'self' },
  random: Random,
): Promise<X509Certificate> {
  const signing = signingAlgorithm(issuer.key);
  const subjectKey = new x509.PublicKey(spki(content.publicKey));
  const parent =
    issuer.certificate === 'self' ? undefined : new x509.X509Certificate(issuer.certificate.raw);
  const parentEndMs = parent?.notAfter.getTime() ?? Number.POSITIVE_INFINITY;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(random),
    subject: content.subject,
    issuer: parent?.subjectName ?? content.subject,
    notBefore: wholeSeconds(content.notBeforeMs),
    notAfter: wholeSeconds(Math.min(content.notAfterMs, parentEndMs)),
    publicKey: subjectKey,
    signingKey: issuer.key.toCryptoKey(signing, true, ['sign']),
    signingAlgorithm: signing,
    extensions: [
      ...usageExtensions(content),
      await x509.SubjectKeyIdentifierExtension.create(subjectKey),
      await authorityKeyIdentifier(parent ?? subjectKey),
      ...alternativeNames(content),
    ],
  });
  return new X509Certificate(Buffer.from(certificate.rawData));
}

x509.cryptoProvider.set(globalThis.crypto);

function usageExtensions({ use }: LibraryContent): x509.Extension[] {
  const { KeyUsageFlags } = x509;
  if (use.as === 'authority') {
    return [
      new x509.BasicConstraintsExtension(true, use.pathLength, true),
      new x509.KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ];
  }
  // The three bits OpenZiti sets for every end entity (behaviour/certificates#issued).
  const bits =
    KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment | KeyUsageFlags.dataEncipherment;
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(bits, true),
    new x509.ExtendedKeyUsageExtension(
      use.extendedUsages.map((usage) => x509.ExtendedKeyUsage[usage]),
    ),
  ];
}

function alternativeNames(content: LibraryContent): x509.Extension[] {
  if (content.alternativeNames.length === 0) return [];
  return [new x509.SubjectAlternativeNameExtension([...content.alternativeNames])];
}

/**
 * Taken over from the issuer's certificate where it has one: a foreign CA may count it in another
 * way.
 */
async function authorityKeyIdentifier(
  parent: x509.X509Certificate | x509.PublicKey,
): Promise<x509.Extension> {
  if (parent instanceof x509.PublicKey) {
    return x509.AuthorityKeyIdentifierExtension.create(parent);
  }
  const own = parent.getExtension(x509.SubjectKeyIdentifierExtension);
  if (own !== null) return new x509.AuthorityKeyIdentifierExtension(own.keyId);
  return x509.AuthorityKeyIdentifierExtension.create(parent.publicKey);
}

const curves: Readonly<Record<string, readonly [name: string, hash: string]>> = {
  prime256v1: ['P-256', 'SHA-256'],
  secp384r1: ['P-384', 'SHA-384'],
  secp521r1: ['P-521', 'SHA-512'],
};

function signingAlgorithm(key: KeyObject): { name: string; hash: string; namedCurve?: string } {
  if (key.asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (curve === undefined) {
    throw new RangeError(`a key of kind ${key.asymmetricKeyType} cannot sign certificates`);
  }
  return { name: 'ECDSA', namedCurve: curve[0], hash: curve[1] };
}

function spki(key: KeyObject): Buffer {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  return half.export({ type: 'spki', format: 'der' });
}

/** 16 bytes of hex, positive and not zero (RFC 5280 §4.1.2.2). */
function serialNumber(random: Random): string {
  const bytes = random.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

function wholeSeconds(timeMs: number): Date {
  return new Date(Math.trunc(timeMs / 1000) * 1000);
}

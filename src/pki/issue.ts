// Makes keys and certificates: the one place that loads the X.509 writer, and only when something
// must be issued.

import { createPublicKey, generateKeyPair, type KeyObject, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type * as x509 from '@peculiar/x509';
import type { Random } from '../ports.ts';
import { PkiProblem } from './problem.ts';

/** Values of `pki.keyType`. */
export const keyTypes = ['ec-p256', 'rsa-2048', 'rsa-4096'] as const;
/** The kind of the keys that are made for certificates; keys that are there stay as they are. */
export type KeyType = (typeof keyTypes)[number];

/** A key with its certificate. */
export interface CertifiedKey {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
}

/** Extended key usages, RFC 5280 §4.2.1.12. */
export type ExtendedUsage = 'serverAuth' | 'clientAuth';

/** A subject alternative name. */
export interface AlternativeName {
  readonly type: 'dns' | 'ip' | 'url' | 'email';
  readonly value: string;
}

/** What a certificate shall say. */
export interface CertificateContent {
  /** An RFC 4514 name, as `CN=…`. */
  readonly subject: string;
  /** The subject's key; of a private one the public half is taken. */
  readonly publicKey: KeyObject;
  readonly alternativeNames: readonly AlternativeName[];
  /** Wall-clock ms; cut to whole seconds, and never past the issuer's own end. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly use:
    | { readonly as: 'authority'; readonly pathLength: number }
    | { readonly as: 'end'; readonly extendedUsages: readonly ExtendedUsage[] };
}

const makeKeyPair = promisify(generateKeyPair);

/** A fresh private key. From OpenSSL, not from `Random`: no seed may ever determine a key. */
export async function makeKey(type: KeyType): Promise<KeyObject> {
  if (type === 'ec-p256') {
    return (await makeKeyPair('ec', { namedCurve: 'prime256v1' })).privateKey;
  }
  const modulusLength = type === 'rsa-2048' ? 2048 : 4096;
  return (await makeKeyPair('rsa', { modulusLength })).privateKey;
}

/**
 * Makes a certificate signed by `issuer`; `'self'` with the subject's own key makes a root.
 * @throws PkiProblem when the issuer's key cannot sign certificates.
 */
export async function issueCertificate(
  content: CertificateContent,
  issuer: CertifiedKey | { readonly key: KeyObject; readonly certificate: 'self' },
  random: Random,
): Promise<X509Certificate> {
  const writer = await loadWriter();
  const signing = signingAlgorithm(issuer.key);
  const subjectKey = new writer.PublicKey(spki(content.publicKey));
  const parent =
    issuer.certificate === 'self' ? undefined : new writer.X509Certificate(issuer.certificate.raw);
  const parentEndMs = parent?.notAfter.getTime() ?? Number.POSITIVE_INFINITY;
  const certificate = await writer.X509CertificateGenerator.create({
    serialNumber: serialNumber(random),
    subject: content.subject,
    issuer: parent?.subjectName ?? content.subject,
    notBefore: wholeSeconds(content.notBeforeMs),
    notAfter: wholeSeconds(Math.min(content.notAfterMs, parentEndMs)),
    publicKey: subjectKey,
    signingKey: issuer.key.toCryptoKey(signing, true, ['sign']),
    signingAlgorithm: signing,
    extensions: [
      ...usageExtensions(writer, content),
      await writer.SubjectKeyIdentifierExtension.create(subjectKey),
      await authorityKeyIdentifier(writer, parent ?? subjectKey),
      ...alternativeNames(writer, content),
    ],
  });
  return new X509Certificate(Buffer.from(certificate.rawData));
}

type Writer = typeof x509;

let writerLoading: Promise<Writer> | undefined;

/** The library costs some 150 ms to load, and an ordinary start issues nothing. */
function loadWriter(): Promise<Writer> {
  writerLoading ??= (async () => {
    await import('reflect-metadata');
    const writer = await import('@peculiar/x509');
    writer.cryptoProvider.set(globalThis.crypto);
    return writer;
  })();
  return writerLoading;
}

function usageExtensions(writer: Writer, { use }: CertificateContent): x509.Extension[] {
  const { KeyUsageFlags } = writer;
  if (use.as === 'authority') {
    return [
      new writer.BasicConstraintsExtension(true, use.pathLength, true),
      new writer.KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ];
  }
  // The three bits OpenZiti sets for every end entity (behaviour §6.4).
  const bits =
    KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment | KeyUsageFlags.dataEncipherment;
  return [
    new writer.BasicConstraintsExtension(false, undefined, true),
    new writer.KeyUsagesExtension(bits, true),
    new writer.ExtendedKeyUsageExtension(
      use.extendedUsages.map((usage) => writer.ExtendedKeyUsage[usage]),
    ),
  ];
}

function alternativeNames(writer: Writer, content: CertificateContent): x509.Extension[] {
  if (content.alternativeNames.length === 0) return [];
  return [new writer.SubjectAlternativeNameExtension([...content.alternativeNames])];
}

/**
 * Taken over from the issuer's certificate where it has one: a foreign CA may count it in another
 * way.
 */
async function authorityKeyIdentifier(
  writer: Writer,
  parent: x509.X509Certificate | x509.PublicKey,
): Promise<x509.Extension> {
  if (parent instanceof writer.PublicKey) {
    return writer.AuthorityKeyIdentifierExtension.create(parent);
  }
  const own = parent.getExtension(writer.SubjectKeyIdentifierExtension);
  if (own !== null) return new writer.AuthorityKeyIdentifierExtension(own.keyId);
  return writer.AuthorityKeyIdentifierExtension.create(parent.publicKey);
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
    throw new PkiProblem(`A key of kind ${key.asymmetricKeyType} cannot sign certificates.`);
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

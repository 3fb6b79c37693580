// Server certificates of another authority with their keys, in the forms in which authorities send
// them.

import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import forge from 'node-forge';
import { type KeyType, makeKey } from '../../src/pki/authority/issue.ts';
import { keyToPem } from '../../src/pki/x509/pem.ts';
import { startMs } from './context.ts';
import { type LibraryContent, libraryCertificate } from './library-certificate.ts';

/** A root, an intermediate below it, and a server below that. */
export interface ForeignPair {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
  readonly intermediate: X509Certificate;
  readonly root: X509Certificate;
  /** Signs further certificates. */
  readonly intermediateKey: KeyObject;
}

const dayMs = 86_400_000;

const seeded = {
  bytes: (length: number) => createHash('shake256', { outputLength: length }).update('x').digest(),
};

/** Makes a pair that serves `edge.example.com`, but for what is changed. */
export async function foreignPair(
  keyType: KeyType = 'ec-p256',
  changes: Partial<LibraryContent> = {},
): Promise<ForeignPair> {
  const [rootKey, intermediateKey, key] = await Promise.all([
    makeKey(keyType),
    makeKey(keyType),
    makeKey(keyType),
  ]);
  const authority = (subject: string, publicKey: KeyObject, pathLength: number) => ({
    subject,
    publicKey,
    alternativeNames: [],
    notBeforeMs: startMs - dayMs,
    notAfterMs: startMs + 1000 * dayMs,
    use: { as: 'authority' as const, pathLength },
  });
  const root = await libraryCertificate(
    authority('CN=Foreign Root', rootKey, 1),
    { key: rootKey, certificate: 'self' },
    seeded,
  );
  const intermediate = await libraryCertificate(
    authority('CN=Foreign Intermediate', intermediateKey, 0),
    { key: rootKey, certificate: root },
    seeded,
  );
  const certificate = await libraryCertificate(
    { ...serverContent(key), ...changes },
    { key: intermediateKey, certificate: intermediate },
    seeded,
  );
  return { key, certificate, intermediate, root, intermediateKey };
}

/** A certificate that the intermediate of a pair signs. */
export function issuedBeside(
  { key, intermediate, intermediateKey }: ForeignPair,
  changes: Partial<LibraryContent>,
): Promise<X509Certificate> {
  const issuer = { key: intermediateKey, certificate: intermediate };
  return libraryCertificate({ ...serverContent(key), ...changes }, issuer, seeded);
}

/** A certificate that signs itself. */
export function selfSigned(
  key: KeyObject,
  changes: Partial<LibraryContent> = {},
): Promise<X509Certificate> {
  const issuer = { key, certificate: 'self' } as const;
  return libraryCertificate({ ...serverContent(key), ...changes }, issuer, seeded);
}

function serverContent(publicKey: KeyObject): LibraryContent {
  return {
    subject: 'CN=edge.example.com',
    publicKey,
    alternativeNames: [{ type: 'dns', value: 'edge.example.com' }],
    notBeforeMs: startMs - dayMs,
    notAfterMs: startMs + 300 * dayMs,
    use: { as: 'end', extendedUsages: ['serverAuth'] },
  };
}

/** PKCS#12 by node-forge, which writes RSA only. */
export function forgePkcs12(
  { key, certificate, intermediate, root }: ForeignPair,
  password: string | null,
  options: Parameters<typeof forge.pkcs12.toPkcs12Asn1>[3] = {},
): Buffer {
  const pems = [certificate, intermediate, root].map((one) =>
    forge.pki.certificateFromPem(`${one}`),
  );
  const forgeKey = forge.pki.privateKeyFromPem(keyToPem(key));
  const pfx = forge.pkcs12.toPkcs12Asn1(forgeKey, pems, password, { count: 8, ...options });
  return bytesOf(pfx);
}

/** DER of an element of node-forge. */
export function bytesOf(element: forge.asn1.Asn1): Buffer {
  return Buffer.from(forge.asn1.toDer(element).getBytes(), 'latin1');
}

/** The children of an element of node-forge. */
export function childrenOf({ value }: forge.asn1.Asn1): forge.asn1.Asn1[] {
  if (typeof value === 'string') throw new Error('an element without children');
  return value;
}

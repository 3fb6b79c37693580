// Throwaway certificates for tests of the transport: EC P-256 unless another curve is asked for,
// made in memory.

import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

/** A certificate with its key, PEM, and what signs with it. */
export interface Issued {
  readonly name: string;
  readonly certificate: string;
  readonly der: Buffer;
  readonly key: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

let serial = 1;

/** Issues a certificate; without `issuer` it signs itself. `expired` ended a day ago. */
export async function issue(
  name: string,
  options: {
    issuer?: Issued;
    authority?: boolean;
    expired?: boolean;
    padding?: number;
    namedCurve?: 'P-256' | 'P-384' | 'P-521';
  } = {},
): Promise<Issued> {
  const { issuer, authority = false, expired = false, padding = 0, namedCurve = 'P-256' } = options;
  const algorithm = { name: 'ECDSA', namedCurve, hash: 'SHA-256' } as const;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const day = 86_400_000;
  const extensions: x509.Extension[] = [
    new x509.BasicConstraintsExtension(authority, undefined, true),
    new x509.SubjectAlternativeNameExtension([
      { type: 'dns', value: 'localhost' },
      { type: 'ip', value: '127.0.0.1' },
    ]),
  ];
  if (padding > 0) {
    extensions.push(new x509.Extension('1.3.6.1.4.1.99999.1', false, new Uint8Array(padding)));
  }
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: (serial++).toString(16).padStart(4, '0'),
    subject: `CN=${name}`,
    issuer: `CN=${issuer?.name ?? name}`,
    notBefore: new Date(Date.now() - 10 * day),
    notAfter: new Date(Date.now() + (expired ? -1 : 10) * day),
    publicKey: keys.publicKey,
    signingKey: (issuer ?? { keys }).keys.privateKey,
    signingAlgorithm: algorithm,
    extensions,
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const base64 = pkcs8.toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`;
  return {
    name,
    certificate: `${certificate.toString('pem')}\n`,
    der: Buffer.from(certificate.rawData),
    key,
    keys,
  };
}

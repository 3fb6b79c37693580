// Certificates of third parties, as tests name them: real keys and signatures, dates of the
// simulated clock.

import { KeyObject, type X509Certificate } from 'node:crypto';
import {
  type CertificateContent,
  type ExtendedUsage,
  issueCertificate,
  type KeyType,
  makeKey,
} from '../../src/pki/authority/issue.ts';
import { fingerprint } from '../../src/pki/x509/pem.ts';
import { SimulatedRandom } from './random.ts';

/** What a test wants a certificate to be. */
export interface Wanted {
  /** Common name of the subject. */
  readonly name: string;
  /** A CA that may sign others, or an end entity. */
  readonly as: 'authority' | 'end';
  readonly keyType: KeyType;
  /** What signs it; it signs itself when absent. */
  readonly issuer?: Made;
  /** Wall-clock ms within its dates. */
  readonly nowMs: number;
  /** Its end was a day ago. */
  readonly isExpired?: boolean;
  /** It begins in two days. */
  readonly isFuture?: boolean;
  /** For clients when absent. */
  readonly usages?: readonly ExtendedUsage[];
  /** None when absent. */
  readonly alternativeNames?: CertificateContent['alternativeNames'];
}

/** A certificate with its key. */
export interface Made {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
  readonly pem: string;
  /** SHA-1 of the DER in lower-case hex (behaviour/login#fingerprints). */
  readonly fingerprint: string;
}

const dayMs = 86_400_000;

/** Makes a certificate. Keys come from OpenSSL, so no two runs make the same. */
export async function makeCertificate(wanted: Wanted): Promise<Made> {
  const { name, as, keyType, issuer, nowMs } = wanted;
  const { isExpired = false, isFuture = false } = wanted;
  const key = await makeKey(keyType);
  const certificate = issueCertificate(
    {
      commonName: name,
      publicKey: key,
      alternativeNames: wanted.alternativeNames ?? [],
      notBeforeMs: nowMs + (isFuture ? 2 : -10) * dayMs,
      notAfterMs: nowMs + (isExpired ? -dayMs : 3650 * dayMs),
      use:
        as === 'authority'
          ? { as: 'authority', pathLength: 2 }
          : { as: 'end', extendedUsages: wanted.usages ?? ['clientAuth'] },
    },
    issuer ?? { key, certificate: 'self' },
    new SimulatedRandom(name),
  );
  return { key, certificate, pem: certificate.toString(), fingerprint: fingerprint(certificate) };
}

/** A certificate request in PEM for a common name, with a new key that nobody keeps. */
export async function makeRequest(commonName: string): Promise<string> {
  return (await makeKeptRequest(commonName)).request;
}

/** A certificate request for a common name, and its new key, both in PEM. */
export async function makeKeptRequest(
  commonName: string,
): Promise<{ readonly request: string; readonly key: string }> {
  await import('reflect-metadata');
  const { Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: algorithm,
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { request: request.toString('pem'), key: key.toString() };
}

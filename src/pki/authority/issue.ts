// Creates keys, and the certificates of our own CAs and servers.

import { generateKeyPair, type KeyObject, type X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '../../platform/ports.ts';
import {
  certificateSigner,
  commonNameOnly,
  selfSigner,
  writeCertificate,
} from '../x509/certificate-writer.ts';

/** Values of `pki.keyType`: the kind of new keys for certificates; existing keys stay unchanged. */
export type KeyType = 'ec-p256' | 'rsa-2048' | 'rsa-4096';

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

/** The content of a certificate. */
export interface CertificateContent {
  /** The only part of the subject. */
  readonly commonName: string;
  /** The subject's key; of a private key the public half is used. */
  readonly publicKey: KeyObject;
  readonly alternativeNames: readonly AlternativeName[];
  /** Wall-clock ms; rounded down to whole seconds, and never after the issuer's own expiry. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly use:
    | { readonly as: 'authority'; readonly pathLength: number }
    | { readonly as: 'end'; readonly extendedUsages: readonly ExtendedUsage[] };
}

const makeKeyPair = promisify(generateKeyPair);

/**
 * A fresh private key. It comes from OpenSSL and not from `Random`, because no seed may ever
 * determine a key.
 */
export async function makeKey(type: KeyType): Promise<KeyObject> {
  if (type === 'ec-p256') {
    return (await makeKeyPair('ec', { namedCurve: 'prime256v1' })).privateKey;
  }
  const modulusLength = type === 'rsa-2048' ? 2048 : 4096;
  return (await makeKeyPair('rsa', { modulusLength })).privateKey;
}

/**
 * Creates a certificate signed by `issuer`; `'self'` with the subject's own key creates a root.
 * @throws PkiProblem when the issuer's key cannot sign certificates.
 */
export function issueCertificate(
  { commonName, ...text }: CertificateContent,
  issuer: CertifiedKey | { readonly key: KeyObject; readonly certificate: 'self' },
  random: Random,
): X509Certificate {
  const subject = commonNameOnly(commonName);
  const { key, certificate } = issuer;
  const signer =
    certificate === 'self' ? selfSigner(key, subject) : certificateSigner({ key, certificate });
  return writeCertificate({ ...text, subject }, signer, random);
}

// Fingerprints of CAs, which a person compares on two machines.

import { X509Certificate } from 'node:crypto';

/** `SHA256:` and the digest of a certificate in hexadecimal digits. */
export function fingerprintOf(certificate: X509Certificate): string {
  return `SHA256:${certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`;
}

/** A fingerprint in groups of four digits, which people can compare. */
export function groupedFingerprint(certificate: X509Certificate): string {
  const digits = fingerprintOf(certificate).slice('SHA256:'.length);
  return `SHA256:${(digits.match(/.{1,4}/g) ?? []).join(' ')}`;
}

/** `SHA256:4f1c90ab…73fe` of each certificate of a PEM. */
export function shortFingerprints(ca: string): string[] {
  return certificatesIn(ca).map((one) => {
    const digits = fingerprintOf(one).slice('SHA256:'.length);
    return `SHA256:${digits.slice(0, 8)}…${digits.slice(-4)}`;
  });
}

/** The certificates of a PEM. @throws Error for one that is damaged */
export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/** Whether a certificate is signed by its own key. */
export function isRoot(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);
}

/**
 * The roots that clients of a home trust, whose fingerprints a first login shows.
 * @param read the text of a file
 * @returns none while the file is not there, or cannot be read
 */
export function rootsOfHome(caFile: string, read: (path: string) => string): X509Certificate[] {
  try {
    return certificatesIn(read(caFile)).filter(isRoot);
  } catch {
    // A start says what is wrong with it.
    return [];
  }
}

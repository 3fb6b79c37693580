// Reads keys and certificates from PEM text, and checks how they belong together.

import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { PkiProblem } from '../problem.ts';

/**
 * The certificates of a PEM text, in its order; text between them is skipped.
 * @throws PkiProblem when there is none, or one cannot be read.
 */
export function parseCertificates(
  pem: string,
  label: string,
): [X509Certificate, ...X509Certificate[]] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const [leaf, ...others] = blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new PkiProblem(`${label}: certificate ${index + 1} of ${blocks.length} is damaged.`, {
        cause: error,
      });
    }
  });
  if (leaf === undefined) throw new PkiProblem(`${label}: there is no PEM certificate in it.`);
  return [leaf, ...others];
}

/**
 * The private key of a PEM text.
 * @throws PkiProblem when there is none, it has a passphrase, or is of a kind that cannot sign a
 *   JWT.
 */
export function parsePrivateKey(pem: string, label: string): KeyObject {
  if (/ENCRYPTED/.test(pem)) {
    throw new PkiProblem(`${label}: the key has a passphrase; store it without one.`);
  }
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw new PkiProblem(`${label}: there is no readable PEM private key in it.`, { cause: error });
  }
  if (key.asymmetricKeyType !== 'ec' && key.asymmetricKeyType !== 'rsa') {
    const kind = key.asymmetricKeyType;
    throw new PkiProblem(`${label}: a key of kind ${kind} cannot be used, only EC and RSA keys.`);
  }
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (curve !== undefined && !['prime256v1', 'secp384r1', 'secp521r1'].includes(curve)) {
    throw new PkiProblem(`${label}: the curve ${curve} cannot be used, only P-256, P-384, P-521.`);
  }
  return key;
}

/** @throws PkiProblem when `key` is not the private key of `certificate`. */
export function requireKeyOf(
  certificate: X509Certificate,
  key: KeyObject,
  certificateLabel: string,
  keyLabel: string,
): void {
  if (certificate.checkPrivateKey(key)) return;
  throw new PkiProblem(`${keyLabel} is not the private key of ${certificateLabel}.`);
}

/**
 * The path from `leaf` over any of `intermediates` up to the highest one that is, or was issued by,
 * one of `anchors`: the leaf first, roots left out, so empty for a root. Undefined when there is no
 * path. An anchor need not be a root. What is above the highest one is left out, because nothing
 * says that it is to be trusted. Dates and lengths of paths are not checked: whoever is shown the
 * chain does that, and so does `pathToAnchor` where we trust its members.
 */
export function chainTo(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
): X509Certificate[] | undefined {
  const path = [leaf];
  const unused = new Set(intermediates);
  for (let last = leaf; ; ) {
    const next = [...unused].find((candidate) => isIssuedBy(last, candidate));
    if (next === undefined) break;
    unused.delete(next);
    path.push(next);
    last = next;
  }
  const highest = path.findLastIndex((member) => isVouchedFor(member, anchors));
  if (highest < 0) return undefined;
  return path.slice(0, highest + 1).filter((member) => !isRoot(member));
}

function isVouchedFor(member: X509Certificate, anchors: readonly X509Certificate[]): boolean {
  return anchors.some(
    (anchor) => anchor.fingerprint256 === member.fingerprint256 || isIssuedBy(member, anchor),
  );
}

/** Whether a certificate is self-signed. */
export function isRoot(certificate: X509Certificate): boolean {
  return isIssuedBy(certificate, certificate);
}

/** Whether the names match and the signature is valid. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Certificates as one PEM text in the given order. */
export function toPem(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join('');
}

/** A private key as PKCS #8 in PEM. */
export function keyToPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * SHA-1 of the DER as 40 lower-case hex digits: how clients and records name a certificate
 * (behaviour/login#certificates).
 */
export function fingerprint(certificate: X509Certificate): string {
  return certificate.fingerprint.replaceAll(':', '').toLowerCase();
}

/**
 * SHA-256 of a public key's DER (SubjectPublicKeyInfo) in lower-case hex, which shows whether a new
 * certificate has another key.
 */
export function publicKeyFingerprint(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex');
}

/** The same for the first certificate of a PEM text; undefined if there is none. */
export function publicKeyFingerprintIn(pem: unknown): string | undefined {
  if (typeof pem !== 'string') return undefined;
  try {
    return publicKeyFingerprint(new X509Certificate(pem).publicKey);
  } catch {
    return undefined;
  }
}

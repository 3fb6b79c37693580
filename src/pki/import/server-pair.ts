// Chooses the pair that serves TLS among keys and certificates that are in no order, and says why
// there is none.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { isLoopback } from '../../settings/setting-type.ts';
import { uncovered } from '../authority/server-names.ts';
import { PkiProblem } from '../problem.ts';
import { keyProblem } from '../x509/algorithms.ts';
import { Certificate } from '../x509/certificate.ts';
import { isInDate, subjectText } from '../x509/certificate-text.ts';
import { chainTo, isIssuedBy, keyToPem, parsePrivateKey } from '../x509/pem.ts';
import type { KeyMaterial } from './key-material.ts';

/** A key with the certificates that TLS presents for it. */
export interface ServerPair {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
  /** `certificate` first, then each issuer; without the CA, unless the certificate is its own. */
  readonly chain: readonly X509Certificate[];
  /** The CA by which clients trust it. */
  readonly authority: X509Certificate;
  /** Advertised hosts that it does not name; all of them are loopback ones. */
  readonly unnamedHosts: readonly string[];
}

/** What to choose from, and for whom. */
export interface PairSearch {
  /** What messages call the files. */
  readonly name: string;
  readonly material: KeyMaterial;
  /** The CAs that the chain may end at, the preferred first. */
  readonly authorities: readonly X509Certificate[];
  /** What to do if it ends at none of them, as the end of a sentence. */
  readonly advice: string;
  /** The advertised host of the API, and that of the control channel where it is another one. */
  readonly host: string;
  readonly controlHost: string | undefined;
  /** Wall-clock ms. */
  readonly nowMs: number;
}

/**
 * Chooses the pair. Of several certificates for the key it is the one that is valid longest.
 * @throws PkiProblem with the reason why none can serve
 */
export function serverPair(search: PairSearch): ServerPair {
  const key = onlyKey(search);
  const certificate = certificateOf(key, search);
  refuseUse(certificate);
  const { chain, authority } = chainOf(certificate, search);
  for (const member of [certificate, ...chain, authority]) refuseDate(member, search.nowMs);
  const unnamedHosts = uncovered(certificate, search);
  const demanded = unnamedHosts.filter((host) => !isLoopback(host));
  if (demanded.length > 0) {
    const { subjectAltName: names = 'no host' } = certificate;
    throw new PkiProblem(
      `The certificate ${shown(certificate)} does not name the advertised host ${demanded.join(', ')}: it names ${names}.`,
    );
  }
  return { key, certificate, chain, authority, unnamedHosts };
}

function onlyKey({ name, material: { keys } }: PairSearch): KeyObject {
  const [key, ...others] = keys;
  if (key === undefined) {
    throw new PkiProblem(`There is no private key in ${name}: name its file by --key.`);
  }
  if (others.some((other) => !other.equals(key))) {
    throw new PkiProblem(
      `There are several private keys in ${name}: leave only the one that is to serve.`,
    );
  }
  return parsePrivateKey(keyToPem(key), name);
}

function certificateOf(key: KeyObject, { name, material }: PairSearch): X509Certificate {
  const { certificates } = material;
  if (certificates.length === 0) throw new PkiProblem(`There is no certificate in ${name}.`);
  if (certificates.length > searchedCertificatesMax) {
    throw new PkiProblem(`There are more than ${searchedCertificatesMax} certificates in ${name}.`);
  }
  const [certificate] = certificates
    .filter((one) => one.checkPrivateKey(key))
    .sort((a, b) => b.validToDate.getTime() - a.validToDate.getTime());
  if (certificate !== undefined) return certificate;
  throw new PkiProblem(`The private key in ${name} belongs to none of the certificates there.`);
}

/**
 * Certificates that are searched for a chain. A bundle of all public CAs has some 150, and a search
 * among certificates that all have one name takes the square of their number. @bound
 */
const searchedCertificatesMax = 500;

function refuseUse(certificate: X509Certificate): void {
  const problem = keyProblem(certificate.publicKey) ?? usageProblem(certificate);
  if (problem === undefined) return;
  throw new PkiProblem(`The certificate ${shown(certificate)} cannot serve TLS: ${problem}.`);
}

function usageProblem(certificate: X509Certificate): string | undefined {
  // Node gives the extended key usages by this name.
  const { keyUsage: usages } = certificate;
  if (usages !== undefined && !usages.some((id) => id === serverUse || id === anyUse)) {
    return 'its extended key usage does not name TLS servers';
  }
  const { signsHandshakes } = new Certificate(certificate.raw);
  return signsHandshakes ? undefined : 'its key usage permits no signatures in handshakes';
}

/** `id-kp-serverAuth` and `anyExtendedKeyUsage` (RFC 5280 §4.2.1.12). */
const serverUse = '1.3.6.1.5.5.7.3.1';
const anyUse = '2.5.29.37.0';

function chainOf(
  certificate: X509Certificate,
  { material, authorities, advice }: PairSearch,
): Pick<ServerPair, 'chain' | 'authority'> {
  const roots = authorities.filter((one) => isIssuedBy(one, one));
  // A root may be there a second time, signed by another one: the way up must not pass it.
  const between = material.certificates.filter(
    (one) => !one.raw.equals(certificate.raw) && !roots.some((root) => isSameAuthority(one, root)),
  );
  const climbed = chainTo(certificate, between, [certificate, ...between]) ?? [];
  const top = climbed.at(-1) ?? certificate;
  const authority = authorities.find((one) => one.raw.equals(top.raw) || isIssuedBy(top, one));
  if (authority !== undefined) {
    return { chain: climbed.length === 0 ? [certificate] : climbed, authority };
  }
  const issuer = subjectText({ subject: top.issuer });
  throw new PkiProblem(
    top.subject === top.issuer
      ? `The certificate ${shown(top)} signs itself and is not that of a CA, so clients cannot trust it.`
      : `The CA ${issuer}, which issued ${shown(top)}, is missing: ${advice}.`,
  );
}

function isSameAuthority(one: X509Certificate, other: X509Certificate): boolean {
  return one.subject === other.subject && one.publicKey.equals(other.publicKey);
}

function refuseDate(certificate: X509Certificate, nowMs: number): void {
  if (isInDate(certificate, nowMs)) return;
  const { validFromDate, validToDate } = certificate;
  const reason =
    validToDate.getTime() < nowMs
      ? `ended on ${validToDate.toISOString()}`
      : `is valid only from ${validFromDate.toISOString()} on`;
  throw new PkiProblem(`The certificate ${shown(certificate)} ${reason}.`);
}

/** What messages call a certificate: its subject, which may be empty, or its alternative names. */
export function shown(certificate: X509Certificate): string {
  return subjectText(certificate) || (certificate.subjectAltName ?? 'without a name');
}

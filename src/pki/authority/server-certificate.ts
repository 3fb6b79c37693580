// The certificate that the API is served with: the user's, or our own, which is renewed before it
// expires.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { PkiProblem } from '../problem.ts';
import {
  chainTo,
  keyToPem,
  parseCertificates,
  parsePrivateKey,
  requireKeyOf,
  toPem,
} from '../x509/pem.ts';
import { readText, replaceText } from './files.ts';
import { type CertifiedKey, issueCertificate, makeKey } from './issue.ts';
import { backdatingMs } from './own-ca.ts';
import { serverNames, uncovered } from './server-names.ts';
import type { PairPaths, PkiContext } from './settings.ts';

/** A key, its certificate, and the certificates up to the root, which is left out. */
export interface ChainedKey extends CertifiedKey {
  /** `certificate` first; empty for an issuer that is the root itself. */
  readonly chain: readonly X509Certificate[];
}

const dayMs = 24 * 3600 * 1000;
const serverLifetimeMs = 365 * dayMs;
/** A new certificate is issued this long before the old one expires. */
const renewalMs = 30 * dayMs;

/**
 * The pair that a user supplied.
 * @throws PkiProblem when a file is unreadable, the key does not match, or no CA of `anchors`
 *   issued it.
 */
export function loadSupplied(
  context: PkiContext,
  paths: PairPaths,
  kind: 'server' | 'issuer',
  anchors: readonly X509Certificate[],
): ChainedKey {
  const certificateLabel = `pki.${kind}Cert`;
  const keyLabel = `pki.${kind}Key`;
  const pem = readText(context.disk, paths.certificate, certificateLabel);
  const [certificate, ...others] = parseCertificates(pem, certificateLabel);
  const key = parsePrivateKey(readText(context.disk, paths.key, keyLabel), keyLabel);
  requireKeyOf(certificate, key, certificateLabel, keyLabel);
  if (kind === 'issuer' && !certificate.ca) {
    throw new PkiProblem(`${certificateLabel} is not the certificate of a CA.`);
  }
  const chain = chainTo(certificate, others, anchors);
  if (chain === undefined) {
    throw new PkiProblem(`${certificateLabel} does not lead to a certificate in pki.ca.`);
  }
  // TLS presents the certificate itself, also where clients know it as their root.
  const isShownAlone = kind === 'server' && chain.length === 0;
  return { key, certificate, chain: isShownAlone ? [certificate] : chain };
}

/**
 * Our own server certificate: from the home, or created. It is renewed with the same key and names
 * when it expires soon, lacks an advertised host or comes from another CA. The key stays, because
 * outstanding enrollment JWTs are checked against it (behaviour/enrollment#jwt).
 * @throws PkiProblem when files of it are damaged or don't belong together.
 */
export async function openOwnServer(
  context: PkiContext,
  issuer: ChainedKey,
  anchors: readonly X509Certificate[],
): Promise<ChainedKey> {
  const { disk, directory } = context;
  const certificatePath = join(directory, 'server.pem');
  const keyPath = join(directory, 'server.key');
  let key: KeyObject | undefined;
  let former: X509Certificate | undefined;
  if (disk.exists(keyPath)) {
    key = parsePrivateKey(readText(disk, keyPath, 'server.key'), 'server.key');
  }
  if (disk.exists(certificatePath)) {
    const pem = readText(disk, certificatePath, 'server.pem');
    const [certificate, ...others] = parseCertificates(pem, 'server.pem');
    if (key === undefined) throw new PkiProblem(`server.key is missing in ${directory}.`);
    requireKeyOf(certificate, key, 'server.pem', 'server.key');
    const chain = chainTo(certificate, others, anchors);
    const isFit = uncovered(certificate, context).length === 0 && !endsSoon(certificate, context);
    if (chain !== undefined && isFit) return { key, certificate, chain };
    former = certificate;
  }
  if (key === undefined) {
    key = await makeKey(context.settings.keyType);
    replaceText(disk, keyPath, keyToPem(key));
  }
  const certificate = issueServer(context, key, { issuer, former });
  const chain = [certificate, ...issuer.chain];
  replaceText(disk, certificatePath, toPem(chain));
  return { key, certificate, chain };
}

/** Warnings for the operator about the certificates in use; empty when all is well. */
export function noticesOf(
  server: X509Certificate,
  issuer: X509Certificate,
  context: PkiContext,
): string[] {
  const notices: string[] = [];
  if (endsSoon(server, context)) {
    notices.push(`The server certificate is valid until ${isoTime(server.validTo)}.`);
  }
  for (const host of uncovered(server, context)) {
    notices.push(`The server certificate does not name the advertised host ${host}.`);
  }
  if (endsSoon(issuer, context)) {
    notices.push(`The certificate of the issuing CA is valid until ${isoTime(issuer.validTo)}.`);
  }
  return notices;
}

function endsSoon(certificate: X509Certificate, { clock }: PkiContext): boolean {
  return Date.parse(certificate.validTo) - clock.now() < renewalMs;
}

function isoTime(time: string): string {
  return new Date(time).toISOString();
}

function issueServer(
  context: PkiContext,
  key: KeyObject,
  {
    issuer,
    former,
  }: { readonly issuer: CertifiedKey; readonly former: X509Certificate | undefined },
): X509Certificate {
  const nowMs = context.clock.now();
  return issueCertificate(
    {
      commonName: 'Edge Control',
      publicKey: key,
      alternativeNames: serverNames(context, former),
      notBeforeMs: nowMs - backdatingMs,
      notAfterMs: nowMs + serverLifetimeMs,
      use: { as: 'end', extendedUsages: ['serverAuth'] },
    },
    issuer,
    context.random,
  );
}

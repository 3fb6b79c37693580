// The CAs of a network: by which its members trust the controller, and it trusts them.

import type { X509Certificate } from 'node:crypto';
import { shown } from '../../pki/import/server-pair.ts';
import { keyProblem } from '../../pki/x509/algorithms.ts';
import { Certificate } from '../../pki/x509/certificate.ts';
import { DerProblem } from '../../pki/x509/der.ts';
import type { Findings } from '../configuration/findings.ts';
import { type KeySource, sourceName } from '../configuration/key-source.ts';
import type { PeerConfiguration } from '../configuration/peer-configuration.ts';
import { above, isSame } from './certificate-chain.ts';
import { dateProblem } from './date-notices.ts';
import { attempt, certificatesOf, type ReadFile } from './key-files.ts';

/** What CAs are read with. */
export interface AuthorityContext {
  readonly readFile: ReadFile;
  readonly findings: Findings;
  readonly nowMs: number;
}

/**
 * The union of all CAs that the configuration names, roots and intermediates, each of them once, in
 * the order of the file.
 */
export function networkAuthorities(
  { identity, listenerIdentities, signing, signingCa }: PeerConfiguration,
  context: AuthorityContext,
): X509Certificate[] {
  const union: X509Certificate[] = [];
  const bundles = [identity, ...listenerIdentities].map((one) => one?.ca);
  // A module that holds the signing certificate was told of with its key.
  const signer = signing.certificate?.from === 'module' ? undefined : signing.certificate;
  const { findings, readFile } = context;
  for (const source of [...bundles, signer, signingCa]) {
    if (source === undefined) continue;
    const found = attempt(
      () => certificatesOf(source, readFile),
      (sentence) => findings.refuse(sentence),
    );
    for (const one of found ?? []) {
      if (union.some((known) => isSame(known, one))) continue;
      if (isUsable(one, source, context)) union.push(one);
    }
  }
  return union;
}

/** Whether a certificate can judge others; whatever is wrong with it is told. */
function isUsable(
  certificate: X509Certificate,
  source: KeySource,
  { findings, nowMs }: AuthorityContext,
): boolean {
  const name = `${sourceName(source)}: the certificate ${shown(certificate)}`;
  if (!certificate.ca) {
    findings.notice(`${name} is not that of a CA, so it is no part of the bundle of CAs.`);
    return false;
  }
  let pathLength: Certificate['pathLength'];
  try {
    ({ pathLength } = new Certificate(certificate.raw));
  } catch (error) {
    if (!(error instanceof DerProblem)) throw error;
    findings.notice(`${name} cannot be used, so it is no part of the bundle: ${error.message}.`);
    return false;
  }
  const problem = keyProblem(certificate.publicKey);
  if (problem !== undefined) {
    findings.notice(`${name} is too weak: ${problem}. What it signed is not accepted.`);
  }
  if (pathLength === 'none') {
    findings.notice(`${name} limits names or usages, so what it signed is not accepted.`);
  }
  const dates = dateProblem(certificate, sourceName(source), nowMs);
  if (dates !== undefined) findings.notice(`${dates}: nothing that it signs can be valid longer.`);
  return true;
}

/** The certificates that decide which CAs a network needs. */
export interface LeavesOfNetwork {
  /** Of the controller and of its signing CA, with those that stand beside them. */
  readonly own: readonly X509Certificate[];
  /** For browsers, with those that stand beside them. */
  readonly forBrowsers: readonly X509Certificate[];
}

/**
 * The union without the CAs of public certificates. Client certificates are judged by all that
 * remain, and a public CA would vouch for anybody.
 */
export function withoutPublicAuthorities(
  union: readonly X509Certificate[],
  { own, forBrowsers }: LeavesOfNetwork,
  findings: Findings,
): X509Certificate[] {
  const needed = above(own, [...union, ...own]);
  const publicOnes = above(forBrowsers, [...union, ...forBrowsers]);
  return union.filter((one) => {
    const { fingerprint256: print } = one;
    if (needed.has(print) || !publicOnes.has(print)) return true;
    findings.notice(
      `The CA ${shown(one)} issues a certificate of alt_server_certs alone, so it is no part of the bundle: client certificates are judged by the bundle, too.`,
    );
    return false;
  });
}

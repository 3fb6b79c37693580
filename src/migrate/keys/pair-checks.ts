// What is wrong with the pairs of a network, or will be soon.

import type { X509Certificate } from 'node:crypto';
import { uncovered } from '../../pki/authority/server-names.ts';
import { shown } from '../../pki/import/server-pair.ts';
import { keyProblem } from '../../pki/x509/algorithms.ts';
import type { Findings } from '../configuration/findings.ts';
import type { AuthorityContext } from './authorities.ts';
import { above, anchored, climb, isSame } from './certificate-chain.ts';
import { dateProblem } from './date-notices.ts';
import { attempt } from './key-files.ts';
import type { Material, ReadPair } from './pairs.ts';

/** Checks what signs the certificates of identities and routers. */
export function checkIssuer(
  issuer: ReadPair | undefined,
  { findings, nowMs }: AuthorityContext,
): void {
  if (issuer === undefined) return;
  const { certificate, place } = issuer;
  const name = `${place}: the certificate ${shown(certificate)}`;
  if (!certificate.ca) findings.refuse(`${name} is not that of a CA, so it cannot sign others.`);
  const weakness = keyProblem(certificate.publicKey);
  if (weakness !== undefined) findings.refuse(`${name} cannot sign others: ${weakness}.`);
  const dates = dateProblem(certificate, place, nowMs);
  if (dates !== undefined) findings.notice(`${dates}, and no certificate that it signs is longer.`);
}

/** Checks what is served. @param hosts that clients and routers are given */
export function checkServer(
  material: Material,
  hosts: { readonly host: string; readonly controlHost: string | undefined },
  { findings, nowMs }: AuthorityContext,
): void {
  const { server, issuer, authorities, pool } = material;
  if (server === undefined) return;
  const { certificate, place } = server;
  const name = `${place}: the certificate ${shown(certificate)}`;
  const weakness = keyProblem(certificate.publicKey);
  if (weakness !== undefined) {
    findings.refuse(`${name} cannot serve TLS: ${weakness}. Replace it at the network as it is.`);
  }
  const next =
    issuer === undefined
      ? 'replace it with edge-control pki import'
      : 'the first start replaces it by one for the same key, which the signing CA issues';
  const refuse = (sentence: string) => findings.refuse(sentence);
  for (const host of attempt(() => uncovered(certificate, hosts), refuse) ?? []) {
    findings.notice(`${name} does not name the advertised host ${host}: ${next}.`);
  }
  const dates = dateProblem(certificate, place, nowMs);
  const isAhead = certificate.validFromDate.getTime() > nowMs;
  const then = isAhead ? 'clients refuse it until then' : next;
  if (dates !== undefined) findings.notice(`${dates}: ${then}.`);
  const chain = climb(certificate, pool);
  if (anchored(chain, authorities) !== undefined) {
    checkRoot(chain.root, name, material, findings);
    return;
  }
  const sentence = `${name} leads to no CA of the bundle, by which clients would trust it`;
  if (issuer === undefined) findings.refuse(`${sentence}.`);
  else findings.notice(`${sentence}: ${next}.`);
}

/** The root of the server certificate is trusted by clients, and judges those of clients. */
function checkRoot(
  root: X509Certificate | undefined,
  name: string,
  { issuer, authorities, pool }: Material,
  findings: Findings,
): void {
  if (root === undefined || !authorities.some((one) => isSame(one, root))) {
    findings.notice(
      `${name} leads to no root of the bundle of CAs: programs that trust roots alone cannot verify it.`,
    );
    return;
  }
  if (issuer === undefined || above([issuer.certificate], pool).has(root.fingerprint256)) return;
  findings.notice(
    `${name} is of the CA ${shown(root)}, which is not that of the signing certificate: client certificates that it issues to anybody are taken for those of the network's own CAs. If it is a public CA, serve with another certificate.`,
  );
}

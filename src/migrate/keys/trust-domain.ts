// The trust domain of a network: the host of the SPIFFE ids in its certificates.

import type { X509Certificate } from 'node:crypto';
import { fingerprint } from '../../pki/x509/pem.ts';
import type { Findings } from '../configuration/findings.ts';

/** Where a trust domain may be stated. */
export interface TrustDomainSources {
  /** The signing certificate and its root, as far as they are known. */
  readonly signing: readonly (X509Certificate | undefined)[];
  /** What the controller of the peer shows as a client. */
  readonly client: X509Certificate | undefined;
  /** The root of that certificate. */
  readonly root: X509Certificate | undefined;
  /** The key `trustDomain`. */
  readonly configured: string | undefined;
}

/**
 * The trust domain for `pki.trustDomain`; undefined if nothing states one. The peer takes that of
 * its client certificate, then the configured one, then the fingerprint of the root. The controller
 * insists on that of its signing CA.
 */
export function trustDomainOf(
  { signing, client, root, configured }: TrustDomainSources,
  findings: Findings,
): string | undefined {
  const [ofSigning] = signing.flatMap((one) => statedIn(one) ?? []);
  const ofNetwork =
    statedIn(client) ??
    configured?.replace(/^spiffe:\/\//, '').split('/', 1)[0] ??
    (root === undefined ? undefined : fingerprint(root));
  const domain = ofSigning ?? ofNetwork;
  if (ofSigning !== undefined && ofNetwork !== undefined && ofSigning !== ofNetwork) {
    findings.notice(
      `The signing CA is that of the trust domain ${ofSigning}, but names in certificates are of ${ofNetwork}: those that are issued from now on are of ${ofSigning}, and the others stay valid.`,
    );
  }
  // SPIFFE ID specification §2.1.
  if (domain === undefined || /^[a-z0-9._-]{1,255}$/.test(domain)) return domain;
  findings.refuse(
    `The trust domain of the network is ${JSON.stringify(domain)}, but must be 1 to 255 lower-case letters, digits, ".", "-", "_".`,
  );
  return undefined;
}

function statedIn(certificate: X509Certificate | undefined): string | undefined {
  const names = certificate?.subjectAltName ?? '';
  return /(?:^|, )"?URI:spiffe:\/\/([^/,"\s]+)/.exec(names)?.[1];
}

// The way from a certificate up to the CAs of a network.

import type { X509Certificate } from 'node:crypto';
import { isIssuedBy } from '../../pki/x509/pem.ts';

/** Certificates between a leaf and a root; networks have one or two. @bound */
const chainCertificatesMax = 16;

/** A certificate with those that lead to its root. */
export interface Chain {
  /** The certificate first; a root is left out, so it is empty for a root. */
  readonly certificates: readonly X509Certificate[];
  /** The root, if there is one among the certificates that were searched. */
  readonly root: X509Certificate | undefined;
}

/** Climbs from a certificate over those of a pool. Dates are not looked at. */
export function climb(leaf: X509Certificate, pool: readonly X509Certificate[]): Chain {
  const certificates: X509Certificate[] = [];
  let last = leaf;
  while (!isRoot(last) && certificates.length < chainCertificatesMax) {
    const here = last;
    certificates.push(here);
    const issuers = pool.filter(
      (one) => isIssuedBy(here, one) && !certificates.some((seen) => isSame(seen, one)),
    );
    // A root may be there a second time, signed by another one: the shorter way is the right one.
    const next = issuers.find(isRoot) ?? issuers[0];
    if (next === undefined) return { certificates, root: undefined };
    last = next;
  }
  return { certificates, root: isRoot(last) ? last : undefined };
}

/**
 * The part of a chain that a controller can serve or sign with: up to the last certificate that is
 * one of `anchors`, or was issued by one. Undefined if there is none.
 */
export function anchored(
  { certificates, root }: Chain,
  anchors: readonly X509Certificate[],
): readonly X509Certificate[] | undefined {
  if (certificates.length === 0) {
    return root !== undefined && anchors.some((anchor) => isSame(anchor, root)) ? [] : undefined;
  }
  const last = certificates.findLastIndex((one) =>
    anchors.some((anchor) => isSame(anchor, one) || isIssuedBy(one, anchor)),
  );
  return last === -1 ? undefined : certificates.slice(0, last + 1);
}

/** All CAs of a pool above certificates, by whatever way, and those certificates themselves. */
export function above(
  leaves: readonly X509Certificate[],
  pool: readonly X509Certificate[],
): ReadonlySet<string> {
  const reached = new Map(leaves.map((leaf) => [leaf.fingerprint256, leaf]));
  // Iterating over a map also visits what is added meanwhile.
  for (const [, lower] of reached) {
    for (const one of pool) {
      if (reached.has(one.fingerprint256) || !isIssuedBy(lower, one)) continue;
      reached.set(one.fingerprint256, one);
    }
  }
  return new Set(reached.keys());
}

/** Whether two are one and the same certificate. */
export function isSame(left: X509Certificate, right: X509Certificate): boolean {
  return left.fingerprint256 === right.fingerprint256;
}

/** Whether a certificate signs itself. */
function isRoot(certificate: X509Certificate): boolean {
  return isIssuedBy(certificate, certificate);
}

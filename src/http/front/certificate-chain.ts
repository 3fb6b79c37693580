// Reads the certificates that a client showed in its TLS handshake, without judging them.

import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { FrontLimits } from './tls-messages.ts';

/**
 * All certificates in DER as the client sent them, the leaf first, each once; empty when there was
 * none, undefined when a bound is exceeded.
 */
export function certificateChain(socket: TLSSocket, limits: FrontLimits): Buffer[] | undefined {
  const chain: Buffer[] = [];
  let bytes = 0;
  // `issuerCertificate` of a peer's certificate is the next certificate sent, even if it is not the
  // issuer.
  let certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
  for (let sent = 1; certificate !== undefined; sent += 1) {
    const der = certificate.raw;
    bytes += der.length;
    if (sent > limits.certificatesMax || bytes > limits.certificatesBytesMax) return undefined;
    if (!chain.some((earlier) => earlier.equals(der))) chain.push(der);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

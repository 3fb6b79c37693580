// Reads a certificate that an administrator submits for an identity, and finds its issuer.

import type { X509Certificate } from 'node:crypto';
import type { ErrorCode } from '../../errors/error-codes.ts';
import { ApiError, fieldError, secretMask } from '../../errors/errors.ts';
import { readCertificates } from '../../pki/x509/certificate-text.ts';
import { fingerprint } from '../../pki/x509/pem.ts';
import { trustedCas } from '../cas/client-cas.ts';
import type { Context } from '../context.ts';
import type { StoredCertificate } from './authenticator.ts';

/**
 * The certificate of a text that we or a CA that counts issued, with its intermediates behind it;
 * dates are not checked (behaviour/certificates#by-administrators).
 * @throws ApiError COULD_NOT_PARSE_PEM_BLOCK, or CERTIFICATE_FAILED_VALIDATION if no CA vouches for
 *   it, or if a third party issued it and it is not for TLS clients.
 */
export function submittedCertificate(
  context: Pick<Context, 'env'>,
  certPem: string,
): StoredCertificate {
  const { clientChains, store } = context.env;
  const chain = chainIn(certPem);
  const shown = chain.map(({ raw }) => raw);
  const issuingCa = clientChains.issuingCaOf(shown, trustedCas(store));
  if (issuingCa === undefined) {
    const reason = 'neither this network nor a verified and confirmed CA issued the certificate';
    throw pemError('CERTIFICATE_FAILED_VALIDATION', 'certPem', reason, certPem);
  }
  if (issuingCa.by === 'ca' && !issuingCa.allowsClients) {
    const reason = 'the usages of the certificate, or of a CA above it, allow no TLS clients';
    throw pemError('CERTIFICATE_FAILED_VALIDATION', 'certPem', reason, certPem);
  }
  return {
    certPem: chain.join(''),
    fingerprint: fingerprint(chain[0]),
    isIssuedByNetwork: issuingCa.by === 'own' && issuingCa.isIssuedByUs,
    caId: issuingCa.by === 'ca' ? issuingCa.caId : undefined,
  };
}

/** The leaf, then CAs each of which issued another certificate of the text. */
function chainIn(certPem: string): readonly [X509Certificate, ...X509Certificate[]] {
  const refused = (reason: string) =>
    pemError('COULD_NOT_PARSE_PEM_BLOCK', 'certPem', reason, certPem);
  const read = readCertificates(certPem);
  if ('unreadable' in read) throw refused(read.reason);
  const { certificates } = read;
  for (const issuer of certificates.slice(1)) {
    const isUsed = certificates.some((one) => one !== issuer && one.checkIssued(issuer));
    if (!issuer.ca || !isUsed) {
      throw refused('may hold only issuers of its first certificate behind it');
    }
  }
  return certificates;
}

/** 400 for a certificate in text, with its field. A private key is not echoed. */
export function pemError(code: ErrorCode, field: string, reason: string, text: string): ApiError {
  const { cause } = fieldError(field, reason, /PRIVATE KEY/.test(text) ? secretMask : text);
  return new ApiError(code, cause === undefined ? {} : { cause });
}

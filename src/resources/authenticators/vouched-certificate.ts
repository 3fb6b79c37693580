// Reads a certificate that an administrator submits for an identity, and finds its issuer.

import type { X509Certificate } from 'node:crypto';
import type { Context } from '../../declare/operation.ts';
import type { ErrorCode } from '../../error-codes.ts';
import { ApiError, fieldError, secretMask } from '../../errors.ts';
import { readCertificates } from '../../pki/x509/certificate-text.ts';
import { fingerprint } from '../../pki/x509/pem.ts';
import { verifiedCas } from '../cas/client-cas.ts';
import type { StoredCertificate } from './authenticator.ts';

/**
 * The one certificate of a text that we or a verified CA issued; dates are not checked
 * (behaviour/certificates#by-administrators).
 * @throws ApiError COULD_NOT_PARSE_PEM_BLOCK, or CERTIFICATE_FAILED_VALIDATION if no CA vouches for
 *   it, or if a third party issued it and it is not for TLS clients.
 */
export function vouchedCertificate(
  context: Pick<Context, 'env'>,
  certPem: string,
): StoredCertificate {
  const { clientChains, store } = context.env;
  const certificate = oneCertificate(certPem);
  const voucher = clientChains.voucherOf(certificate.raw, verifiedCas(store));
  if (voucher === undefined) {
    const reason = 'neither this network nor a verified CA issued the certificate';
    throw pemError('CERTIFICATE_FAILED_VALIDATION', 'certPem', reason, certPem);
  }
  if (voucher.by === 'ca' && !voucher.allowsClients) {
    const reason = 'the usages of the certificate, or of a CA above it, allow no TLS clients';
    throw pemError('CERTIFICATE_FAILED_VALIDATION', 'certPem', reason, certPem);
  }
  return {
    certPem: certificate.toString(),
    fingerprint: fingerprint(certificate),
    isIssuedByNetwork: voucher.by === 'own' && voucher.isIssuedByUs,
    caId: voucher.by === 'ca' ? voucher.caId : undefined,
  };
}

function oneCertificate(certPem: string): X509Certificate {
  const refused = (reason: string) =>
    pemError('COULD_NOT_PARSE_PEM_BLOCK', 'certPem', reason, certPem);
  const read = readCertificates(certPem);
  if ('unreadable' in read) throw refused(read.reason);
  const [certificate, ...others] = read.certificates;
  if (others.length > 0) throw refused('holds more than one certificate');
  return certificate;
}

/** 400 for a certificate in text, with its field. A private key is not echoed. */
export function pemError(code: ErrorCode, field: string, reason: string, text: string): ApiError {
  const { cause } = fieldError(field, reason, /PRIVATE KEY/.test(text) ? secretMask : text);
  return new ApiError(code, cause === undefined ? {} : { cause });
}

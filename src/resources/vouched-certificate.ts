// A certificate that an administrator hands in for an identity: read, and traced to who issued it.

import type { X509Certificate } from 'node:crypto';
import type { Context } from '../declare/operation.ts';
import type { ErrorCode } from '../error-codes.ts';
import { ApiError, fieldError } from '../errors.ts';
import { readCertificates } from '../pki/certificate-text.ts';
import { chainTo, fingerprint } from '../pki/pem.ts';
import { issuingCa } from './ca.ts';

/** What an authenticator keeps of its certificate. */
export interface VouchedCertificate {
  readonly certPem: string;
  readonly fingerprint: string;
  readonly isIssuedByNetwork: boolean;
  /** The third-party CA it was issued under: it goes when that CA does (behaviour §7.7). */
  readonly caId: string | undefined;
}

/**
 * The one certificate of a text that we or a verified CA issued; dates are not looked at (behaviour
 * §6.5.7).
 * @throws ApiError COULD_NOT_PARSE_PEM_BLOCK, or CERTIFICATE_FAILED_VALIDATION where nobody vouches
 *   for it.
 */
export function vouchedCertificate(
  context: Pick<Context, 'env'>,
  certPem: string,
): VouchedCertificate {
  const { limits, trust } = context.env;
  const certificate = oneCertificate(certPem, limits.pemCharactersMax);
  const isIssuedByNetwork = chainTo(certificate, trust.intermediates, trust.anchors) !== undefined;
  const ca = isIssuedByNetwork ? undefined : issuingCa(context, certificate, []);
  if (!isIssuedByNetwork && ca === undefined) {
    const reason = 'neither this network nor a verified CA issued the certificate';
    throw pemError('CERTIFICATE_FAILED_VALIDATION', reason, certPem);
  }
  return {
    certPem: certificate.toString(),
    fingerprint: fingerprint(certificate),
    isIssuedByNetwork,
    caId: ca?.id,
  };
}

function oneCertificate(certPem: string, charactersMax: number): X509Certificate {
  const read = readCertificates(certPem, charactersMax);
  if ('unreadable' in read) throw pemError('COULD_NOT_PARSE_PEM_BLOCK', read.reason, certPem);
  const [certificate, ...others] = read.certificates;
  if (others.length > 0) {
    throw pemError('COULD_NOT_PARSE_PEM_BLOCK', 'holds more than one certificate', certPem);
  }
  return certificate;
}

function pemError(code: ErrorCode, reason: string, certPem: string): ApiError {
  const { cause } = fieldError('certPem', reason, certPem);
  return new ApiError(code, cause === undefined ? {} : { cause });
}

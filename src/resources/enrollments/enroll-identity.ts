// Enrolls existing identities by a one-time token: ott, ottca, updb
// (behaviour/enrollment#completion).

import type { EnrollmentMethod } from '../../../machines/enrollment.ts';
import { emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { type CertificateRequest, readCertificateRequest } from '../../pki/x509/csr.ts';
import { caKind } from '../../records/ca.ts';
import { type EnrollmentRecord, enrollmentKind } from '../../records/enrollment.ts';
import { createCertificateAuthenticator, createUpdb } from '../authenticators/authenticator.ts';
import { newPasswordHash } from '../authenticators/passwords.ts';
import { isTrusted } from '../cas/client-cas.ts';
import type { Context } from '../context.ts';
import { answerForm, type EnrollmentCerts, identityCertsReply } from './enroll-answer.ts';
import { completeEnrollment, type EnrollBody, enrollmentIn } from './enroll-token.ts';
import { refuseInUse, shownCertificate } from './shown-certificate.ts';

/**
 * Issues a certificate for the request that was sent. @throws ApiError COULD_NOT_PROCESS_CSR,
 * UNSUPPORTED_MEDIA; MAX_AUTHENTICATOR_METHODS_REACHED while the identity has a certificate.
 */
export function enrollByRequest(
  context: Context<EnrollBody>,
  asked: EnrollmentMethod | undefined,
): Reply {
  const { body, rawBody } = context;
  const form = answerForm(context);
  const identityId = identityOf(completeEnrollment(context, asked));
  const sent = rawBody ?? body.clientCsr ?? '';
  const request = readCertificateRequest(sent, 'clientCsr');
  const { ca, cert } = issueAuthenticator(context, identityId, request);
  return identityCertsReply(context, form, { ca, cert, serverCert: '' });
}

/**
 * Issues a certificate for an identity and makes it its authenticator.
 * @throws ApiError MAX_AUTHENTICATOR_METHODS_REACHED while the identity has a certificate.
 */
export function issueAuthenticator(
  context: Context,
  identityId: string,
  request: CertificateRequest,
): Pick<EnrollmentCerts, 'ca' | 'cert'> {
  const { env } = context;
  const { fingerprint, chainPem, caPem } = env.issuing.identityClient(request, identityId);
  createCertificateAuthenticator(context, env.ids.entity(), {
    identityId,
    certPem: chainPem,
    fingerprint,
    isIssuedByNetwork: true,
    caId: undefined,
  });
  return { ca: caPem, cert: chainPem };
}

/**
 * Accepts the certificate of the connection, which the CA of the enrollment must have issued.
 * @throws ApiError ENROLLMENT_CA_NOT_VALID, CERTIFICATE_FAILED_VALIDATION, CERT_IN_USE;
 * MAX_AUTHENTICATOR_METHODS_REACHED as above.
 */
export function enrollByShownCertificate(
  context: Context<EnrollBody>,
  asked: EnrollmentMethod | undefined,
): Reply {
  const { env } = context;
  const enrollment = completeEnrollment(context, asked);
  const ca = env.store.table(caKind).find(enrollment.caId ?? '')?.record;
  if (ca === undefined || !isTrusted(ca) || !ca.isOttCaEnrollmentEnabled) {
    throw new ApiError('ENROLLMENT_CA_NOT_VALID');
  }
  const identityId = identityOf(enrollment);
  const { leaf, pem } = shownCertificate(context, [ca], 'CERTIFICATE_FAILED_VALIDATION');
  refuseInUse(context, leaf);
  createCertificateAuthenticator(context, env.ids.entity(), {
    identityId,
    certPem: pem,
    fingerprint: leaf.fingerprint,
    isIssuedByNetwork: false,
    caId: ca.id,
  });
  return emptyReply;
}

/**
 * For `prepare`: the hash of the sent password. Undefined without any work if the enrollment cannot
 * be completed this way; its machine then gives the reason.
 * @throws ApiError INVALID_ENROLLMENT_TOKEN, 400 for a missing or weak password.
 */
export function enrollmentPassword(
  context: Context<EnrollBody>,
  asked: EnrollmentMethod | undefined,
): Promise<string> | undefined {
  const { env, body, now } = context;
  const enrollment = enrollmentIn(context);
  const { id, method, expiresAt = 0 } = enrollment;
  if (method !== 'updb' || (asked ?? method) !== 'updb' || expiresAt <= now) return undefined;
  const row = env.store.table(enrollmentKind).find(id);
  // Of several simultaneous uses, all but the first find it gone.
  if (row !== undefined) context.restsOn('enrollment', row);
  if (body.password === undefined) throw fieldError('password', 'is required', undefined);
  return newPasswordHash(context, identityOf(enrollment), body.password);
}

/**
 * Sets user name and password; the name is that of the enrollment. @throws ApiError 400 for a name
 * that is taken by now; MAX_AUTHENTICATOR_METHODS_REACHED while the identity has a password.
 */
export function enrollByPassword(
  context: Context<EnrollBody>,
  asked: EnrollmentMethod | undefined,
  passwordHash: string | undefined,
): Reply {
  const enrollment = completeEnrollment(context, asked);
  const { username = '' } = enrollment;
  // The clock went back in the meantime: the enrollment was expired during the password check, and
  // no longer is.
  if (passwordHash === undefined) throw new ApiError('ENROLLMENT_EXPIRED');
  const identityId = identityOf(enrollment);
  const fields = { identityId, username, passwordHash };
  createUpdb(context, context.env.ids.entity(), fields);
  return emptyReply;
}

/** Enrollments of these methods are created only for identities, and are deleted with them. */
function identityOf({ identityId }: EnrollmentRecord): string {
  if (identityId === undefined) throw new Error('the enrollment has no identity');
  return identityId;
}

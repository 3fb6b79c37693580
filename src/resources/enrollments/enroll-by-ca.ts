// Enrollment by a certificate alone: the holder of a certificate of a registered CA becomes an
// identity (behaviour/cas#auto-enrollment).

import { externalIdIn } from '../../auth/external-jwt/external-id-claim.ts';
import { emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { createRecord } from '../../declare/resources/crud.ts';
import { schemaProblem } from '../../declare/resources/validate.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { caKind } from '../../records/ca.ts';
import { identityKind } from '../../records/identity.ts';
import { createCertificateAuthenticator } from '../authenticators/authenticator.ts';
import { isTrusted } from '../cas/client-cas.ts';
import type { Context } from '../context.ts';
import { identities } from '../identities/identity.ts';
import type { EnrollBody } from './enroll-token.ts';
import { freeName, nameBy } from './identity-name.ts';
import { refuseInUse, type ShownCertificate, shownCertificate } from './shown-certificate.ts';

/**
 * Creates the identity. With a claim of the CA it gets an external id and no authenticator, else
 * the certificate becomes its authenticator.
 * @throws ApiError ENROLLMENT_NO_VALID_CAS, CERT_FAILED_VALIDATION, MISSING_CERT_CLAIM,
 *   CERT_IN_USE; 400 for an external id or a name that cannot be used.
 */
export function enrollByCa(context: Context<EnrollBody>): Reply {
  const { env } = context;
  const registered = [...env.store.table(caKind).rows()].map(({ record }) => record);
  if (registered.length === 0) throw new ApiError('ENROLLMENT_NO_VALID_CAS');
  const open = registered.filter((ca) => isTrusted(ca) && ca.isAutoCaEnrollmentEnabled);
  const shown = shownCertificate(context, open, 'CERT_FAILED_VALIDATION');
  const { leaf, pem, ca } = shown;
  const externalId = externalIdOf(shown);
  if (externalId === undefined) refuseInUse(context, leaf);
  const identityId = env.ids.entity();
  createRecord(context, identities, identityId, {
    name: nameFor(context, shown, identityId),
    isAdmin: false,
    roleAttributes: ca.identityRoles ?? [],
    ...(externalId === undefined ? {} : { externalId }),
  });
  if (externalId !== undefined) return emptyReply;
  createCertificateAuthenticator(context, env.ids.entity(), {
    identityId,
    certPem: pem,
    fingerprint: leaf.fingerprint,
    isIssuedByNetwork: false,
    caId: ca.id,
  });
  return emptyReply;
}

function externalIdOf({ leaf, ca }: ShownCertificate): string | undefined {
  if (ca.externalIdClaim === undefined) return undefined;
  const externalId = externalIdIn(leaf, ca.externalIdClaim);
  if (externalId === undefined) throw new ApiError('MISSING_CERT_CLAIM');
  return externalId;
}

/** @throws ApiError 400 if format and certificate do not produce a valid name. */
function nameFor(
  { env, body }: Context<EnrollBody>,
  { leaf, ca }: ShownCertificate,
  identityId: string,
): string {
  const wanted = nameBy(ca.identityNameFormat, {
    caName: ca.name,
    caId: ca.id,
    identityId,
    commonName: leaf.commonName ?? '',
    requestedName: body.name?.trim() || identityId,
  });
  const table = env.store.table(identityKind);
  const name = freeName(wanted, (one) => table.findBy('name', one) !== undefined);
  const problem = schemaProblem(identityKind.fields.name.schema, name);
  if (problem !== undefined) throw fieldError('name', problem.reason, name);
  return name;
}

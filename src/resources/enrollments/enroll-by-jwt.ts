// Enrollment by the token of an external JWT signer: its holder becomes an identity
// (behaviour/external-jwt#enrollment-by-token).

import {
  type CandidateSigners,
  candidateSigners,
  onlySigner,
} from '../../auth/external-jwt/candidates.ts';
import { parseToken, selectedClaim } from '../../auth/external-jwt/token.ts';
import type { Fields } from '../../declare/kinds/field.ts';
import { detail, type Reply } from '../../declare/operations/operation.ts';
import { createRecord } from '../../declare/resources/crud.ts';
import { schemaProblem } from '../../declare/resources/validate.ts';
import { ApiError, fieldError, secretMask } from '../../errors/errors.ts';
import { readCertificateRequest } from '../../pki/x509/csr.ts';
import { authPolicyKind, defaultAuthPolicyId } from '../../records/auth-policy.ts';
import {
  type ExternalJwtSignerRecord,
  enrollNameSelectorDefault,
  externalJwtSignerKind,
} from '../../records/external-jwt-signer.ts';
import { identityKind } from '../../records/identity.ts';
import type { Context } from '../context.ts';
import { controllersText } from '../controller/controllers.ts';
import { identities } from '../identities/identity.ts';
import { issueAuthenticator } from './enroll-identity.ts';
import type { EnrollBody } from './enroll-token.ts';

/** The header that names the only signer whose token counts, by its id or name. */
export const issuerHeader = 'ziti-token-issuer-id';

/**
 * For `prepare`: fetches keys that the tokens name and checks signatures. It rejects with Busy when
 * too many wait already. @throws ApiError 400 without any token.
 */
export async function checkEnrollmentTokens(context: Context): Promise<undefined> {
  const { bearerTokens, env, request } = context;
  if (request.header('authorization') === '' && request.header('authentication') === '') {
    throw fieldError('Authorization', 'is required', undefined);
  }
  const signers = signersFor(context);
  const { waiting } = env.externalJwts.examine(bearerTokens, signers);
  if (waiting.length > 0) await env.externalJwts.fetchKeys(bearerTokens, signers);
  const { unchecked } = env.externalJwts.examine(bearerTokens, signers);
  if (unchecked.length > 0) await env.externalJwts.check(bearerTokens, signers);
}

/**
 * Creates the identity that the first valid token describes, and with a certificate request also
 * its authenticator. Everything is checked before a certificate is issued.
 * @throws ApiError INVALID_ENROLLMENT_TOKEN, ENROLLMENT_IDENTITY_ALREADY_ENROLLED,
 *   INVALID_ENROLLMENT_NOT_ALLOWED, COULD_NOT_PROCESS_CSR; COULD_NOT_VALIDATE for a name, an
 *   external id or attributes that an identity cannot have, or a name that is taken.
 */
export function enrollByJwt(context: Context<EnrollBody>): Reply {
  const { env, body, rawBody } = context;
  const { externalId, name, roleAttributes, signer } = enrolleeOf(context);
  if (env.store.table(identityKind).findBy('externalId', externalId) !== undefined) {
    throw new ApiError('ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
  }
  const sent = rawBody ?? body.clientCsr ?? '';
  const authPolicyId = policyFor(context, signer, sent.length > 0 ? 'cert' : 'extJwt');
  const request = sent.length > 0 ? readCertificateRequest(sent, 'clientCsr') : undefined;
  const identityId = env.ids.entity();
  const wanted = { name, externalId, roleAttributes };
  refuseOtherThan(identityKind.fields, wanted);
  createRecord(context, identities, identityId, { ...wanted, isAdmin: false, authPolicyId });
  const issued = request && issueAuthenticator(context, identityId, request);
  const certs = issued === undefined ? '' : `${JSON.stringify(issued).slice(1, -1)},`;
  return detail([`{${certs}"controllers":${controllersText(context)}}`]);
}

/** A new identity, as a token and its signer describe it. */
interface Enrollee {
  readonly externalId: string;
  readonly name: string;
  readonly roleAttributes: readonly string[];
  readonly signer: ExternalJwtSignerRecord;
}

/** @throws ApiError INVALID_ENROLLMENT_TOKEN if no token is valid, or its claims are not usable. */
function enrolleeOf(context: Context): Enrollee {
  const { env, bearerTokens } = context;
  const signers = signersFor(context);
  const table = env.store.table(externalJwtSignerKind);
  for (const token of bearerTokens) {
    const [verified] = env.externalJwts.examine([token], signers).verified;
    const signer = verified && table.find(verified.signer.id)?.record;
    const claims = parseToken(token.text, token.text.length)?.claims;
    if (verified === undefined || signer === undefined || claims === undefined) continue;
    const name = selectedClaim(
      signer.enrollNameClaimsSelector ?? enrollNameSelectorDefault,
      claims,
    );
    if (typeof name !== 'string' || name === '') throw invalidToken('its name is no text');
    const { enrollAttributeClaimsSelector: selector } = signer;
    const roleAttributes = attributesIn(selector && selectedClaim(selector, claims));
    return { externalId: verified.claim, name, roleAttributes, signer };
  }
  throw invalidToken('no token is valid for an enabled external JWT signer');
}

function attributesIn(claim: unknown): readonly string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim ?? ''];
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length < values.length) throw invalidToken('its attributes are no texts');
  return texts.filter((text) => text !== '');
}

/** One signer where the request names it, else all that are enabled. */
function signersFor({ env, request }: Context): CandidateSigners {
  const table = env.store.table(externalJwtSignerKind);
  const named = request.header(issuerHeader);
  if (named === '') return candidateSigners(table);
  return onlySigner((table.find(named) ?? table.findBy('name', named))?.record);
}

/**
 * The auth policy of the new identity. @throws ApiError INVALID_ENROLLMENT_NOT_ALLOWED unless the
 * signer allows this kind of enrollment and the policy logins by its result.
 */
function policyFor(
  { env }: Context,
  { id, enrollAuthPolicyId = defaultAuthPolicyId, ...signer }: ExternalJwtSignerRecord,
  by: 'cert' | 'extJwt',
): string {
  const primary = env.store.table(authPolicyKind).find(enrollAuthPolicyId)?.record.primary;
  const { allowed = false, allowedSigners = [] } = primary?.extJwt ?? {};
  const isAllowed =
    by === 'cert'
      ? signer.enrollToCertEnabled && primary?.cert.allowed
      : signer.enrollToTokenEnabled &&
        allowed &&
        (allowedSigners.length === 0 || allowedSigners.includes(id));
  if (!isAllowed) throw new ApiError('INVALID_ENROLLMENT_NOT_ALLOWED');
  return enrollAuthPolicyId;
}

/** Values of a token have not passed the schema of a body. @throws ApiError COULD_NOT_VALIDATE. */
function refuseOtherThan(fields: Fields, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    const problem = fields[name] && schemaProblem(fields[name].schema, value);
    if (problem !== undefined) throw fieldError(name, problem.reason, problem.value);
  }
}

/** A holder of a bad token is told why, but not what is in it. */
function invalidToken(reason: string): ApiError {
  const cause = { field: 'Authorization', reason, value: secretMask };
  return new ApiError('INVALID_ENROLLMENT_TOKEN', { status: 400, cause });
}

// External JWT signers: the issuers whose tokens count as a login (behaviour/external-jwt).

import { isCandidate } from '../../auth/external-jwt/candidates.ts';
import { isUsableSelector } from '../../auth/external-jwt/token.ts';
import type { Draft } from '../../declare/resources/resource.ts';
import { fieldError } from '../../errors/errors.ts';
import { commonName, readCertificates } from '../../pki/x509/certificate-text.ts';
import { fingerprint } from '../../pki/x509/pem.ts';
import { refusedHost } from '../../platform/outgoing-addresses.ts';
import { authPolicyKind, defaultAuthPolicyId } from '../../records/auth-policy.ts';
import {
  type ExternalJwtSignerRecord,
  externalJwtSignerKind,
} from '../../records/external-jwt-signer.ts';
import { checkLoginRule, reliesOnSigner } from '../authentication/login-rules.ts';
import { refuseIfNoAdminLogin } from '../authenticators/admin-logins.ts';
import { type Context, type DefinedResource, defineResource } from '../context.ts';

/** Signers in the management API. */
export const externalJwtSigners: DefinedResource<typeof externalJwtSignerKind.fields> =
  defineResource({
    kind: externalJwtSignerKind,
    path: 'external-jwt-signers',
    answered: 'here',
    title: 'external JWT signer',
    names: { one: 'ExternalJwtSigner', many: 'ExternalJwtSigners' },
    verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
    permission: 'external-jwt-signer',
    unfiltered: [
      'jwksEndpoint',
      'externalAuthUrl',
      'enrollToCertEnabled',
      'enrollToTokenEnabled',
      'enrollAuthPolicyId',
    ],
    check(context, draft, body, stored) {
      checkLoginRule(context, draft, stored, reliesOnSigner, switches);
      checkUrl('jwksEndpoint', draft.jwksEndpoint);
      // A stored address may be refused since: its signer can still be disabled by a patch.
      if (Object.hasOwn(body, 'jwksEndpoint')) checkPlace(context, draft.jwksEndpoint);
      checkUrl('externalAuthUrl', draft.externalAuthUrl);
      takeKey(draft);
      checkEnrollment(context, draft);
    },
    written(context, record, _body, stored) {
      if (stored === undefined || !isCandidate(stored)) return;
      const namesFewer = record.useExternalId && !stored.useExternalId;
      if (!record.enabled || namesFewer) refuseIfNoAdminLogin(context);
    },
    removing(context, record) {
      if (isCandidate(record)) refuseIfNoAdminLogin(context, { signerId: record.id });
    },
    example: {
      name: 'identity-provider',
      issuer: 'https://idp.example.com',
      audience: 'edge',
      enabled: true,
      jwksEndpoint: 'https://idp.example.com/keys',
      externalAuthUrl: 'https://idp.example.com/login',
    },
  });

/** The fields that callers may see before they log in (behaviour/external-jwt#client-view). */
export const clientExternalJwtSigners: DefinedResource = defineResource({
  kind: externalJwtSignerKind,
  path: 'external-jwt-signers',
  answered: 'here',
  title: 'client external JWT signer',
  names: { one: 'ClientExternalJwtSigner', many: 'ExternalJwtSigners' },
  where: isCandidate,
  verbs: { client: ['list'] },
  access: { list: 'public' },
  hidden: [
    'issuer',
    'enabled',
    'certPem',
    'jwksEndpoint',
    'kid',
    'fingerprint',
    'commonName',
    'notBefore',
    'notAfter',
    'claimsProperty',
    'useExternalId',
    'isUnconfirmed',
    'enrollNameClaimsSelector',
    'enrollAttributeClaimsSelector',
    'enrollAuthPolicyId',
  ],
  // A filter must not reveal fields that the view hides.
  symbols: ['name', 'audience', 'clientId', 'targetToken'],
});

/** The flags that let somebody in. */
const switches = ['enabled', 'enrollToCertEnabled', 'enrollToTokenEnabled'] as const;

type SignerDraft = Draft<ExternalJwtSignerRecord>;

/**
 * Exactly one of certificate and JWKS endpoint provides the keys; the certificate's facts are
 * stored with it (behaviour/external-jwt). @throws ApiError COULD_NOT_VALIDATE.
 */
function takeKey(draft: SignerDraft): void {
  const { certPem, jwksEndpoint } = draft;
  draft.fingerprint = draft.commonName = draft.notBefore = draft.notAfter = undefined;
  if (certPem === undefined) {
    if (jwksEndpoint !== undefined) return;
    throw fieldError('certPem', 'is required unless there is a jwksEndpoint', undefined);
  }
  if (jwksEndpoint !== undefined) {
    throw fieldError('jwksEndpoint', 'is not for a signer with certPem', jwksEndpoint);
  }
  const read = readCertificates(certPem);
  if ('unreadable' in read) throw fieldError('certPem', read.reason, certPem);
  const [certificate, ...others] = read.certificates;
  if (others.length > 0) throw fieldError('certPem', 'holds more than one certificate', certPem);
  draft.fingerprint = fingerprint(certificate);
  draft.commonName = commonName(certificate);
  draft.notBefore = certificate.validFromDate.getTime();
  draft.notAfter = certificate.validToDate.getTime();
}

/**
 * The settings for enrollment by tokens of the signer (behaviour/external-jwt#enrollment-by-token).
 * @throws ApiError COULD_NOT_VALIDATE.
 */
function checkEnrollment({ env }: Context, draft: SignerDraft): void {
  for (const name of ['enrollNameClaimsSelector', 'enrollAttributeClaimsSelector'] as const) {
    const selector = draft[name];
    if (selector === undefined || isUsableSelector(selector)) continue;
    throw fieldError(name, 'must be a claim or a JSON pointer (RFC 6901)', selector);
  }
  const { enrollAuthPolicyId: id = defaultAuthPolicyId } = draft;
  const refuse = (reason: string) => fieldError('enrollAuthPolicyId', reason, id);
  const policy = env.store.table(authPolicyKind).find(id)?.record;
  if (policy === undefined) throw refuse('no auth policy has this id');
  const { cert, extJwt } = policy.primary;
  if (draft.enrollToCertEnabled && !cert.allowed) {
    throw refuse('the policy does not allow certificates, which enrollToCertEnabled is about');
  }
  if (draft.enrollToTokenEnabled && !extJwt.allowed) {
    throw refuse('the policy does not allow external JWTs, which enrollToTokenEnabled is about');
  }
}

function checkUrl(name: string, value: string | undefined): void {
  if (value === undefined) return;
  const { protocol } = URL.parse(value) ?? { protocol: '' };
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw fieldError(name, 'must be an http or https URL', value);
  }
}

/** Names are resolved, and checked again, with each fetch (behaviour/external-jwt#addresses). */
function checkPlace({ env }: Context, jwksEndpoint: string | undefined): void {
  const url = jwksEndpoint === undefined ? null : URL.parse(jwksEndpoint);
  if (url === null) return;
  const place = refusedHost(url.hostname, {
    allowsPrivate: env.config.auth.jwksFromPrivateAddresses,
  });
  if (place === undefined) return;
  throw fieldError('jwksEndpoint', `must not be ${place}`, jwksEndpoint);
}

// External JWT signers: whose tokens count as a login (spec/1 "ExternalJwtSigner", behaviour §4.5).

import Type, { type TSchema } from 'typebox';
import { defineResource } from '../declare/crud.ts';
import { field, name, optional, time } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import type { Draft, Resource } from '../declare/resource.ts';
import { isoTimeOrZero } from '../declare/view.ts';
import { fieldError } from '../errors.ts';
import { commonName, readCertificates } from '../pki/certificate-text.ts';
import { fingerprint } from '../pki/pem.ts';

/** Characters of each text of an external JWT signer. @bound per entity */
const signerTextCharactersMax = 4096;

/** Text that strict clients want to be there, and not to be null (api/README). */
const shownText = (options: { unique?: boolean; write?: 'never' } = {}) =>
  optional(Type.String({ maxLength: signerTextCharactersMax }), {
    show: 'always',
    symbol: 'string',
    answerSchema: Type.String(),
    fromJson: blankIsUnset,
    toJson: (value) => value ?? '',
    ...options,
  });

/** Text that is null when unset. */
const nullableText = (schema: TSchema = Type.String({ maxLength: signerTextCharactersMax })) =>
  optional(schema as Type.TString, { show: 'always', symbol: 'string', fromJson: blankIsUnset });

const requiredText = (options: { unique?: boolean } = {}) =>
  field(Type.String({ minLength: 1, maxLength: signerTextCharactersMax, pattern: '\\S' }), {
    required: true,
    symbol: 'string',
    ...options,
  });

/** A date of the certificate; strict clients want one, where there is none OpenZiti shows this. */
const certificateDate = () =>
  time({
    write: 'never',
    show: 'always',
    toJson: isoTimeOrZero,
  });

const claimsPropertyDefault = 'sub';

/** The stored side of signers. */
export const externalJwtSignerKind = defineKind({
  kind: 'externalJwtSigner',
  version: 1,
  fields: {
    name: name(),
    issuer: requiredText({ unique: true }),
    audience: requiredText(),
    enabled: field(Type.Boolean(), { required: true, symbol: 'boolean' }),
    certPem: nullableText(Type.String()),
    jwksEndpoint: nullableText(),
    kid: shownText({ unique: true }),
    fingerprint: shownText({ unique: true, write: 'never' }),
    commonName: shownText({ write: 'never' }),
    notBefore: certificateDate(),
    notAfter: certificateDate(),
    claimsProperty: field(Type.String({ maxLength: signerTextCharactersMax }), {
      fallback: claimsPropertyDefault,
      symbol: 'string',
      fromJson: (json) => blankIsUnset(json) ?? claimsPropertyDefault,
    }),
    useExternalId: field(Type.Boolean(), { fallback: false, symbol: 'boolean' }),
    externalAuthUrl: shownText(),
    clientId: shownText(),
    scopes: field(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 1000 }), {
      fallback: [],
    }),
    targetToken: optional(Type.Enum(['ACCESS', 'ID']), { show: 'always', symbol: 'string' }),
  },
  many: ['allowingPolicies', 'requiringPolicies'],
});

/** A stored signer. */
export type ExternalJwtSignerRecord = RecordOf<typeof externalJwtSignerKind.fields>;

// Enrollment by token is not offered (decision 24); clients ask whether it is.
const enrollsNobody = {
  enrollToCertEnabled: { schema: Type.Boolean(), text: () => 'false' },
  enrollToTokenEnabled: { schema: Type.Boolean(), text: () => 'false' },
};

/** Signers in the management API. */
export const externalJwtSigners: Resource = defineResource({
  kind: externalJwtSignerKind,
  path: 'external-jwt-signers',
  title: 'external JWT signer',
  names: { one: 'ExternalJwtSigner', many: 'ExternalJwtSigners' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  joined: enrollsNobody,
  symbols: [
    ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name', 'fingerprint', 'kid'],
    ...['issuer', 'certPem', 'commonName', 'notAfter', 'notBefore', 'enabled', 'claimsProperty'],
    ...['useExternalId', 'audience', 'clientId', 'targetToken'],
  ],
  check(_context, draft) {
    checkUrl('jwksEndpoint', draft.jwksEndpoint);
    checkUrl('externalAuthUrl', draft.externalAuthUrl);
    takeKey(draft);
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

/** What callers may know before they have logged in (behaviour §4.5.9). */
export const clientExternalJwtSigners: Resource = defineResource({
  kind: externalJwtSignerKind,
  path: 'external-jwt-signers',
  title: 'client external JWT signer',
  names: { one: 'ClientExternalJwtSigner', many: 'ExternalJwtSigners' },
  where: ({ enabled }) => enabled,
  verbs: { client: ['list'] },
  access: { list: 'public' },
  hidden: [
    ...['issuer', 'enabled', 'certPem', 'jwksEndpoint', 'kid', 'fingerprint', 'commonName'],
    ...['notBefore', 'notAfter', 'claimsProperty', 'useExternalId'],
  ],
  joined: enrollsNobody,
  // A filter must tell nobody what the view hides.
  symbols: [
    ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name'],
    ...['audience', 'clientId', 'targetToken'],
  ],
});

type SignerDraft = Draft<(typeof externalJwtSignerKind)['fields']>;

/**
 * Exactly one of certificate and JWKS endpoint names the keys; the certificate's facts are kept
 * beside it (behaviour §4.5.3, §4.5.8). @throws ApiError COULD_NOT_VALIDATE.
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

function checkUrl(name: string, value: string | undefined): void {
  if (value === undefined) return;
  const { protocol } = URL.parse(value) ?? { protocol: '' };
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw fieldError(name, 'must be an http or https URL', value);
  }
}

function blankIsUnset(json: unknown): string | undefined {
  const text = String(json);
  return text.trim() === '' ? undefined : text;
}

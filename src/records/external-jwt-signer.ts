// External JWT signers: the issuers whose tokens count as a login (behaviour/external-jwt).

import Type from 'typebox';
import { field, name, optional, optionalReference, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { isoTimeOrZero } from '../declare/resources/view.ts';
import { defaultAuthPolicyId } from './auth-policy.ts';
import { unconfirmed } from './unconfirmed-field.ts';

/** Characters of each text of an external JWT signer. @bound per entity */
const signerTextCharactersMax = 4096;

/** Text that strict clients require to be present and not null (behaviour/external-jwt). */
const shownText = (
  options: { unique?: boolean; write?: 'never'; required?: boolean; nullable?: boolean } = {},
) =>
  optional(Type.String({ maxLength: signerTextCharactersMax }), {
    show: 'always',
    symbol: 'string',
    answerSchema: Type.String(),
    fromJson: blankIsUnset,
    toJson: (value) => value ?? '',
    ...options,
  });

/** Text that is null when unset. */
const nullableText = (schema: Type.TString = Type.String({ maxLength: signerTextCharactersMax })) =>
  optional(schema, { show: 'always', symbol: 'string', fromJson: blankIsUnset });

const requiredText = (options: { unique?: boolean } = {}) =>
  field(Type.String({ minLength: 1, maxLength: signerTextCharactersMax, pattern: '\\S' }), {
    required: true,
    symbol: 'string',
    ...options,
  });

/** A date of the certificate. Strict clients require one; without a date OpenZiti shows this. */
const certificateDate = () =>
  time({
    write: 'never',
    show: 'always',
    toJson: isoTimeOrZero,
  });

/**
 * The claim `sub`, as OpenZiti's clients know it. Earlier records may hold `sub`, which means the
 * same.
 */
const claimsPropertyDefault = '/sub';

const targetTokenDefault = 'ACCESS';

/** The index of `targetToken` among the values of each version. */
const targetTokenAt = 20;

/** Whether a kind of enrollment is allowed; unset for no, and then not shown. */
const allowedFlag = () =>
  optional(Type.Boolean(), { symbol: 'boolean', since: 2, fromJson: (json) => json || undefined });

/** The claim that names a new identity of a signer that says nothing else. */
export const enrollNameSelectorDefault = '/sub';

const selectorSchema = Type.String({ maxLength: signerTextCharactersMax });

/** The stored side of signers. */
export const externalJwtSignerKind = defineKind({
  kind: 'externalJwtSigner',
  version: 2,
  fields: {
    name: name(),
    issuer: requiredText({ unique: true }),
    /** Unset for a signer of tokens without an audience. */
    audience: shownText({ required: true, nullable: true }),
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
    targetToken: field(Type.Enum(['ACCESS', 'ID']), {
      fallback: targetTokenDefault,
      symbol: 'string',
    }),
    isUnconfirmed: unconfirmed({ since: 2 }),
    enrollToCertEnabled: allowedFlag(),
    enrollToTokenEnabled: allowedFlag(),
    enrollNameClaimsSelector: optional(selectorSchema, {
      since: 2,
      show: 'always',
      answerSchema: Type.String(),
      fromJson: blankIsUnset,
      toJson: (value) => value ?? enrollNameSelectorDefault,
    }),
    enrollAttributeClaimsSelector: optional(selectorSchema, { since: 2, fromJson: blankIsUnset }),
    /** Unset for the default policy. */
    enrollAuthPolicyId: optionalReference('authPolicy', {
      since: 2,
      inverse: 'enrollingSigners',
      onDelete: 'refuse',
      show: 'always',
      answerSchema: Type.String(),
      fromJson: blankIsUnset,
      toJson: (value) => value ?? defaultAuthPolicyId,
    }),
  },
  migrations: {
    // Version 2 always has a targetToken, and may have no audience.
    1: (values) => {
      const whole = [...values];
      whole[targetTokenAt] ??= targetTokenDefault;
      return whole;
    },
  },
  many: ['allowingPolicies', 'requiringPolicies'],
});

/** A stored signer. */
export type ExternalJwtSignerRecord = RecordOf<typeof externalJwtSignerKind.fields>;

function blankIsUnset(json: unknown): string | undefined {
  const text = String(json);
  return text.trim() === '' ? undefined : text;
}

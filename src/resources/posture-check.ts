// Posture checks: what an endpoint must be like (spec/1 "PostureCheck", behaviour §9.1).

import Type from 'typebox';
import type { Variants } from '../declare/bodies.ts';
import { defineResource } from '../declare/crud.ts';
import { attributes, field, name, optional, reference } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import type { Body, Draft } from '../declare/resource.ts';
import { fieldError } from '../errors.ts';
import { checkRoleAttributes } from './member-attributes.ts';
import {
  checkHexTexts,
  checkSigner,
  hexDigits,
  type Process,
  type ProcessOfMany,
  processOf,
  processOfManySchema,
  processSchema,
  withoutBlankSigner,
} from './posture-process.ts';
import { operatingSystemSchema, refuseBadRanges } from './posture-system.ts';

/** The stored side of posture checks of every type; a record holds the fields of its own type. */
export const postureCheckKind = defineKind({
  kind: 'postureCheck',
  version: 1,
  fields: {
    name: name(),
    typeId: reference('postureCheckType', {
      inverse: 'postureChecks',
      onDelete: 'refuse',
      write: 'create',
    }),
    roleAttributes: attributes(),
    /** Counts the revisions of the check, from 1 on (behaviour §9.1.2). */
    version: field(Type.Integer(), { fallback: 1, write: 'never' }),
    operatingSystems: optional(Type.Array(operatingSystemSchema, { minItems: 1 })),
    domains: optional(Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1 })),
    macAddresses: optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1 }), {
      fromJson: (json) => (json as string[]).map(hexDigits),
    }),
    process: optional(processSchema, {
      fromJson: (json) => processOf(json as Process),
      merge: (stored, patch) => (patch === undefined ? stored : { ...stored, ...patch }),
    }),
    semantic: optional(Type.Enum(['AllOf', 'AnyOf'])),
    processes: optional(Type.Array(processOfManySchema, { minItems: 1 }), {
      fromJson: (json) => (json as ProcessOfMany[]).map(processOf),
    }),
    /** Seconds for which a passed MFA counts; -1 for ever. */
    timeoutSeconds: optional(Type.Integer({ maximum: 2 ** 31 - 1 }), {
      fromJson: (json) => ((json as number) <= 0 ? neverTimesOut : (json as number)),
    }),
    promptOnWake: optional(Type.Boolean(), { symbol: 'boolean' }),
    promptOnUnlock: optional(Type.Boolean(), { symbol: 'boolean' }),
    ignoreLegacyEndpoints: optional(Type.Boolean()),
  },
  many: ['servicePolicies'],
  member: { space: 'postureCheck', attributes: (record) => record.roleAttributes },
});

const neverTimesOut = -1;

/** A stored posture check. */
export type PostureCheckRecord = RecordOf<typeof postureCheckKind.fields>;

type PostureCheckDraft = Draft<typeof postureCheckKind.fields>;

const variants = {
  by: 'typeId',
  types: {
    OS: { required: ['operatingSystems'], optional: [] },
    DOMAIN: { required: ['domains'], optional: [] },
    MAC: { required: ['macAddresses'], optional: [] },
    MFA: {
      required: [],
      optional: ['timeoutSeconds', 'promptOnWake', 'promptOnUnlock', 'ignoreLegacyEndpoints'],
    },
    PROCESS: { required: ['process'], optional: [] },
    PROCESS_MULTI: { required: ['semantic', 'processes'], optional: [] },
  },
} as const satisfies Variants;

/** Posture checks in the management API. */
export const postureChecks = defineResource({
  kind: postureCheckKind,
  path: 'posture-checks',
  title: 'posture check',
  names: { one: 'PostureCheck', many: 'PostureChecks' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  access: { delete: 'admin-or-403' },
  variants,
  symbols: [
    ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name', 'typeId', 'roleAttributes'],
    ...['promptOnUnlock', 'promptOnWake'],
  ],
  check(context, draft, body, stored) {
    checkRoleAttributes(context, draft);
    if (stored !== undefined) {
      keepType(draft, body);
      draft.version = stored.version + 1;
    }
    fillMfa(draft);
    checkSigner(body['process']);
    draft.process = withoutBlankSigner(draft.process);
    refuseBadRanges(draft.operatingSystems);
    checkHexTexts(draft);
  },
  example: { name: 'domain-joined', typeId: 'DOMAIN', domains: ['corp.example'] },
});

/**
 * The type stays, and a put without `typeId` is one of the stored type (decision 9).
 * @throws ApiError COULD_NOT_VALIDATE for another type, or a field that the stored one needs.
 */
function keepType(draft: PostureCheckDraft, body: Body): void {
  const given = body['typeId'];
  if (given !== undefined && given !== draft.typeId) {
    throw fieldError('typeId', `stays ${draft.typeId}`, given);
  }
  const own = variants.types[draft.typeId as keyof typeof variants.types];
  const values = draft as unknown as Record<string, unknown>;
  for (const name of own.required) {
    if (values[name] === undefined) throw fieldError(name, 'is required', undefined);
  }
  const names: readonly string[] = [...own.required, ...own.optional];
  for (const name of allOwnFields) if (!names.includes(name)) values[name] = undefined;
}

const allOwnFields = Object.values(variants.types).flatMap(({ required, optional }) => [
  ...required,
  ...optional,
]);

/** What an MFA check doesn't say (behaviour §9.1). */
function fillMfa(draft: PostureCheckDraft): void {
  if (draft.typeId !== 'MFA') return;
  draft.timeoutSeconds ??= neverTimesOut;
  draft.promptOnWake ??= false;
  draft.promptOnUnlock ??= false;
  draft.ignoreLegacyEndpoints ??= false;
}

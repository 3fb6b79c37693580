// Posture checks: what an endpoint must be like (spec/1 "PostureCheck", behaviour §9.1).

import Type from 'typebox';
import { attributes, field, name, optional, reference } from '../declare/field.ts';
import { defineKind } from '../declare/kind.ts';

const versions = Type.Array(Type.String({ maxLength: 1000 }));
const process = Type.Object({
  osType: Type.String({ maxLength: 100 }),
  path: Type.String({ maxLength: 4096 }),
  hashes: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }))),
  signerFingerprints: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }))),
});

/**
 * The stored side of posture checks of every type; their operations come with the resources issue.
 */
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
    /** Counts the revisions of the check. */
    version: field(Type.Integer(), { fallback: 1, write: 'never' }),
    operatingSystems: optional(
      Type.Array(Type.Object({ type: Type.String({ maxLength: 100 }), versions })),
    ),
    domains: optional(Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1 })),
    macAddresses: optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1 })),
    semantic: optional(Type.Union([Type.Literal('AllOf'), Type.Literal('AnyOf')])),
    processes: optional(Type.Array(process, { minItems: 1 })),
    timeoutSeconds: optional(Type.Integer()),
    promptOnWake: optional(Type.Boolean(), { symbol: 'boolean' }),
    promptOnUnlock: optional(Type.Boolean(), { symbol: 'boolean' }),
    ignoreLegacyEndpoints: optional(Type.Boolean()),
  },
  many: ['servicePolicies'],
  member: { space: 'postureCheck', attributes: (record) => record.roleAttributes },
});

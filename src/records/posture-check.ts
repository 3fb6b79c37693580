// Posture checks: the requirements on an endpoint (behaviour/posture).

import Type from 'typebox';
import { attributes, field, name, optional, reference } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { operatingSystemSchema } from './operating-system.ts';
import {
  hexDigits,
  type Process,
  type ProcessOfMany,
  processOfManySchema,
  processSchema,
  withSignerDigits,
} from './posture-process.ts';

/** The indexes of `process` and `processes` among the values of each version. */
const [processAt, processesAt] = [11, 13];

/** The stored side of posture checks of every type; a record holds the fields of its own type. */
export const postureCheckKind = defineKind({
  kind: 'postureCheck',
  version: 2,
  fields: {
    name: name(),
    typeId: reference('postureCheckType', {
      inverse: 'postureChecks',
      onDelete: 'refuse',
      write: 'create',
    }),
    roleAttributes: attributes(),
    /** The revision of the check, counted from 1 (behaviour/posture#revisions). */
    version: field(Type.Integer(), { fallback: 1, write: 'never' }),
    operatingSystems: optional(Type.Array(operatingSystemSchema, { minItems: 1 })),
    domains: optional(Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1 })),
    macAddresses: optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1 }), {
      fromJson: (json) => json.map(hexDigits),
    }),
    process: optional(processSchema, {
      merge: (stored, patch) => (patch === undefined ? stored : { ...stored, ...patch }),
    }),
    semantic: optional(Type.Enum(['AllOf', 'AnyOf'])),
    processes: optional(Type.Array(processOfManySchema, { minItems: 1 })),
    /** Seconds for which a passed MFA counts; -1 for ever. */
    timeoutSeconds: optional(Type.Integer({ maximum: 2 ** 31 - 1 }), {
      fromJson: (json) => (json <= 0 ? neverTimesOut : json),
    }),
    promptOnWake: optional(Type.Boolean(), { symbol: 'boolean' }),
    promptOnUnlock: optional(Type.Boolean(), { symbol: 'boolean' }),
    ignoreLegacyEndpoints: optional(Type.Boolean()),
  },
  // Version 2 holds the signers of processes as they were sent. Version 1 is compared as it is.
  downgrades: {
    2: (values) => {
      const process = values[processAt] as Process | null;
      const processes = values[processesAt] as readonly ProcessOfMany[] | null;
      return values
        .with(processAt, process && withSignerDigits(process))
        .with(processesAt, processes?.map(withSignerDigits) ?? null);
    },
  },
  many: ['servicePolicies'],
  member: { space: 'postureCheck', attributes: (record) => record.roleAttributes },
});

/** `timeoutSeconds` of a check for which a passed MFA counts for ever. */
export const neverTimesOut = -1;

/** A stored posture check. */
export type PostureCheckRecord = RecordOf<typeof postureCheckKind.fields>;

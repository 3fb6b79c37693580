// Posture data: what the endpoints of an identity last submitted, one record an identity
// (behaviour/posture#data). Durable, as a response that was acknowledged is; else a restart would
// end every session that posture guards.

import Type from 'typebox';
import { field, optional, reference } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';

const text = Type.String();

/** Wall-clock ms of the response. */
const at = Type.Integer();

const hidden = { write: 'never', show: 'never' } as const;

/** What a response of type OS says; `build` is empty where it was not told. */
const submittedOsSchema = Type.Object({
  checkId: text,
  type: text,
  version: text,
  build: text,
  at,
});

/** What a response of type DOMAIN says. */
const submittedDomainSchema = Type.Object({ checkId: text, domain: text, at });

/** What a response of type MAC says; addresses in lower case hex digits alone, as in checks. */
const submittedMacSchema = Type.Object({ checkId: text, addresses: Type.Array(text), at });

/**
 * What a response of type PROCESS says; hash and fingerprints in lower case hex digits alone. One
 * stands for a check and a path; the latest of a path answers PROCESS_MULTI checks.
 */
const submittedProcessSchema = Type.Object({
  checkId: text,
  path: text,
  isRunning: Type.Boolean(),
  hash: text,
  signerFingerprints: Type.Array(text),
  at,
});

/** The stored side of posture data. */
export const postureDataKind = defineKind({
  kind: 'postureData',
  version: 1,
  fields: {
    identityId: reference('identity', {
      inverse: 'postureData',
      onDelete: 'cascade',
      write: 'never',
      unique: true,
    }),
    os: optional(submittedOsSchema, hidden),
    domain: optional(submittedDomainSchema, hidden),
    mac: optional(submittedMacSchema, hidden),
    /** The latest last; bounded in number. */
    processes: field(Type.Array(submittedProcessSchema), { fallback: [], ...hidden }),
  },
  many: [],
  calledBy: ['identityId'],
});

/** What is stored of an identity's posture. */
export type PostureDataRecord = RecordOf<typeof postureDataKind.fields>;

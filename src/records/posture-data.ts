// Posture data: what the endpoints of an identity last submitted, one record per identity
// (behaviour/posture#data). They are durable, like every acknowledged response; otherwise a restart
// would end every session that posture guards.

import Type from 'typebox';
import { field, optional, reference } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const text = Type.String();

/** Wall-clock ms of the response. */
const at = Type.Integer();

const hidden = { write: 'never', show: 'never' } as const;

/** The content of an OS response; `build` is empty when it was not reported. */
const submittedOsSchema = Type.Object({
  checkId: text,
  type: text,
  version: text,
  build: text,
  at,
});

/** The content of a DOMAIN response. */
const submittedDomainSchema = Type.Object({ checkId: text, domain: text, at });

/** The content of a MAC response; addresses are lower-case hex digits only, as in checks. */
const submittedMacSchema = Type.Object({ checkId: text, addresses: Type.Array(text), at });

/**
 * The content of a PROCESS response; hash and fingerprints are lower-case hex digits only. There is
 * one per check and path; the latest with a path answers PROCESS_MULTI checks.
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
    /** In order, the latest last; bounded in number. */
    processes: field(Type.Array(submittedProcessSchema), { fallback: [], ...hidden }),
  },
  many: [],
  calledBy: ['identityId'],
});

/** The stored posture of an identity. */
export type PostureDataRecord = RecordOf<typeof postureDataKind.fields>;

// Enrollments: outstanding one-time tokens of identities and routers (spec/1 "Enrollment",
// behaviour §6).

import Type from 'typebox';
import { enrollment } from '../../machines/enrollment.ts';
import { insertRecord } from '../declare/crud.ts';
import { field, optional, optionalReference, time } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import type { Context } from '../declare/operation.ts';

const ownerOf = (kind: string) =>
  optionalReference(kind, { inverse: 'enrollments', onDelete: 'cascade', write: 'never' });

/** The stored side of enrollments; their operations come with the credentials issue. */
export const enrollmentKind = defineKind({
  kind: 'enrollment',
  version: 1,
  fields: {
    state: field(Type.String(), { fallback: 'outstanding', write: 'never', show: 'never' }),
    method: field(Type.String(), { required: true, write: 'never', symbol: 'string' }),
    token: field(Type.String(), {
      required: true,
      write: 'never',
      unique: true,
      secret: true,
      symbol: 'string',
    }),
    jwt: field(Type.String(), { required: true, write: 'never', secret: true }),
    expiresAt: time({ write: 'never' }),
    identityId: ownerOf('identity'),
    routerId: ownerOf('router'),
    caId: optionalReference('ca', {
      inverse: 'enrollments',
      onDelete: 'cascade',
      write: 'never',
      show: 'present',
    }),
    username: optional(Type.String(), { write: 'never' }),
  },
  many: [],
  uniqueKeys: [
    {
      name: 'method',
      key: ({ identityId, routerId, method }) => `${identityId ?? routerId}/${method}`,
    },
  ],
  machine: { declaration: enrollment, creates: 'create', removes: 'remove' },
});

/** A stored enrollment. */
export type EnrollmentRecord = RecordOf<typeof enrollmentKind.fields>;

/** Whom a new enrollment is for, and how. */
export interface NewEnrollment {
  readonly method: 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';
  /** Id of the identity or router that the JWT names as its subject. */
  readonly subject: string;
  readonly identityId?: string;
  readonly routerId?: string;
  readonly caId?: string;
  readonly username?: string;
  /** Wall-clock ms. */
  readonly expiresAt: number;
}

/**
 * Makes an enrollment with its token and JWT (behaviour §6.1).
 * @throws DuplicateKey when one of the same method is outstanding.
 */
export function createEnrollment(context: Context, wanted: NewEnrollment): EnrollmentRecord {
  const { env, now } = context;
  const token = env.ids.uuid();
  const { subject, ...fields } = wanted;
  const jwt = env.signEnrollment({
    subject,
    method: wanted.method,
    token,
    expiresAtMs: wanted.expiresAt,
  });
  const record = {
    ...{ id: env.ids.entity(), createdAt: now, updatedAt: now, tags: {} },
    ...{ ...fields, token, jwt, state: 'outstanding' },
  };
  return insertRecord(context, enrollmentKind as never, record) as EnrollmentRecord;
}

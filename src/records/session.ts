// Sessions: the right of one API session to dial or bind one service (behaviour/sessions).

import Type from 'typebox';
import type { AccessType } from '../declare/kinds/access-vocabulary.ts';
import { type Field, field, reference } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const owner = (kind: string, inverse: string) =>
  reference(kind, { inverse, onDelete: 'cascade', write: 'never' });

/** The stored side of sessions. */
export const sessionKind = defineKind({
  kind: 'session',
  version: 1,
  fields: {
    apiSessionId: owner('apiSession', 'sessions'),
    serviceId: owner('service', 'sessions'),
    identityId: owner('identity', 'sessions'),
    type: field(Type.Enum(['Dial', 'Bind']), {
      required: true,
      write: 'never',
      symbol: 'string',
    }) as Field<AccessType>,
    /** Policies that allowed the session when it was created. */
    servicePolicyIds: field(Type.Array(Type.String()), {
      fallback: [],
      write: 'never',
      show: 'never',
    }),
  },
  many: ['terminators'],
  calledBy: ['type', 'serviceId', 'identityId'],
  uniqueKeys: [{ name: 'purpose', key: purposeOf }],
});

/** A stored session. */
export type SessionRecord = RecordOf<typeof sessionKind.fields>;

/** The key of an API session's session for a service and type: there is at most one. */
export function purposeOf(session: {
  readonly apiSessionId: string;
  readonly serviceId: string;
  readonly type: string;
}): string {
  return `${session.apiSessionId}/${session.serviceId}/${session.type}`;
}

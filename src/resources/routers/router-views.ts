// The joined fields of every view of a router: connection, enrollment, verification.

import Type, { type TSchema } from 'typebox';
import { joinedValue } from '../../declare/resources/joined.ts';
import type { Joined } from '../../declare/resources/resource.ts';
import { isoTime } from '../../declare/resources/view.ts';
import type { SymbolSource } from '../../declare/symbols/symbol-sources.ts';
import { type EnrollmentRecord, enrollmentKind } from '../../records/enrollment.ts';
import type { RouterRecord } from '../../records/router.ts';
import { interfaceSchema } from '../../records/router-presence.ts';
import type { Context, ResourceEnvironment } from '../context.ts';
import { openEnrollment } from '../enrollments/enrollment.ts';
import { presenceOf, type ShownPresence } from './presence.ts';

type JoinedField = Joined<RouterRecord, ResourceEnvironment>;

const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableTime = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

/** Joined fields of both edge routers and routers (behaviour/routers). */
export const sharedRouterFields: Readonly<Record<string, JoinedField>> = {
  isOnline: ofPresence(Type.Boolean(), 'isOnline'),
  isVerified: joinedValue(Type.Boolean(), isVerified),
  interfaces: ofPresence(Type.Array(interfaceSchema), 'interfaces'),
  enrollmentToken: ofEnrollment(
    nullableText,
    (found, context) => openEnrollment(context, found).token,
  ),
  enrollmentJwt: ofEnrollment(nullableText, (found, context) => openEnrollment(context, found).jwt),
  enrollmentCreatedAt: ofEnrollment(nullableTime, ({ createdAt }) => isoTime(createdAt)),
  enrollmentExpiresAt: ofEnrollment(nullableTime, ({ expiresAt }) => isoTime(expiresAt ?? 0)),
};

/** A part of the data from the router's control channel. */
export function ofPresence(schema: TSchema, part: keyof ShownPresence): JoinedField {
  return joinedValue(schema, ({ id }, context) => presenceOf(context, id)[part]);
}

/** Whether the control channel is up (behaviour/filters#connection-state). */
export const isConnected: SymbolSource<RouterRecord, ResourceEnvironment> = {
  type: 'boolean',
  read: ({ id }, env) => presenceOf({ env }, id).isOnline,
};

/** Whether a router has enrolled. */
export function isVerified({ state }: Pick<RouterRecord, 'state'>): boolean {
  return state === 'verified';
}

/** The facts of the outstanding enrollment; null if there is none (behaviour/routers). */
function ofEnrollment(
  schema: typeof nullableText,
  pick: (found: EnrollmentRecord, context: Context) => string,
): JoinedField {
  const joined = joinedValue(schema, (record: RouterRecord, context: Context) => {
    const found = isVerified(record) ? undefined : outstandingEnrollments(context, record.id)[0];
    return found === undefined ? null : pick(found, context);
  });
  return { ...joined, keptText: 'null' };
}

/** The pending enrollments of a router, neither used nor deleted. */
export function outstandingEnrollments(
  { env }: Pick<Context, 'env'>,
  routerId: string,
): EnrollmentRecord[] {
  const rows = env.store.table(enrollmentKind).members('routerId', routerId);
  return [...rows].map(({ record }) => record);
}

// Enrollments in the management API: outstanding and expired ones (behaviour/enrollment).

import Type, { type Static } from 'typebox';
import type { EnrollmentMethod } from '../../../machines/enrollment.ts';
import { mayActOnId, refuseActingOn } from '../../auth/privileged-identities.ts';
import { created, detail } from '../../declare/operations/operation.ts';
import { entityRefSchema, linksSchema } from '../../declare/resources/answers.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { joinedValue } from '../../declare/resources/joined.ts';
import type { Joined } from '../../declare/resources/resource.ts';
import { fieldError } from '../../errors/errors.ts';
import { caKind } from '../../records/ca.ts';
import { type EnrollmentRecord, enrollmentKind } from '../../records/enrollment.ts';
import { identityKind } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import {
  type Context,
  type DefinedResource,
  defineResource,
  operation,
  type ResourceEnvironment,
} from '../context.ts';
import {
  createEnrollment,
  moment,
  type NewEnrollment,
  openEnrollment,
  openToken,
  refreshEnrollment,
  signEnrollment,
  signedInTime,
} from './enrollment.ts';

const createBody = Type.Object({
  identityId: Type.String({ maxLength: 200 }),
  method: Type.Enum(['ott', 'ottca', 'updb']),
  expiresAt: Type.String({ format: 'date-time' }),
  caId: Type.Optional(Type.String({ maxLength: 200 })),
  username: Type.Optional(Type.String({ maxLength: 100 })),
});

const identityRefSchema = Type.Object({
  ...entityRefSchema.properties,
  urlName: Type.String(),
});

const renewed = Type.Object({ _links: linksSchema, id: Type.String() });

/** Steps of the filter budget: two sealed texts take 7 µs to open, reading a field 50 ns. */
const openingSteps = 140;

/**
 * Enrollments in the management API; those of routers are shown too, but created by their own
 * resources.
 */
export const enrollments: DefinedResource<typeof enrollmentKind.fields> = defineResource({
  kind: enrollmentKind,
  path: 'enrollments',
  answered: 'leader',
  title: 'enrollment',
  names: { one: 'Enrollment', many: 'Enrollments' },
  verbs: { management: ['list', 'get', 'delete'] },
  permission: 'enrollment',
  // An enrollment shows the token by which anybody becomes its identity.
  mayShow: (context, { identityId }) => mayActOnId(context, identityId),
  removing: (context, { identityId }) => refuseActingOn(context, identityId),
  hidden: ['routerId'],
  joined: {
    token: opened('token'),
    jwt: opened('jwt'),
    identity: {
      schema: identityRefSchema,
      text(record, { env }) {
        const reference = env.registry.reference('identity', record.identityId);
        return reference && `${reference.slice(0, -1)},"urlName":"identities"}`;
      },
    },
    ca: {
      schema: Type.Union([entityRefSchema, Type.Null()]),
      text: (record, { env }) => env.registry.reference('ca', record.caId) ?? 'null',
    },
    ...routerFields('erott', 'edgeRouter', 'edge-routers'),
    ...routerFields('trott', 'transitRouter', 'transit-routers'),
  },
  unfiltered: ['routerId'],
  symbolSources: {
    identity: 'identityId',
    token: {
      type: 'string',
      steps: openingSteps,
      read: (record, env) => openToken(env.sealing, record),
    },
    edgeRouter: { type: 'string', read: (record) => routerOf(record, 'erott') },
    transitRouter: { type: 'string', read: (record) => routerOf(record, 'trott') },
  },
  operations: [
    operation({
      id: 'createEnrollment',
      method: 'POST',
      path: '/enrollments',
      permission: 'enrollment',
      summary: 'Let an identity enroll once, with a method of its own',
      success: 201,
      body: createBody,
      errors: [400, 401, 409, 429],
      creates: true,
      prepare: (context) => signEnrollment(context, wantedIn(context)),
      decide(context, signed) {
        refuseUnusable(context);
        refuseActingOn(context, context.body.identityId);
        const { id } = createEnrollment(context, signed);
        return created('enrollments', id);
      },
    }),
    operation({
      id: 'refreshEnrollment',
      method: 'POST',
      path: '/enrollments/{id}/refresh',
      permission: 'enrollment.update',
      summary: 'Give an enrollment a new token, a new JWT and a new end',
      answer: renewed,
      body: Type.Object({ expiresAt: Type.String({ format: 'date-time' }) }),
      errors: [400, 401, 404, 429],
      prepare(context) {
        const { env, params } = context;
        const expiresAt = moment('expiresAt', context.body.expiresAt);
        const record = env.store.table(enrollmentKind).find(params['id'] ?? '')?.record;
        if (record === undefined) return undefined;
        const { id, method, identityId, routerId } = record;
        const subject = identityId ?? routerId ?? '';
        const wanted = { method: method as EnrollmentMethod, subject, expiresAt };
        return signEnrollment(context, wanted, id);
      },
      decide(context, signed) {
        const { id, identityId } = rowOf(context, enrollments).record;
        refuseActingOn(context, identityId);
        refreshEnrollment(context, signedInTime(signed));
        const links = `{"self":{"href":"./enrollments/${id}"}}`;
        return detail([`{"_links":${links},"id":"${id}"}`]);
      },
    }),
  ],
});

type CreateContext = Context<Static<typeof createBody>>;

/** The parts of a body that its method uses. */
function wantedIn({ body }: CreateContext): NewEnrollment {
  const { identityId, method, caId, username } = body;
  const expiresAt = moment('expiresAt', body.expiresAt);
  return {
    method,
    subject: identityId,
    identityId,
    expiresAt,
    ...(method === 'ottca' && caId !== undefined ? { caId } : {}),
    ...(method === 'updb' && username !== undefined ? { username } : {}),
  };
}

/** @throws ApiError 400 for a property that the method requires (behaviour/enrollment). */
function refuseUnusable({ env, body }: CreateContext): void {
  const { identityId, method, caId, username } = body;
  if (env.store.table(identityKind).find(identityId) === undefined) {
    throw fieldError('identityId', 'no identity has this id', identityId);
  }
  if (method === 'ottca' && env.store.table(caKind).find(caId ?? '') === undefined) {
    throw fieldError('caId', 'no CA has this id', caId);
  }
  if (method === 'updb' && username === undefined) {
    throw fieldError('username', 'is required', undefined);
  }
}

/** The router of an enrollment, if it has this method. */
function routerOf(record: EnrollmentRecord, method: EnrollmentMethod): string | undefined {
  return record.method === method ? record.routerId : undefined;
}

/** A sealed field in clear text, which no view keeps. */
function opened(field: 'token' | 'jwt'): Joined<EnrollmentRecord, ResourceEnvironment> {
  const joined = joinedValue(
    Type.String(),
    (record: EnrollmentRecord, context: Context) => openEnrollment(context, record)[field],
  );
  return { ...joined, keptText: '' };
}

/** Id and reference of the router of an enrollment with this method. */
function routerFields(method: EnrollmentMethod, name: string, path: string) {
  return {
    [`${name}Id`]: joinedValue(Type.String(), (record: EnrollmentRecord) =>
      routerOf(record, method),
    ),
    [name]: {
      schema: entityRefSchema,
      text(record: EnrollmentRecord, { env }: Context) {
        const router = env.store.table(routerKind).find(routerOf(record, method) ?? '');
        return router && env.registry.at(path).view.reference(router.record);
      },
    },
  };
}

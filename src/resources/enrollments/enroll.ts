// Enrollment over HTTP: one path per method, and one for all of them
// (behaviour/cas#auto-enrollment, behaviour/enrollment).

import Type from 'typebox';
import type { EnrollmentMethod } from '../../../machines/enrollment.ts';
import type { Reply } from '../../declare/operations/operation.ts';
import { ApiError } from '../../errors/errors.ts';
import { passwordSchema } from '../authenticators/authenticator.ts';
import { type Context, type Operation, operation } from '../context.ts';
import {
  enrollmentCertsSchema,
  enrollmentControllers,
  identityCertsSchema,
  pemType,
} from './enroll-answer.ts';
import { enrollByCa } from './enroll-by-ca.ts';
import { checkEnrollmentTokens, enrollByJwt, issuerHeader } from './enroll-by-jwt.ts';
import {
  enrollByPassword,
  enrollByRequest,
  enrollByShownCertificate,
  enrollmentPassword,
} from './enroll-identity.ts';
import { enrollRouter } from './enroll-router.ts';
import { type EnrollBody, enrollmentIn } from './enroll-token.ts';

const text = () => Type.Optional(Type.String());

/** The name that a client requests, at most as long as names may be. */
const wantedName = Type.Optional(Type.String({ maxLength: 1000 }));

// The name of the enrollment applies, so this property is ignored (behaviour/enrollment).
const credentials = { username: text(), password: Type.Optional(passwordSchema) };

const token = Type.String({ format: 'uuid' });

/** A request in PEM; existing clients use several names for it (behaviour/enrollment). */
const requestTypes = [pemType, 'text/plain', 'application/pkcs10', 'application/pkcs7'];

/** The last two have no one-time token: a certificate or an external JWT makes the identity. */
const methods = ['ott', 'ottca', 'updb', 'erott', 'trott', 'ca', 'token'] as const;

const common = { apis: ['client'], method: 'POST', access: 'public' } as const;

/** The operations. */
export const enroll: readonly Operation[] = [
  operation({
    ...common,
    id: 'enroll',
    path: '/enroll',
    summary: 'Enroll by any method',
    answer: Type.Partial(identityCertsSchema),
    rawAnswers: [pemType],
    query: { token, method: Type.Enum([...methods]) },
    body: Type.Object({
      token: text(),
      clientCsr: text(),
      certCsr: text(),
      serverCertCsr: text(),
      serverCsr: text(),
      name: wantedName,
      ...credentials,
    }),
    rawTypes: requestTypes,
    bodyOptional: true,
    errors: [400, 404, 409, 415, 429],
    creates: true,
    grants: true,
    prepare: (context: Context<EnrollBody>): Promise<string | undefined> | undefined => {
      const method = methodIn(context);
      if (method === 'token') return checkEnrollmentTokens(context);
      return method === 'ca' ? undefined : enrollmentPassword(context, method);
    },
    decide: (context: Context<EnrollBody>, passwordHash: string | undefined) => {
      const asked = methodIn(context);
      if (asked === 'ca') return enrollByCa(context);
      if (asked === 'token') return enrollByJwt(context);
      return enrollBy(context, asked, passwordHash);
    },
  }),
  operation({
    ...common,
    id: 'enrollOtt',
    path: '/enroll/ott',
    summary: 'Enroll an identity by its one-time token and a certificate request',
    answer: identityCertsSchema,
    rawAnswers: [pemType],
    query: { token },
    body: Type.Object({ token: text(), clientCsr: text() }),
    rawTypes: requestTypes,
    errors: [400, 404, 409, 415, 429],
    creates: true,
    decide: (context) => enrollByRequest(context, 'ott'),
  }),
  operation({
    ...common,
    id: 'enrollOttCa',
    path: '/enroll/ottca',
    summary: 'Enroll an identity by its one-time token and the client certificate it shows',
    query: { token },
    // The specification has no body here, but clients send the same body as for the other methods.
    body: Type.Object({ token: text(), clientCsr: text() }),
    rawTypes: requestTypes,
    bodyOptional: true,
    errors: [400, 404, 409, 429],
    creates: true,
    decide: (context) => enrollByShownCertificate(context, 'ottca'),
  }),
  operation({
    ...common,
    id: 'enrollUpdb',
    path: '/enroll/updb',
    summary: 'Enroll an identity by its one-time token with a password of its choice',
    query: { token },
    queryRequired: ['token'],
    body: Type.Object(credentials),
    errors: [400, 404, 409, 429],
    creates: true,
    prepare: (context: Context<EnrollBody>) => enrollmentPassword(context, 'updb'),
    decide: (context: Context<EnrollBody>, passwordHash: string | undefined) =>
      enrollByPassword(context, 'updb', passwordHash),
  }),
  operation({
    ...common,
    id: 'enrollCa',
    path: '/enroll/ca',
    summary: 'Become an identity by a client certificate that a verified CA issued',
    body: Type.Object({ name: wantedName }),
    bodyOptional: true,
    errors: [400, 404, 409, 429],
    creates: true,
    grants: true,
    decide: enrollByCa,
  }),
  operation({
    ...common,
    id: 'enrollToken',
    path: '/enroll/token',
    summary: 'Become an identity by the token of an external JWT signer',
    answer: Type.Object({
      ca: text(),
      cert: text(),
      ...enrollmentControllers,
    }),
    headers: { [issuerHeader]: Type.String() },
    body: Type.Object({ clientCsr: text() }),
    errors: [400, 409, 429],
    creates: true,
    grants: true,
    prepare: checkEnrollmentTokens,
    decide: enrollByJwt,
  }),
  operation({
    ...common,
    id: 'enrollErOtt',
    path: '/enroll/erott',
    summary: 'Enroll an edge router by its one-time token and two certificate requests',
    answer: enrollmentCertsSchema,
    query: { token },
    body: Type.Object({
      token: text(),
      clientCsr: text(),
      serverCsr: text(),
      certCsr: text(),
      serverCertCsr: text(),
    }),
    errors: [400, 404, 429],
    creates: true,
    decide: (context) => enrollRouter(context, 'erott'),
  }),
];

/**
 * The method that a request names; undefined if its token determines it.
 * @throws ApiError INVALID_ENROLL_METHOD for an unknown name.
 */
function methodIn({ query }: Context): (typeof methods)[number] | undefined {
  const named = query.get('method') ?? '';
  const method = methods.find((one) => one === named);
  if (method === undefined && named !== '') throw new ApiError('INVALID_ENROLL_METHOD');
  return method;
}

/** Enrolls by the method of the token; a request for another method is refused on the way. */
function enrollBy(
  context: Context<EnrollBody>,
  asked: EnrollmentMethod | undefined,
  passwordHash: string | undefined,
): Reply {
  switch (enrollmentIn(context).method as EnrollmentMethod) {
    case 'ott':
      return enrollByRequest(context, asked);
    case 'ottca':
      return enrollByShownCertificate(context, asked);
    case 'updb':
      return enrollByPassword(context, asked, passwordHash);
    case 'erott':
    case 'trott':
      return enrollRouter(context, asked);
  }
}

// Routers: enrolling by a one-time token, and new certificates that replace the present ones
// (behaviour/enrollment#completion, behaviour/certificates#routers).

import Type, { type Static } from 'typebox';
import type { EnrollmentMethod } from '../../../machines/enrollment.ts';
import { isWithinDates } from '../../auth/certificates/client-chain.ts';
import { isIssuedByNetwork } from '../../auth/certificates/issuing-cas.ts';
import type { Reply } from '../../declare/operations/operation.ts';
import { ApiError } from '../../errors/errors.ts';
import { routerKind } from '../../records/router.ts';
import { type IssuedPair, issueRouterCertificates } from '../../routers/issued-certificates.ts';
import { type Context, operation } from '../context.ts';
import { certsReply, enrollmentCertsSchema } from './enroll-answer.ts';
import { completeEnrollment, type EnrollBody } from './enroll-token.ts';

/**
 * Issues the two certificates of a router, which is verified from then on. @throws ApiError
 * MISSING_OR_INVALID_CSR, COULD_NOT_PROCESS_CSR.
 */
export function enrollRouter(
  context: Context<EnrollBody>,
  asked: EnrollmentMethod | undefined,
): Reply {
  const { env, tx, now, body } = context;
  const { routerId } = completeEnrollment(context, asked);
  if (routerId === undefined) throw new Error('the enrollment has no router');
  // The first names are those of the published schema, the second those that routers send.
  const isPublished = body.certCsr === undefined && body.serverCertCsr === undefined;
  const names = isPublished ? publishedNames : routerNames;
  const issued = issuedFor(context, routerId, names);
  env.send(tx, 'router', routerId, {
    type: 'enroll',
    now,
    certPem: issued.client.chainPem,
    fingerprint: issued.client.fingerprint,
  });
  return certsOf(issued);
}

const publishedNames = ['clientCsr', 'serverCsr'] as const;
const routerNames = ['certCsr', 'serverCertCsr'] as const;

const extendBody = Type.Object({ certCsr: Type.String(), serverCertCsr: Type.String() });

/** Issues new certificates by the present one, which is invalid after the answer. */
export const extendRouter = operation({
  id: 'extendRouterEnrollment',
  apis: ['client'],
  method: 'POST',
  path: '/enroll/extend/router',
  access: 'public',
  summary: 'Give a router new certificates in place of the one that it shows',
  answer: enrollmentCertsSchema,
  body: extendBody,
  errors: [400, 401, 429],
  decide: extend,
});

function extend(context: Context<Static<typeof extendBody>>): Reply {
  const { env, tx, now } = context;
  const { routerId, fingerprint: presentedFingerprint } = shownRouter(context);
  const issued = issuedFor(context, routerId, routerNames);
  env.send(tx, 'router', routerId, {
    type: 'extend',
    now,
    presentedFingerprint,
    certPem: issued.client.chainPem,
    fingerprint: issued.client.fingerprint,
  });
  return certsOf(issued);
}

/**
 * The router whose valid certificate the connection shows. Every certificate that we issue to a
 * router contains its id, and its record names only such ones. @throws ApiError 401.
 */
function shownRouter({ env, now, request }: Context): { routerId: string; fingerprint: string } {
  const evaluated = env.clientChains.evaluate(request.peer.certificates);
  const { leaf, issuingCa } = evaluated ?? {};
  const router = env.store.table(routerKind).find(leaf?.commonName ?? '')?.record;
  const isOnRecord = leaf !== undefined && router?.fingerprint === leaf.fingerprint;
  const isOurs =
    issuingCa !== undefined &&
    isIssuedByNetwork(issuingCa, isOnRecord) &&
    isWithinDates(issuingCa, now);
  if (!isOnRecord || !isOurs) throw new ApiError('UNAUTHORIZED');
  return { routerId: router.id, fingerprint: leaf.fingerprint };
}

function issuedFor(
  { env, body }: Context<EnrollBody>,
  routerId: string,
  [clientField, serverField]: readonly [keyof EnrollBody, keyof EnrollBody],
): IssuedPair {
  for (const field of [clientField, serverField]) {
    // An empty one is none that can be read, which has another code.
    if (body[field] !== undefined) continue;
    const cause = { field, reason: 'is required', value: '' };
    throw new ApiError('MISSING_OR_INVALID_CSR', { cause });
  }
  const asked = (field: keyof EnrollBody) => ({ field, csr: body[field] ?? '' });
  const requests = { client: asked(clientField), server: asked(serverField) };
  return issueRouterCertificates(env, routerId, requests);
}

function certsOf({ client, server }: IssuedPair): Reply {
  return certsReply({ ca: client.caPem, cert: client.chainPem, serverCert: server.chainPem });
}

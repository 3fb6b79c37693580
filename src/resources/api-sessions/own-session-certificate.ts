// Certificates of the caller's API session: /current-api-session/certificates
// (behaviour/api-sessions#certificates).

import Type from 'typebox';
import { listReply } from '../../declare/lists/list.ts';
import { detail, emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { linksSchema } from '../../declare/resources/answers.ts';
import { removeRecord } from '../../declare/resources/crud.ts';
import { joinedValue } from '../../declare/resources/joined.ts';
import { ApiError, notFound, quotaExceeded } from '../../errors/errors.ts';
import type { Issued } from '../../pki/authority/issuing.ts';
import { subjectText } from '../../pki/x509/certificate-text.ts';
import { readCertificateRequest } from '../../pki/x509/csr.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import {
  type SessionCertificateRecord,
  sessionCertificateKind,
} from '../../records/session-certificate.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Row } from '../../store/record.ts';
import { type Context, type DefinedResource, defineResource, operation } from '../context.ts';
import { sessionCertificatePem } from './presented-certificate.ts';

const path = 'current-api-session/certificates';
const createBody = Type.Object({ csr: Type.String({ minLength: 1 }) });

/** Certificates of an API session, shown only to that session. */
export const ownSessionCertificates: DefinedResource = defineResource({
  kind: sessionCertificateKind,
  path,
  answered: 'leader',
  title: 'session certificate',
  names: {
    one: 'CurrentApiSessionCertificate',
    many: 'CurrentApiSessionCertificates',
  },
  verbs: {},
  hidden: ['apiSessionId'],
  joined: {
    certificate: joinedValue(Type.String(), (record: SessionCertificateRecord, context) =>
      sessionCertificatePem(context, record),
    ),
  },
  symbolSources: { apiSession: 'apiSessionId' },
  unfiltered: ['validFrom', 'validTo'],
  operations: [
    operation({
      id: 'listCurrentApiSessionCertificates',
      apis: ['client'],
      path: `/${path}`,
      answered: 'leader',
      access: 'full',
      summary: 'List the certificates of the API session of the caller',
      answer: () => Type.Array(ownSessionCertificates.answerSchema),
      isList: true,
      errors: [400, 401, 429],
      decide: (context) =>
        listReply(context, context.env.registry.of(ownSessionCertificates), {
          form: 'rows',
          rows: ownSessionCertificateRows(context),
        }),
    }),
    operation({
      id: 'createCurrentApiSessionCertificate',
      apis: ['client'],
      method: 'POST',
      path: `/${path}`,
      access: 'full',
      summary: 'Issue a certificate for the API session of the caller',
      success: 201,
      answer: Type.Object({
        _links: linksSchema,
        id: Type.String(),
        cas: Type.String(),
        certificate: Type.String(),
      }),
      body: createBody,
      errors: [400, 401, 429],
      creates: true,
      decide: (context) => create(context),
    }),
    operation({
      id: 'detailCurrentApiSessionCertificate',
      apis: ['client'],
      path: `/${path}/{id}`,
      answered: 'leader',
      access: 'full',
      summary: 'Get one certificate of the API session of the caller',
      answer: () => ownSessionCertificates.answerSchema,
      errors: [401, 404, 429],
      decide(context) {
        const { view } = context.env.registry.of(ownSessionCertificates);
        return detail(view.chunks(own(context), context));
      },
    }),
    operation({
      id: 'deleteCurrentApiSessionCertificate',
      apis: ['client'],
      method: 'DELETE',
      path: `/${path}/{id}`,
      access: 'full',
      summary: 'Delete one certificate of the API session of the caller',
      errors: [400, 401, 404, 429],
      decide(context) {
        removeRecord(context, ownSessionCertificates, own(context));
        return emptyReply;
      },
    }),
  ],
});

/** The certificates of the caller's API session. */
export function ownSessionCertificateRows({
  env,
  caller,
}: Context): readonly Row<SessionCertificateRecord>[] {
  const table = env.store.table(sessionCertificateKind);
  return [...table.members('apiSessionId', caller.session.record.id)];
}

/** @throws ApiError NOT_FOUND also for a certificate of another API session. */
function own(context: Context): SessionCertificateRecord {
  const id = context.params['id'] ?? '';
  const table = context.env.store.table(sessionCertificateKind);
  const record = table.find(id)?.record;
  if (record === undefined || record.apiSessionId !== context.caller.session.record.id) {
    throw notFound('session certificate', id);
  }
  return record;
}

function create(context: Context<Type.Static<typeof createBody>>): Reply {
  const { env, caller, body } = context;
  const request = readCertificateRequest(body.csr, 'csr');
  const apiSessionId = caller.session.record.id;
  makeRoom(context, caller.identity.id, apiSessionId);
  const id = env.ids.entity();
  const issued = env.issuing.session(request, { identityId: caller.identity.id, apiSessionId, id });
  const { chainPem, caPem } = issued;
  storeIssued(context, { id, apiSessionId }, issued);
  const shown = { cas: caPem, certificate: chainPem };
  const links = { self: { href: `./${path}/${id}` } };
  return { form: 'data', status: 201, data: [JSON.stringify({ _links: links, id, ...shown })] };
}

/** Keeps a certificate that was issued for an API session. */
export function storeIssued(
  { env, tx, now }: Context,
  { id, apiSessionId }: Pick<SessionCertificateRecord, 'id' | 'apiSessionId'>,
  { certificate, fingerprint, chainPem }: Issued,
): void {
  const record: SessionCertificateRecord = {
    id,
    createdAt: now,
    updatedAt: now,
    tags: {},
    apiSessionId,
    fingerprint,
    certificate: chainPem,
    subject: subjectText(certificate),
    validFrom: certificate.validFromDate.getTime(),
    validTo: certificate.validToDate.getTime(),
    isIssued: true,
  };
  tx.put(env.store.table(sessionCertificateKind), record);
}

/**
 * Expired ones make room; the one of the login stays. @throws ApiError RATE_LIMITED when the
 * session has reached its limit.
 */
export function makeRoom(context: Context, identityId: string, apiSessionId: string): void {
  const { env, tx, now } = context;
  const table = env.store.table(sessionCertificateKind);
  const all = [...table.members('apiSessionId', apiSessionId)];
  const issued = all.filter(({ record }) => record.isIssued);
  const ended = issued.filter(({ record }) => (record.validTo ?? 0) < now);
  for (const { record } of ended) tx.delete(table, record.id);
  const { sessionCertificatesMax } = boundsOf(certificateBounds, env.bounds);
  if (issued.length - ended.length >= sessionCertificatesMax) {
    throw new ApiError('RATE_LIMITED');
  }
  refuseTooMany(context, identityId);
}

/**
 * @throws ApiError QUOTA_EXCEEDED when the identity has reached its limit over all of its API
 * sessions.
 */
function refuseTooMany({ env, now }: Context, identityId: string): void {
  const { sessionCertificatesPerIdentityMax: most } = env.limits;
  const certificates = env.store.table(sessionCertificateKind);
  const group = certificates.group('apiSessionId');
  const sessions = [...env.store.table(apiSessionKind).members('identityId', identityId)];
  let count = 0;
  for (const { id } of sessions) count += group.count(id);
  // Some of these may be of a login, or expired, but checking each one takes longer.
  if (count < most) return;
  count = 0;
  for (const { id } of sessions) {
    for (const { record } of group.rows(id)) {
      if (record.isIssued && (record.validTo ?? 0) >= now) count++;
    }
  }
  if (count >= most) {
    throw quotaExceeded('certificates', `the API sessions of an identity may have ${most}`);
  }
}

const certificateBounds = {
  /**
   * Unexpired certificates that were issued for one API session; a further one is refused with 429.
   * Clients need one, and another before its 12 hours are over. @bound per session
   */
  sessionCertificatesMax: 20,
};

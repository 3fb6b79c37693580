// Third-party certificate authorities (behaviour/cas).

import type { X509Certificate } from 'node:crypto';
import Type from 'typebox';
import type { CaEvent } from '../../../machines/ca.ts';
import { claimProblem } from '../../auth/external-jwt/external-id-claim.ts';
import { emptyReply } from '../../declare/operations/operation.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { joinedValue } from '../../declare/resources/joined.ts';
import { fieldError } from '../../errors/errors.ts';
import { commonName, isInDate, readCertificates } from '../../pki/x509/certificate-text.ts';
import { fingerprint, isIssuedBy } from '../../pki/x509/pem.ts';
import { type CaRecord, caKind, nameFormat } from '../../records/ca.ts';
import { checkLoginRule, refuseIfReliedOn, reliesOnCa } from '../authentication/login-rules.ts';
import { refuseIfNoAdminLogin } from '../authenticators/admin-logins.ts';
import { type Context, type DefinedResource, defineResource, operation } from '../context.ts';
import { checkAttributesIn } from '../policies/member-attributes.ts';
import { admitsLogins } from './client-cas.ts';

/** CAs in the management API. */
export const cas: DefinedResource<typeof caKind.fields> = defineResource({
  kind: caKind,
  path: 'cas',
  answered: 'here',
  title: 'CA',
  names: { one: 'Ca', many: 'Cas' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'ca',
  // Only a put requires it (behaviour/cas#fixed-fields).
  inputs: { update: { identityNameFormat: nameFormat } },
  linksOf: (record) => ({
    ...(isVerified(record) ? {} : { verify: `./cas/${record.id}/verify` }),
    ...(record.isAutoCaEnrollmentEnabled ? { jwt: `./cas/${record.id}/jwt` } : {}),
  }),
  joined: { isVerified: joinedValue(Type.Boolean(), isVerified) },
  unfiltered: ['identityRoles'],
  symbolSources: { isVerified: { type: 'boolean', read: isVerified } },
  check(context, draft, _body, stored) {
    checkLoginRule(context, draft, stored, reliesOnCa, switches);
    // They would make every enrollment under the CA fail.
    checkAttributesIn(context, 'identityRoles', draft.identityRoles ?? []);
    const { externalIdClaim: claim } = draft;
    const problem = claim && claimProblem(claim);
    if (problem !== undefined) throw fieldError(problem.field, problem.reason, claim);
    if (stored !== undefined) return;
    draft.fingerprint = fingerprint(authorityIn(draft.certPem));
    draft.verificationToken = context.env.ids.uuid();
    draft.jwt = context.env.signCaEnrollment(draft.id);
  },
  written(context, record, _body, stored) {
    if (stored === undefined || !admitsLogins(stored)) return;
    const namesNobody = stored.externalIdClaim && !record.externalIdClaim;
    if (!record.isAuthEnabled || namesNobody) refuseIfNoAdminLogin(context);
  },
  removing(context, record) {
    refuseIfReliedOn(context, record, reliesOnCa);
    if (admitsLogins(record)) refuseIfNoAdminLogin(context, { caId: record.id });
  },
  operations: [
    operation({
      id: 'getCaJwt',
      path: '/cas/{id}/jwt',
      answered: 'leader',
      permission: 'ca',
      summary: 'Get the JWT by which holders of certificates of a CA enroll',
      answer: { bare: ['text/plain', 'application/jwt'] },
      errors: [401, 404, 429],
      decide(context) {
        const { id, jwt = '' } = rowOf(context, cas).record;
        const { env } = context;
        const body = env.isCurrentCaEnrollment(jwt) ? jwt : env.signCaEnrollment(id);
        // Existing tools request the type that edge-api declares
        // (behaviour/enrollment#lasting-jwts).
        const asked = context.request.header('accept').toLowerCase().includes('application/jwt');
        const contentType = asked ? 'application/jwt' : 'text/plain';
        return { form: 'bare', status: 200, contentType, body };
      },
    }),
    operation({
      id: 'verifyCa',
      method: 'POST',
      path: '/cas/{id}/verify',
      permission: 'ca.update',
      summary: 'Prove control of a CA by a certificate that it signed for the verification token',
      body: Type.String(),
      bodyType: 'text/plain',
      errors: [400, 401, 404, 409, 429],
      decide(context) {
        const record = rowOf(context, cas).record;
        refuseIfReliedOn(context, record, reliesOnCa);
        const event = verification(context, record);
        context.env.send(context.tx, 'ca', record.id, event);
        if (!context.caller.isAdmin) leaveUnconfirmed(context, record.id);
        return emptyReply;
      },
    }),
  ],
});

/** The flags that let somebody in. */
const switches = [
  'isAuthEnabled',
  'isAutoCaEnrollmentEnabled',
  'isOttCaEnrollmentEnabled',
] as const;

function leaveUnconfirmed({ env, tx }: Context<string>, id: string): void {
  const table = env.store.table(caKind);
  const row = table.find(id);
  if (row !== undefined) tx.put(table, { ...row.record, isUnconfirmed: true });
}

function isVerified({ state }: CaRecord): boolean {
  return state === 'verified';
}

/** The first certificate of a text. @throws ApiError 400 unless it is that of a CA. */
function authorityIn(certPem: string, charactersMax?: number): X509Certificate {
  const read = readCertificates(certPem, charactersMax);
  if ('unreadable' in read) throw fieldError('certPem', read.reason, certPem);
  const [authority] = read.certificates;
  if (!authority.ca) throw fieldError('certPem', 'the certificate is not that of a CA', certPem);
  return authority;
}

type Verification = Extract<CaEvent, { type: 'verify' }>;

/**
 * The submitted certificate, in the form that the machine of the CA evaluates
 * (behaviour/cas#verification).
 */
function verification(context: Context<string>, record: CaRecord): Verification {
  const { now } = context;
  const read = readCertificates(context.body);
  if ('unreadable' in read) {
    const { unreadable } = read;
    return { type: 'verify', now, unreadable, commonName: '', signedByCa: false };
  }
  const [submitted] = read.certificates;
  const authority = authorityIn(record.certPem, record.certPem.length);
  const signedByCa =
    isInDate(submitted, now) && isInDate(authority, now) && isIssuedBy(submitted, authority);
  const shown = commonName(submitted);
  return { type: 'verify', now, unreadable: undefined, commonName: shown, signedByCa };
}

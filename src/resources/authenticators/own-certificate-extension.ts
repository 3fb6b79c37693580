// Replaces the caller's certificate that we issued by a new one: extend and extend-verify
// (behaviour/certificates).

import type { X509Certificate } from 'node:crypto';
import Type from 'typebox';
import type { EvaluatedChain } from '../../auth/certificates/client-chain.ts';
import { isIssuedByNetwork } from '../../auth/certificates/issuing-cas.ts';
import { detail, emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { ApiError } from '../../errors/errors.ts';
import { readCertificates, subjectText } from '../../pki/x509/certificate-text.ts';
import { readCertificateRequest } from '../../pki/x509/csr.ts';
import { fingerprint, publicKeyFingerprint } from '../../pki/x509/pem.ts';
import type { SessionCertificateRecord } from '../../records/session-certificate.ts';
import { sessionCertificateKind } from '../../records/session-certificate.ts';
import { ownSessionCertificateRows } from '../api-sessions/own-session-certificate.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { ownAuthenticator } from './own-authenticator.ts';
import { pemError } from './submitted-certificate.ts';

const path = '/current-identity/authenticators/{id}';
const extendBody = Type.Object({ clientCertCsr: Type.String({ minLength: 1 }) });
const verifyBody = Type.Object({ clientCert: Type.String({ minLength: 1 }) });

/** The two operations, in both APIs. */
export const ownCertificateExtension: readonly Operation[] = [
  operation({
    id: 'extendCurrentIdentityAuthenticator',
    apis: ['client', 'management'],
    method: 'POST',
    path: `${path}/extend`,
    access: 'full',
    summary: "Issue the caller's next certificate; the one in use stays valid",
    answer: Type.Object({ ca: Type.String(), clientCert: Type.String() }),
    body: extendBody,
    errors: [400, 401, 404, 409],
    decide: (context) => extend(context),
  }),
  operation({
    id: 'extendVerifyCurrentIdentityAuthenticator',
    apis: ['client', 'management'],
    method: 'POST',
    path: `${path}/extend-verify`,
    access: 'full',
    summary: "Put the caller's next certificate in the place of the one in use",
    body: verifyBody,
    errors: [400, 401, 404],
    decide: (context) => verify(context),
  }),
];

/** The connection must show the same certificate that is to be extended. */
function extend(context: Context<Type.Static<typeof extendBody>>): Reply {
  const { env, tx, now, request, body } = context;
  const { record } = ownAuthenticator(context);
  // A password has no certificate, so its machine knows no extension.
  if (record.method !== 'cert') throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR');
  const chain = env.clientChains.evaluate(request.peer.certificates);
  const leaf = chain?.issuingCa === undefined ? undefined : chain.leaf;
  const issuedByUs = isIssuedByNetwork(chain?.issuingCa, record.isIssuedByNetwork);
  // For any other certificate nothing is issued, because the machine refuses it.
  const next =
    leaf !== undefined && issuedByUs && leaf.fingerprint === record.fingerprint
      ? issueNext(context, body.clientCertCsr, leaf)
      : nothing;
  env.send(tx, 'authenticator', record.id, {
    type: 'extend',
    now,
    presentedFingerprint: leaf?.fingerprint ?? '',
    issuedByUs,
    pendingCertPem: next.chainPem,
    pendingFingerprint: next.fingerprint,
    pendingPublicKeyPrint: next.publicKeyPrint,
  });
  return detail([JSON.stringify({ ca: next.caPem, clientCert: next.chainPem })]);
}

const nothing = { chainPem: '', caPem: '', fingerprint: '', publicKeyPrint: '' };

function issueNext({ env }: Context, csr: string, leaf: EvaluatedChain['leaf']): typeof nothing {
  const asked = readCertificateRequest(csr, 'clientCertCsr');
  const issued = env.issuing.extended(asked, leaf);
  return { ...issued, publicKeyPrint: publicKeyFingerprint(asked.publicKey) };
}

/**
 * Clients send back the chain that they received; its first certificate counts. The API session
 * continues with the new certificate; sessions of other logins keep their fingerprint.
 */
function verify(context: Context<Type.Static<typeof verifyBody>>): Reply {
  const { env, tx, now, body } = context;
  const { id, method, fingerprint: old } = ownAuthenticator(context).record;
  const read = readCertificates(body.clientCert);
  if ('unreadable' in read) {
    throw pemError('COULD_NOT_PARSE_PEM_BLOCK', 'clientCert', read.reason, body.clientCert);
  }
  const [leaf] = read.certificates;
  if (method !== 'cert') throw new ApiError('INVALID_CLIENT_CERT');
  const event = { type: 'extendVerify', now, fingerprint: fingerprint(leaf) };
  env.send(tx, 'authenticator', id, event);
  const table = env.store.table(sessionCertificateKind);
  for (const { record } of ownSessionCertificateRows(context)) {
    if (record.fingerprint === old) tx.put(table, followed(record, leaf, now));
  }
  return emptyReply;
}

/** The PEM is stored in the authenticator. */
function followed(
  record: SessionCertificateRecord,
  leaf: X509Certificate,
  now: number,
): SessionCertificateRecord {
  return {
    ...record,
    certificate: undefined,
    fingerprint: fingerprint(leaf),
    subject: subjectText(leaf),
    validFrom: leaf.validFromDate.getTime(),
    validTo: leaf.validToDate.getTime(),
    updatedAt: now,
  };
}

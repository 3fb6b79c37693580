// The client certificate of a login, stored with the API session, because routers identify the
// client by it.

import { X509Certificate } from 'node:crypto';
import { authenticatorKind } from '../../records/authenticator.ts';
import type { SessionCertificateRecord } from '../../records/session-certificate.ts';
import { sessionCertificateKind } from '../../records/session-certificate.ts';
import type { Context } from '../context.ts';

/**
 * Attaches the leaf of the connection to an API session, for any method of login, because the
 * client has proven that it holds the key (behaviour/login#effects). Nothing happens without a
 * certificate that can be read.
 */
export function attachCertificate(context: Context, apiSessionId: string): void {
  const { env, tx, now, request } = context;
  const [der] = request.peer.certificates;
  if (der === undefined) return;
  const { leaf } = env.clientChains.evaluate(request.peer.certificates) ?? {};
  if (leaf === undefined) return;
  const { fingerprint, subject, validFromMs, validToMs } = leaf;
  const isKept = pemOf(context, fingerprint) !== undefined;
  const record: SessionCertificateRecord = {
    id: env.ids.entity(),
    createdAt: now,
    updatedAt: now,
    tags: {},
    apiSessionId,
    fingerprint,
    subject,
    validFrom: validFromMs,
    validTo: validToMs,
    certificate: isKept ? undefined : new X509Certificate(der).toString(),
    isIssued: false,
  };
  tx.put(env.store.table(sessionCertificateKind), record);
}

/**
 * The PEM of a session certificate from the place where it is stored; empty when it is no longer
 * known.
 */
export function sessionCertificatePem(
  context: Pick<Context, 'env'>,
  { certificate, fingerprint }: SessionCertificateRecord,
): string {
  return certificate ?? pemOf(context, fingerprint) ?? '';
}

function pemOf({ env }: Pick<Context, 'env'>, fingerprint: string): string | undefined {
  const table = env.store.table(authenticatorKind);
  return table.findBy('fingerprint', fingerprint)?.record.certPem;
}

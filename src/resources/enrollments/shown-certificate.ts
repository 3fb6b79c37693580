// Reads the certificate that a client shows when it enrolls, and finds its CA among those it may
// enroll by.

import { X509Certificate } from 'node:crypto';
import { isWithinDates, type LeafFacts } from '../../auth/certificates/client-chain.ts';
import type { ErrorCode } from '../../errors/error-codes.ts';
import { ApiError } from '../../errors/errors.ts';
import { authenticatorKind } from '../../records/authenticator.ts';
import type { CaRecord } from '../../records/ca.ts';
import { clientCa } from '../cas/client-cas.ts';
import type { Context } from '../context.ts';

/** A client's certificate and the CA that issued it. */
export interface ShownCertificate {
  readonly leaf: LeafFacts;
  readonly pem: string;
  readonly ca: CaRecord;
}

/**
 * The certificate of the connection. Its whole chain must be within its dates and for TLS clients,
 * because clients will log in with it (behaviour/enrollment#completion,
 * behaviour/cas#auto-enrollment).
 * @param cas the accepted CAs; the nearest one to the certificate is returned.
 * @param code the code of a refusal, which differs by method of enrollment.
 * @throws ApiError of that code.
 */
export function shownCertificate(
  { env, now, request }: Pick<Context, 'env' | 'now' | 'request'>,
  cas: readonly CaRecord[],
  code: ErrorCode,
): ShownCertificate {
  const { certificates } = request.peer;
  const refuse = (reason: string) =>
    new ApiError(code, { cause: { field: 'clientCertificate', reason, value: '' } });
  const leaf = env.clientChains.evaluate(certificates)?.leaf;
  const [der] = certificates;
  if (der === undefined) throw refuse('the connection shows none');
  if (leaf === undefined) throw refuse('it cannot be read, or too many come with it');
  const issuingCa = env.clientChains.caOf(certificates, cas.map(clientCa));
  const ca = cas.find(({ id }) => id === issuingCa?.caId);
  if (issuingCa === undefined || ca === undefined) throw refuse('no CA for it is above it');
  if (!issuingCa.allowsClients) throw refuse('it is not for TLS clients');
  if (!isWithinDates(issuingCa, now)) throw refuse('it, or a CA above it, is not in date');
  return { leaf, pem: new X509Certificate(der).toString(), ca };
}

/** @throws ApiError CERT_IN_USE if an authenticator has the certificate. */
export function refuseInUse({ env }: Pick<Context, 'env'>, { fingerprint }: LeafFacts): void {
  if (env.store.table(authenticatorKind).findBy('fingerprint', fingerprint) !== undefined) {
    throw new ApiError('CERT_IN_USE');
  }
}

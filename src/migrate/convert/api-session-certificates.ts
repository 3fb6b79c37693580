// Certificates of API sessions, by which routers know clients.

import { sessionCertificateKind } from '../../records/session-certificate.ts';
import { type ConversionContext, defineConversion } from './conversion.ts';
import { textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';

/** Certificates of the API sessions that are kept. */
export const apiSessionCertificates = defineConversion({
  bucket: 'apiSessionCertificates',
  kind: sessionCertificateKind,
  derived: [],
  convert(entity, context) {
    const apiSessionId = textIn(entity, 'apiSession');
    const fingerprint = textIn(entity, 'fingerprint')?.toLowerCase();
    if (apiSessionId === undefined || !context.has('apiSession', apiSessionId)) {
      return new LeftOut('Its API session is not kept.');
    }
    if (fingerprint === undefined) return new LeftOut('It has no fingerprint.');
    const pem = textIn(entity, 'pem');
    const isOfLogin = fingerprint === fingerprintOfLogin(apiSessionId, context);
    return {
      apiSessionId,
      fingerprint,
      subject: entity.text('subject') ?? '',
      validFrom: entity.time('validAfter'),
      validTo: entity.time('validBefore'),
      isIssued: !isOfLogin,
      // The authenticator holds it already.
      certificate: isOfLogin ? undefined : pem,
    };
  },
});

/** The fingerprint of the certificate that the client logged in with, if it did so with one. */
function fingerprintOfLogin(
  apiSessionId: string,
  { network, has }: ConversionContext,
): string | undefined {
  const id = network.entity('apiSessions', apiSessionId)?.text('authenticator') ?? '';
  if (!has('authenticator', id)) return undefined;
  return network.entity('authenticators', id)?.text('certFingerprint')?.toLowerCase();
}

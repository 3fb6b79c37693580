// Certificates of identities, as the peer's authenticators hold them.

import type { X509Certificate } from 'node:crypto';
import { readCertificates } from '../../pki/x509/certificate-text.ts';
import { chainTo } from '../../pki/x509/pem.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { type CertificatePrints, printsIn } from './certificate-prints.ts';
import type { ConversionContext } from './conversion.ts';
import { textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';
import type { EntityNotes } from './notes.ts';
import type { AuthenticatorValues } from './passwords.ts';

/** A certificate that logs in, or why it is left out. */
export function certificateOf(
  entity: PeerEntity,
  context: ConversionContext,
  notes: EntityNotes,
): AuthenticatorValues | LeftOut {
  const certPem = textIn(entity, 'certPem');
  const stated = textIn(entity, 'certFingerprint')?.toLowerCase();
  const prints = certPem === undefined ? undefined : printsIn(certPem);
  if (certPem !== undefined && prints === undefined) {
    notes.changed('Its certificate cannot be read, and it keeps only the fingerprint.');
  }
  const { fingerprint = stated, publicKeyPrint }: Partial<CertificatePrints> = prints ?? {};
  if (fingerprint === undefined) {
    return new LeftOut('It has neither a certificate nor a fingerprint.');
  }
  if (stated !== undefined && stated !== fingerprint) {
    notes.changed('Its fingerprint was not that of its certificate, and is now.');
  }
  // Empty until its first use, so it is always computed.
  entity.pass('publicKeyPrint');
  return {
    method: 'cert',
    fingerprint,
    ...(prints && { certPem, publicKeyPrint }),
    ...issuerOf(entity, context, prints && certPem),
    ...pendingOf(entity, notes),
    lastExtendRolledKeys: entity.flag('lastExtendRolledKeys'),
    lastAuthResolvedToRoot: entity.flag('lastAuthResolvedToRoot'),
    isExtendRequested: entity.flag('isExtendRequested') || undefined,
    isKeyRollRequested: entity.flag('isKeyRollRequested') || undefined,
    extendRequestedAt: entity.time('extendRequestedAt'),
  };
}

/** Who issued the certificate: the network, a third-party CA, or nobody that is still known. */
function issuerOf(
  entity: PeerEntity,
  { authorities, found }: ConversionContext,
  certPem: string | undefined,
) {
  const isIssuedByNetwork = entity.flag('isIssuedByNetwork');
  if (isIssuedByNetwork || certPem === undefined) return { isIssuedByNetwork };
  const [leaf, ...others] = certificatesIn(certPem);
  if (leaf === undefined) return { isIssuedByNetwork };
  // Older schemas do not say it.
  if (!entity.names().includes('isIssuedByNetwork')) {
    if (chainTo(leaf, [...others, ...authorities], authorities) !== undefined) {
      return { isIssuedByNetwork: true };
    }
  }
  const ca = found.thirdParties.find(({ certificate }) => chainTo(leaf, others, [certificate]));
  return { isIssuedByNetwork, caId: ca?.id };
}

function certificatesIn(certPem: string): readonly X509Certificate[] {
  const read = readCertificates(certPem, certPem.length);
  return 'unreadable' in read ? [] : read.certificates;
}

/** A certificate that was issued for an extension and is not confirmed yet. */
function pendingOf(entity: PeerEntity, notes: EntityNotes) {
  const pendingCertPem = textIn(entity, 'unverifiedCertPem');
  const stated = textIn(entity, 'unverifiedCertFingerprint');
  const prints = pendingCertPem === undefined ? undefined : printsIn(pendingCertPem);
  if (prints !== undefined) {
    return {
      state: 'certificate:pending,life:existing',
      pendingCertPem,
      pendingFingerprint: prints.fingerprint,
      pendingPublicKeyPrint: prints.publicKeyPrint,
    };
  }
  if (pendingCertPem !== undefined || stated !== undefined) {
    notes.changed('Its pending certificate is missing or cannot be read, and is dropped.');
  }
  return { state: 'certificate:current,life:existing' };
}

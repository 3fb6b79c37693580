// Judges every certificate that the network issued by the CAs of the new home, as a login of its
// holder and the hello of a router will be judged. Dates are not looked at: a certificate that has
// ended had ended before.

import { ClientChains, type ShownChain } from '../../auth/certificates/client-chain.ts';
import type { OwnAuthorities } from '../../auth/certificates/issuing-cas.ts';
import { authenticatorKind } from '../../records/authenticator.ts';
import { identityKind } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import type { Store } from '../../store/store.ts';
import { type BoundedList, Collected } from './bounded-list.ts';

/** A certificate that the new home does not accept. */
export interface RefusedCertificate {
  readonly kind: 'identity' | 'router';
  /** Of its holder. */
  readonly id: string;
  readonly name: string;
  /** SHA-1 of the certificate, as the network shows it. */
  readonly fingerprint: string;
  /** The end of a sentence. */
  readonly reason: string;
}

/** The outcome for all certificates. */
export interface CertificateProof {
  readonly checked: number;
  readonly accepted: number;
  readonly refused: BoundedList<RefusedCertificate>;
}

/** What is judged, and by what. */
export interface JudgedCertificates {
  readonly store: Store;
  readonly authorities: OwnAuthorities;
  /** Called for each certificate. */
  readonly judged: () => void;
}

/** Judges all of them. */
export function judgeCertificates({
  store,
  authorities,
  judged,
}: JudgedCertificates): CertificateProof {
  const none = { revision: 0, all: () => [] };
  // Each chain is looked at once, so that remembering verdicts would be of no use.
  const chains = new ClientChains(authorities, none, { chainCacheBytesMax: 64 * 1024 });
  const refused = new Collected<RefusedCertificate>();
  let checked = 0;
  for (const { certPem, ...holder } of issuedCertificates(store)) {
    checked += 1;
    judged();
    const reason = refusal(certPem, chains);
    if (reason !== undefined) refused.add({ ...holder, reason });
  }
  return { checked, accepted: checked - refused.count, refused: refused.list };
}

interface Issued extends Omit<RefusedCertificate, 'reason'> {
  readonly certPem: string;
}

/** The certificates of records that say that the network issued them, those that wait included. */
function* issuedCertificates(store: Store): Generator<Issued> {
  const identities = store.table(identityKind);
  for (const { record } of store.table(authenticatorKind).all()) {
    if (record.method !== 'cert' || !record.isIssuedByNetwork) continue;
    const { identityId: id } = record;
    const name = identities.peek(id)?.record.name ?? '';
    yield* held({ kind: 'identity', id, name }, [
      [record.certPem, record.fingerprint],
      [record.pendingCertPem, record.pendingFingerprint],
    ]);
  }
  for (const { record } of store.table(routerKind).all()) {
    const { id, name } = record;
    yield* held({ kind: 'router', id, name }, [
      [record.certPem, record.fingerprint],
      [record.unverifiedCertPem, record.unverifiedFingerprint],
    ]);
  }
}

function* held(
  holder: Pick<Issued, 'kind' | 'id' | 'name'>,
  certificates: readonly (readonly [pem: string | undefined, fingerprint: string | undefined])[],
): Generator<Issued> {
  for (const [certPem, fingerprint = ''] of certificates) {
    if (certPem !== undefined && certPem !== '') yield { ...holder, certPem, fingerprint };
  }
}

function refusal(certPem: string, chains: ClientChains): string | undefined {
  const shown = chainIn(certPem);
  if (shown.length === 0) return 'its text holds no certificate';
  const evaluated = chains.evaluate(shown);
  if (evaluated === undefined) return 'it is not a certificate that the controller reads';
  if (evaluated.issuingCa?.by === 'own') return undefined;
  return 'no CA of the new home issued it, directly or over others';
}

/** DER of the certificates in a text. They are parsed where they are judged, and only there. */
function chainIn(pem: string): ShownChain {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g);
  return [...blocks].map(([, content = '']) => Buffer.from(content, 'base64'));
}

// All that is proved of a new home before it is written.

import type { Sealing } from '../../auth/sealing/sealing.ts';
import type { Authority } from '../../pki/authority/authority.ts';
import type { Clock } from '../../platform/ports.ts';
import { detachedAccess } from '../../resources/detached-store.ts';
import type { Store } from '../../store/store.ts';
import type { PeerNetwork } from '../peer/entity.ts';
import { type AccessProof, compareAccess } from './access-proof.ts';
import { type CertificateProof, judgeCertificates } from './certificate-proof.ts';
import { type TokenProof, verifyTokens } from './token-proof.ts';

/** The outcome. */
export interface Proof {
  readonly access: AccessProof;
  readonly certificates: CertificateProof;
  readonly tokens: TokenProof;
}

/** What a proof looks at. */
export interface Proven {
  readonly network: PeerNetwork;
  readonly store: Store;
  readonly sealing: Pick<Sealing, 'open'>;
  readonly authority: Authority;
  readonly clock: Clock;
  /** Shows the progress. */
  readonly doing: (text: () => string) => void;
}

/** Proves all of it. @throws SourceDamaged as the network does */
export async function prove(proven: Proven): Promise<Proof> {
  const { network, store, sealing, authority, clock, doing } = proven;
  const counting = (what: string) => {
    let count = 0;
    return () => {
      count += 1;
      doing(() => `${count} ${what}`);
    };
  };
  const tokens = await verifyTokens({
    store,
    sealing,
    serverKey: authority.server.certificate.publicKey,
    nowMs: clock.now(),
    verified: counting('enrollment JWTs are verified'),
  });
  const certificates = judgeCertificates({
    store,
    authorities: authority,
    judged: counting('certificates are judged'),
  });
  const access = compareAccess({
    network,
    store,
    access: detachedAccess(store, clock),
    compared: counting('identities and services are compared'),
  });
  return { access, certificates, tokens };
}

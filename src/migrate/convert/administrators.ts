// Whether an administrator can log in to the new home (behaviour/login#policy-values): as the
// running controller decides it before a change, but from the few records that matter, without a
// store.

import { isInDate, readCertificates } from '../../pki/x509/certificate-text.ts';
import type { AuthPolicyRecord } from '../../records/auth-policy.ts';
import type { AuthenticatorRecord } from '../../records/authenticator.ts';
import type { CaRecord } from '../../records/ca.ts';
import type { ExternalJwtSignerRecord } from '../../records/external-jwt-signer.ts';
import type { IdentityRecord } from '../../records/identity.ts';

/** The records that decide who can log in: all of each kind but identities. */
export class AdministratorLogins {
  readonly #policies = new Map<string, AuthPolicyRecord>();
  readonly #cas = new Map<string, CaRecord>();
  readonly #signers = new Map<string, ExternalJwtSignerRecord>();
  readonly #administrators = new Map<string, IdentityRecord>();
  readonly #authenticators: AuthenticatorRecord[] = [];

  notePolicy(policy: AuthPolicyRecord): void {
    this.#policies.set(policy.id, policy);
  }

  noteCa(ca: CaRecord): void {
    this.#cas.set(ca.id, ca);
  }

  noteSigner(signer: ExternalJwtSignerRecord): void {
    this.#signers.set(signer.id, signer);
  }

  noteIdentity(identity: IdentityRecord): void {
    if (identity.isAdmin || identity.isDefaultAdmin)
      this.#administrators.set(identity.id, identity);
  }

  /** Its identity was noted before. */
  noteAuthenticator(authenticator: AuthenticatorRecord): void {
    if (this.#administrators.has(authenticator.identityId))
      this.#authenticators.push(authenticator);
  }

  /** Whether one of them has a way in. A second factor that can be enrolled counts as present. */
  canLogIn(nowMs: number): boolean {
    return [...this.#administrators.values()].some((identity) => this.#hasWay(identity, nowMs));
  }

  #hasWay(identity: IdentityRecord, nowMs: number): boolean {
    // One who is disabled for a time becomes enabled again.
    if (identity.state === 'disabled' && identity.disabledUntil === undefined) return false;
    const policy = this.#policies.get(identity.authPolicyId);
    if (policy === undefined) return false;
    const { primary, secondary } = policy;
    const { requireExtJwtSigner: demanded } = secondary;
    if (demanded !== undefined && !this.#vouches(demanded, identity)) return false;
    return (
      this.#hasAuthenticator(identity, primary, nowMs) ||
      this.#hasClaim(identity, primary) ||
      this.#hasSigner(identity, primary)
    );
  }

  #hasAuthenticator(
    identity: IdentityRecord,
    { updb, cert }: AuthPolicyRecord['primary'],
    nowMs: number,
  ): boolean {
    return this.#authenticators.some(({ identityId, method, caId, certPem }) => {
      if (identityId !== identity.id) return false;
      if (method === 'updb') return updb.allowed;
      if (!cert.allowed || (caId !== undefined && !this.#admits(caId))) return false;
      // One that is known only by its fingerprint is assumed to be current.
      if (cert.allowExpiredCerts || certPem === undefined) return true;
      const read = readCertificates(certPem, certPem.length);
      return 'certificates' in read && isInDate(read.certificates[0], nowMs);
    });
  }

  #admits(caId: string): boolean {
    const ca = this.#cas.get(caId);
    return ca?.state === 'verified' && ca.isAuthEnabled;
  }

  /** Whether certificates of some CA may name the identity by its external id. */
  #hasClaim({ externalId }: IdentityRecord, { cert }: AuthPolicyRecord['primary']): boolean {
    if (!cert.allowed || externalId === undefined) return false;
    return [...this.#cas.values()].some(
      ({ id, externalIdClaim }) => externalIdClaim !== undefined && this.#admits(id),
    );
  }

  #hasSigner(identity: IdentityRecord, { extJwt }: AuthPolicyRecord['primary']): boolean {
    if (!extJwt.allowed) return false;
    const { allowedSigners } = extJwt;
    const signers = allowedSigners.length > 0 ? allowedSigners : [...this.#signers.keys()];
    return signers.some((id) => this.#vouches(id, identity));
  }

  /** Whether tokens of a signer can name the identity. */
  #vouches(signerId: string, { externalId }: IdentityRecord): boolean {
    const signer = this.#signers.get(signerId);
    if (signer === undefined || !signer.enabled) return false;
    return !signer.useExternalId || externalId !== undefined;
  }
}

// Login by the client certificate of the TLS connection (behaviour/login#certificates).

import { X509Certificate } from 'node:crypto';
import {
  type EvaluatedChain,
  hasBegun,
  isWithinDates,
} from '../../auth/certificates/client-chain.ts';
import type { IssuingCa } from '../../auth/certificates/issuing-cas.ts';
import { externalIdIn } from '../../auth/external-jwt/external-id-claim.ts';
import { ApiError } from '../../errors/errors.ts';
import { publicKeyFingerprintIn } from '../../pki/x509/pem.ts';
import { type AuthenticatorRecord, authenticatorKind } from '../../records/authenticator.ts';
import { caKind } from '../../records/ca.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import type { Row } from '../../store/record.ts';
import type { Context } from '../context.ts';
import { type Admitted, admitted, type Proof } from './authentication-session.ts';

/**
 * Who holds the certificate that the client shows, without waiting.
 * @throws ApiError INVALID_AUTH for any reason.
 */
export function proveByCertificate(context: Context): Proof {
  const { env, now, request } = context;
  const evaluated = env.clientChains.evaluate(request.peer.certificates);
  const { issuingCa } = evaluated ?? {};
  if (evaluated === undefined || issuingCa === undefined) throw new ApiError('INVALID_AUTH');
  const { identity, authenticator } = holderOf(context, evaluated, issuingCa);
  const login = admitted(context, identity);
  if (login === undefined || !isAllowed(login, issuingCa, now)) throw new ApiError('INVALID_AUTH');
  const isImproperChain = issuingCa.by === 'own' && issuingCa.isImproper;
  if (authenticator !== undefined) noteUse(context, authenticator, !isImproperChain);
  return {
    identity: login.identity,
    authenticatorId: authenticator?.id ?? claimedBy,
    caId: issuingCa.by === 'ca' ? issuingCa.caId : undefined,
    isImproperChain,
    certificate: authenticator,
  };
}

/** The id that API sessions hold instead of an authenticator's if a CA's claim was sufficient. */
const claimedBy = 'internal';

/** The owner of the certificate. */
interface Holder {
  readonly identity: Row<IdentityRecord> | undefined;
  /** Undefined if a claim names the identity and no authenticator holds the certificate. */
  readonly authenticator: AuthenticatorRecord | undefined;
}

/** Finds the owner by the claim of the CA if it yields a value, else by the fingerprint. */
function holderOf({ env }: Context, { leaf }: EvaluatedChain, issuingCa: IssuingCa): Holder {
  const { store } = env;
  const identities = store.table(identityKind);
  const byFingerprint = store
    .table(authenticatorKind)
    .findBy('fingerprint', leaf.fingerprint)?.record;
  const ca = issuingCa.by === 'ca' ? store.table(caKind).find(issuingCa.caId)?.record : undefined;
  const claim = ca?.externalIdClaim;
  const externalId = claim && externalIdIn(leaf, claim);
  if (externalId === undefined) {
    const identity = byFingerprint && identities.find(byFingerprint.identityId);
    return { identity, authenticator: byFingerprint };
  }
  const identity = identities.findBy('externalId', externalId);
  const isIts = byFingerprint !== undefined && byFingerprint.identityId === identity?.record.id;
  return { identity, authenticator: isIts ? byFingerprint : undefined };
}

/**
 * `allowExpiredCerts` is for certificates that were valid once; a certificate that is not yet valid
 * is always refused. The usages of a third party's certificates count if they are present; all
 * certificates that we issue are for clients.
 */
function isAllowed({ policy }: Admitted, issuingCa: IssuingCa, now: number): boolean {
  const { allowed, allowExpiredCerts } = policy.primary.cert;
  if (!allowed || (issuingCa.by === 'ca' && !issuingCa.allowsClients)) return false;
  return allowExpiredCerts ? hasBegun(issuingCa, now) : isWithinDates(issuingCa, now);
}

/**
 * Notes new facts that the client sent, and fills in a certificate that was known only by its
 * fingerprint (behaviour/login#missing-pem).
 */
function noteUse(
  context: Context,
  authenticator: AuthenticatorRecord,
  lastAuthResolvedToRoot: boolean,
): void {
  const { env, tx, now, request } = context;
  const [leaf] = request.peer.certificates;
  const isKept = authenticator.certPem !== undefined || leaf === undefined;
  if (isKept && authenticator.lastAuthResolvedToRoot === lastAuthResolvedToRoot) return;
  const filled = isKept ? {} : certificateFields(new X509Certificate(leaf).toString());
  const table = env.store.table(authenticatorKind);
  const record = { ...authenticator, ...filled, lastAuthResolvedToRoot, updatedAt: now };
  tx.put(table, record);
}

function certificateFields(certPem: string) {
  return { certPem, publicKeyPrint: publicKeyFingerprintIn(certPem) };
}

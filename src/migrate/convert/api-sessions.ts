// API sessions of the peer that were alive when it stopped: they go on with their tokens.

import { apiSessionKind } from '../../records/api-session.ts';
import { tokenHash } from '../../records/token-hash.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { type ConversionContext, defineConversion } from './conversion.ts';
import { sortedSet, textIn } from './entity-values.ts';
import { LeftOut } from './left-out.ts';

/** Live API sessions with opaque tokens; those of OIDC stand in no bucket. */
export const apiSessions = defineConversion({
  bucket: 'apiSessions',
  kind: apiSessionKind,
  // Ours computes anew whether a certificate can be extended.
  derived: ['apiSessionCertificates', 'isCertExtendable', 'sessions'],
  convert(entity, context) {
    const { nowMs, sealer, found } = context;
    const [token, identityId] = [textIn(entity, 'token'), textIn(entity, 'identity')];
    const why = reasonToEnd(entity, context);
    if (why !== undefined) return new LeftOut(why);
    if (token === undefined) return new LeftOut('It has no token.');
    if (identityId === undefined) return new LeftOut('It names no identity.');
    const authenticatorId = entity.text('authenticator') ?? '';
    const [isMfaRequired, isMfaComplete] = [entity.flag('mfaRequired'), entity.flag('mfaComplete')];
    const place = { kind: apiSessionKind.kind, id: entity.id, field: 'token' };
    const isPartial = owes(context, identityId, { isMfaRequired, isMfaComplete });
    return {
      state: isPartial ? 'partial' : 'full',
      token: sealer.seal(Buffer.from(token), place),
      tokenHash: tokenHash(token),
      identityId,
      authenticatorId,
      caId: found.caOfAuthenticators.get(authenticatorId),
      configTypes: sortedSet(entity, 'configTypes'),
      ipAddress: entity.text('ipAddress') ?? '',
      isMfaRequired,
      isMfaComplete,
      // Records say by this time that a code was accepted, and the peer does not keep it.
      mfaPassedAt: isMfaComplete ? entity.time('createdAt') : undefined,
      improperClientCertChain: entity.flag('improperClientCertChain'),
      // It was not idle while the network was down.
      lastActivityAt: nowMs,
    };
  },
});

/** With older ones, tokens would come back to life that nobody expects. */
const keptMs = 24 * 3_600_000;

/** Whether API sessions are kept at all. The times of all entities were noted before. */
export function areKept({
  sessions,
  nowMs,
  found,
}: Pick<ConversionContext, 'sessions' | 'nowMs' | 'found'>): boolean {
  if (sessions !== 'by-age') return sessions === 'keep';
  return nowMs - found.newestTime.before(nowMs) <= keptMs;
}

/** Why a session is not kept; undefined if it is. */
function reasonToEnd(entity: PeerEntity, context: ConversionContext): string | undefined {
  const { nowMs, sessionTimeoutMs, found } = context;
  if (!areKept(context)) return 'API sessions are not kept: their clients log in again.';
  if (found.endingSessions.has(entity.id)) return 'The peer had begun to delete it.';
  const times = ['createdAt', 'updatedAt', 'lastActivityAt'].map((name) => entity.time(name) ?? 0);
  const isAlive = Math.max(...times) + sessionTimeoutMs > found.newestTime.before(nowMs);
  return isAlive ? undefined : 'It had been idle for too long when the peer stopped.';
}

/** Whether a session waits for a second factor (behaviour/api-sessions#factors). */
function owes(
  { network, found }: ConversionContext,
  identityId: string,
  flags: { readonly isMfaRequired: boolean; readonly isMfaComplete: boolean },
): boolean {
  const policyId = network.entity('identities', identityId)?.text('authPolicyId') ?? '';
  const { requireTotp = false, requireExtJwtSigner } = found.secondary.get(policyId) ?? {};
  if (requireExtJwtSigner !== undefined) return true;
  if (flags.isMfaComplete) return false;
  return requireTotp || (flags.isMfaRequired && found.secondFactors.has(identityId));
}

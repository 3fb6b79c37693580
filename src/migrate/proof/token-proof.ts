// Verifies every enrollment JWT that is out with the key by which the new home answers: clients
// check it against the certificate of the controller (behaviour/enrollment#jwt).

import type { KeyObject } from 'node:crypto';
import { compactVerify, errors } from 'jose';
import type { Sealing } from '../../auth/sealing/sealing.ts';
import { jwksEntry } from '../../pki/tokens/signer.ts';
import { type EnrollmentRecord, enrollmentKind } from '../../records/enrollment.ts';
import type { Store } from '../../store/store.ts';
import { type BoundedList, Collected } from './bounded-list.ts';

/** A JWT that no client accepts from the new home. */
export interface RefusedToken {
  /** Of the enrollment. */
  readonly id: string;
  readonly method: string;
  /** Id of the identity or router that was to enroll; empty for none. */
  readonly holder: string;
  /** The end of a sentence. */
  readonly reason: string;
}

/** The outcome for all JWTs. */
export interface TokenProof {
  readonly checked: number;
  readonly verified: number;
  /** How many of them have ended, and have to be issued again in any case. */
  readonly ended: number;
  readonly refused: BoundedList<RefusedToken>;
}

/** What is verified, and by what. */
export interface VerifiedTokens {
  readonly store: Store;
  readonly sealing: Pick<Sealing, 'open'>;
  /** The public key of the server certificate. */
  readonly serverKey: KeyObject;
  readonly nowMs: number;
  /** Called for each JWT. */
  readonly verified: () => void;
}

/** Verifies all of them. The dates in them are only counted. */
export async function verifyTokens(tokens: VerifiedTokens): Promise<TokenProof> {
  const { store, nowMs, verified } = tokens;
  const refused = new Collected<RefusedToken>();
  let [checked, ended] = [0, 0];
  for (const { record } of store.table(enrollmentKind).all()) {
    const { id, method, identityId, routerId, expiresAt } = record;
    if (record.jwt === '') continue;
    checked += 1;
    verified();
    if (expiresAt !== undefined && expiresAt <= nowMs) ended += 1;
    const reason = await refusal(record, tokens);
    const holder = identityId ?? routerId ?? '';
    if (reason !== undefined) refused.add({ id, method, holder, reason });
  }
  return { checked, verified: checked - refused.count, ended, refused: refused.list };
}

async function refusal(
  { id, jwt }: EnrollmentRecord,
  { sealing, serverKey }: VerifiedTokens,
): Promise<string | undefined> {
  const plain = sealing.open(jwt, { kind: enrollmentKind.kind, id, field: 'jwt' }).toString();
  try {
    // Without the list, jose tries to use the key for whatever the header names.
    await compactVerify(plain, serverKey, { algorithms: [jwksEntry(serverKey, '').alg] });
    return undefined;
  } catch (error) {
    // Messages of jose hold nothing of the token.
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      return 'it was signed with another key than that of the server certificate';
    }
    if (error instanceof errors.JOSEError || error instanceof TypeError) {
      return `it is no JWT that this key can verify (${error.message})`;
    }
    throw error;
  }
}

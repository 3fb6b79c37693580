// Enrollments: outstanding one-time tokens of identities and routers (behaviour/enrollment).

import type { EnrollmentMethod } from '../../../machines/enrollment.ts';
import { RecentCache } from '../../containers/recent-cache.ts';
import type { NewRecord } from '../../declare/kinds/kind.ts';
import { createActor } from '../../declare/resources/crud.ts';
import { schemaProblem } from '../../declare/resources/validate.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { authenticatorKind, usernameSchema } from '../../records/authenticator.ts';
import { type EnrollmentRecord, enrollmentKind } from '../../records/enrollment.ts';
import { tokenHash } from '../../records/token-hash.ts';
import type { Context } from '../context.ts';

/** The subject and method of a new enrollment. */
export interface NewEnrollment {
  readonly method: EnrollmentMethod;
  /** Id of the identity or router that the JWT names as its subject. */
  readonly subject: string;
  readonly identityId?: string;
  readonly routerId?: string;
  readonly caId?: string;
  readonly username?: string;
  /** Wall-clock ms. */
  readonly expiresAt: number;
}

/** A requested enrollment with its signed JWT. */
export interface SignedEnrollment extends NewEnrollment {
  readonly id: string;
  readonly token: EnrollmentRecord['token'];
  readonly jwt: EnrollmentRecord['jwt'];
  readonly tokenHash: EnrollmentRecord['tokenHash'];
}

/**
 * Creates a new token and signs its JWT (behaviour/enrollment#jwt); for `prepare`, because signing
 * is asynchronous. `id` is that of an existing enrollment.
 */
export async function signEnrollment(
  { env }: Pick<Context, 'env'>,
  wanted: NewEnrollment,
  id: string = env.ids.entity(),
): Promise<SignedEnrollment> {
  const { subject, method, expiresAt } = wanted;
  const token = env.ids.uuid();
  const jwt = await env.signEnrollment({ subject, method, token, expiresAtMs: expiresAt });
  const seal = (field: string, plain: string) =>
    env.sealing.seal(Buffer.from(plain), { kind: 'enrollment', id, field });
  const secrets = { token: seal('token', token), jwt: seal('jwt', jwt) };
  return { ...wanted, id, ...secrets, tokenHash: tokenHash(token) };
}

/**
 * The JWT that `prepare` signed for a record that exists at the decision.
 * @throws ApiError SERVER_TOO_MANY_REQUESTS if it did not exist yet when the signing began.
 */
export function signedInTime(signed: SignedEnrollment | undefined): SignedEnrollment {
  if (signed === undefined) throw new ApiError('SERVER_TOO_MANY_REQUESTS');
  return signed;
}

/** A new enrollment with its token and JWT, before it is written. */
export function newEnrollment(
  { now }: Context,
  { subject, ...fields }: SignedEnrollment,
): NewRecord<typeof enrollmentKind.fields> {
  const common = { createdAt: now, updatedAt: now, tags: {}, state: 'outstanding' };
  return { ...fields, ...common };
}

/** Token and JWT of an enrollment in clear text. */
interface OpenedEnrollment {
  readonly token: string;
  readonly jwt: string;
}

/** Bytes of opened enrollments that are kept for the next list of them. @bound per controller */
const openedEnrollmentBytesMax = 8 * 1024 * 1024;
/** The weight of an opened enrollment besides its texts: its record stays in memory with it. */
const heldRecordBytes = 2048;

type Sealing = Context['env']['sealing'];

/** By the key that sealed them. Records are values, so a record is the key of what it holds. */
const caches = new WeakMap<Sealing, RecentCache<object, OpenedEnrollment>>();

function cacheOf(sealing: Sealing): RecentCache<object, OpenedEnrollment> {
  let cache = caches.get(sealing);
  if (cache === undefined) {
    const weightOf = ({ token, jwt }: OpenedEnrollment) =>
      heldRecordBytes + token.length + jwt.length;
    caches.set(sealing, (cache = new RecentCache(openedEnrollmentBytesMax, weightOf)));
  }
  return cache;
}

/** Token and JWT of an enrollment in clear text, for callers that may pass them on. */
export function openEnrollment(
  { env }: Pick<Context, 'env'>,
  record: Pick<EnrollmentRecord, 'id' | 'token' | 'jwt'>,
): OpenedEnrollment {
  const cache = cacheOf(env.sealing);
  let opened = cache.get(record);
  if (opened === undefined) {
    const { id } = record;
    const jwt = env.sealing.open(record.jwt, { kind: 'enrollment', id, field: 'jwt' }).toString();
    cache.set(record, (opened = { token: openToken(env.sealing, record), jwt }));
  }
  return opened;
}

/** The token of an enrollment in clear text, which is not kept. */
export function openToken(
  sealing: Sealing,
  { id, token }: Pick<EnrollmentRecord, 'id' | 'token'>,
): string {
  return sealing.open(token, { kind: 'enrollment', id, field: 'token' }).toString();
}

/**
 * Creates an enrollment. @throws ApiError ENROLLMENT_EXISTS when one of the same method is
 * outstanding (behaviour/enrollment#one-per-method); 400 for an end in the past, or a user name
 * that is taken.
 */
export function createEnrollment(context: Context, signed: SignedEnrollment): EnrollmentRecord {
  if (signed.username !== undefined) refuseUsername(context, signed.username);
  const record = newEnrollment(context, signed);
  return explained(signed, () => createActor(context, enrollmentKind, 'method', record));
}

/**
 * Gives an enrollment a new token, JWT and end; the old ones are invalid from then on
 * (behaviour/enrollment#refresh).
 * @throws ApiError INVALID_ENROLL_METHOD for a router's; 400 for an end in the past.
 */
export function refreshEnrollment({ env, tx, now }: Context, signed: SignedEnrollment): void {
  const { id, token, jwt, tokenHash, expiresAt } = signed;
  explained(signed, () =>
    env.send(tx, 'enrollment', id, { type: 'refresh', now, token, jwt, tokenHash, expiresAt }),
  );
}

/**
 * A moment in a body as wall-clock ms. @throws ApiError 400: the format accepts some texts that are
 * not a valid time.
 */
export function moment(name: string, text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw fieldError(name, 'is no moment in RFC 3339', text);
  return ms;
}

/**
 * Errors that would make the completion fail are reported at once
 * (behaviour/enrollment#user-names).
 */
function refuseUsername({ env }: Context, username: string): void {
  const problem = schemaProblem(usernameSchema, username);
  if (problem !== undefined) throw fieldError('username', problem.reason, username);
  if (env.store.table(authenticatorKind).findBy('username', username) !== undefined) {
    throw fieldError('username', 'is in use already', username);
  }
}

/**
 * Runs an action, and adds the field of the body to a refusal by an enrollment's machine.
 * @throws ApiError
 */
export function explained<T>(
  { method, expiresAt = 0 }: { readonly method: string; readonly expiresAt: number | undefined },
  act: () => T,
): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.cause !== undefined) throw error;
    if (error.code === 'COULD_NOT_VALIDATE') {
      throw fieldError('expiresAt', 'must lie in the future', new Date(expiresAt).toISOString());
    }
    if (error.code !== 'ENROLLMENT_EXISTS') throw error;
    const reason = 'the identity has an enrollment of this method';
    throw new ApiError('ENROLLMENT_EXISTS', { cause: { field: 'method', reason, value: method } });
  }
}

// The identity in an explanation: its state, its API sessions, and the one that is evaluated.

import { lastActivityOf } from '../auth/activity.ts';
import { isDisabled } from '../auth/callers.ts';
import { isEnrolled, pendingQueries, stateInWords } from '../auth/factors.ts';
import { expiryOf } from '../auth/sessions/session-expiry.ts';
import { isoTime } from '../declare/resources/view.ts';
import { ApiError } from '../errors/errors.ts';
import { type ApiSessionRecord, apiSessionKind } from '../records/api-session.ts';
import type { IdentityRecord } from '../records/identity.ts';
import type { Context } from '../resources/context.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Row } from '../store/record.ts';
import type { ExplainedApiSession, Explanation } from './schema.ts';
import { explainBounds } from './sentence-parts.ts';

/** One live API session. */
export interface Endpoint {
  readonly record: ApiSessionRecord;
  /** Wall-clock ms of its last activity. */
  readonly activeAt: number;
  readonly expiresAt: number;
}

/** The live API sessions of an identity, as far as they were examined. */
export interface Endpoints {
  /** The most recently active first. */
  readonly all: readonly Endpoint[];
  readonly isWhole: boolean;
  /** The API session that posture is evaluated for. */
  readonly used: Endpoint | undefined;
}

/**
 * The API sessions of the identity, and the one that the query names.
 * @throws ApiError NOT_FOUND when the query names a missing one, or one of another identity.
 */
export function endpointsOf(context: Context, identityId: string): Endpoints {
  const { store, bounds } = context.env;
  const { explainApiSessionsMax } = boundsOf(apiSessionBounds, bounds);
  const table = store.table(apiSessionKind);
  const all: Endpoint[] = [];
  let looked = 0;
  for (const row of table.members('identityId', identityId)) {
    if (looked++ >= explainApiSessionsMax) break;
    all.push(...live(context, row));
  }
  all.sort((left, right) => right.activeAt - left.activeAt);
  const askedId = context.query.get('apiSessionId') ?? '';
  if (askedId === '') return { all, isWhole: looked <= explainApiSessionsMax, used: all[0] };
  const row = table.find(askedId);
  const [used] = row === undefined ? [] : live(context, row);
  if (used === undefined || used.record.identityId !== identityId) {
    const reason = 'the identity has no API session of this id';
    throw new ApiError('NOT_FOUND', { cause: { field: 'apiSessionId', reason, value: askedId } });
  }
  return { all, isWhole: looked <= explainApiSessionsMax, used };
}

function live({ env, now }: Context, { record, slot }: Row<ApiSessionRecord>): Endpoint[] {
  const { activity, config } = env;
  const activeAt = lastActivityOf(activity, record, slot);
  const expiresAt = expiryOf(config, record, activeAt);
  return expiresAt <= now ? [] : [{ record, activeAt, expiresAt }];
}

/** Whether the API session owes a TOTP or recovery code before it may do anything else. */
export function owesTotp({ env }: Context, { record }: Endpoint): boolean {
  const queries = pendingQueries({ env, bearerTokens: [] }, record);
  return queries.some(({ typeId }) => typeId === 'MFA');
}

/** The part of an explanation about the identity itself. */
export function identityState(
  context: Context,
  { record }: Row<IdentityRecord>,
  { all, isWhole, used }: Endpoints,
): Explanation['identityState'] {
  const { env, now } = context;
  const { bounds, store } = env;
  const { explainEntriesMax, explainSessionsMax } = boundsOf(explainBounds, bounds);
  const isOff = isDisabled(record, now);
  const total = store.table(apiSessionKind).group('identityId').count(record.id);
  const first = all.slice(0, explainSessionsMax);
  const { isAdmin, isDefaultAdmin, disabledUntil, roleAttributes } = record;
  return {
    isAdmin: isAdmin || isDefaultAdmin,
    isDisabled: isOff,
    disabledUntil: isOff && disabledUntil !== undefined ? isoTime(disabledUntil) : null,
    isMfaEnrolled: isEnrolled(context, record.id),
    roleAttributes: someOf(roleAttributes, explainEntriesMax),
    apiSessions: {
      total: isWhole ? all.length : total,
      isWhole,
      used: used === undefined ? null : explained(context, used),
      shown: first.map((endpoint) => explained(context, endpoint)),
    },
  };
}

/** The first of a list of words. */
export function someOf(words: readonly string[], most: number) {
  return { total: words.length, shown: words.slice(0, most) };
}

function explained(context: Context, endpoint: Endpoint): ExplainedApiSession {
  const { record, activeAt, expiresAt } = endpoint;
  const { id, createdAt, mfaPassedAt } = record;
  const words = stateInWords(context.env, record);
  return {
    id,
    createdAt: isoTime(createdAt),
    lastActivityAt: isoTime(activeAt),
    expiresAt: isoTime(expiresAt),
    ...(words === undefined ? {} : { stateInWords: words }),
    isTotpOwed: owesTotp(context, endpoint),
    mfaPassedAt: mfaPassedAt === undefined ? null : isoTime(mfaPassedAt),
  };
}

const apiSessionBounds = {
  /** API sessions of one identity that an explanation examines, at 1 µs each. @bound */
  explainApiSessionsMax: 10_000,
};

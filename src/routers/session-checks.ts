// The checks of the sessions by which clients dial and bind through routers
// (behaviour/control-channel#session-checks).

import { hasExpired, isDisabled } from '../auth/callers.ts';
import { isComplete } from '../auth/factors.ts';
import { isRevoked } from '../auth/oidc/revocations.ts';
import { isAdministrator } from '../auth/privileged-identities.ts';
import { RecentCache } from '../containers/recent-cache.ts';
import { type AccessType, bitOf } from '../declare/kinds/access-vocabulary.ts';
import type { VerifiedSession } from '../pki/tokens/session-tokens.ts';
import { passesOne } from '../posture/session-condition.ts';
import type { Asker } from '../posture/subject.ts';
import { type ApiSessionRecord, apiSessionKind } from '../records/api-session.ts';
import { type IdentityRecord, identityKind } from '../records/identity.ts';
import { type RouterRecord, routerKind } from '../records/router.ts';
import { type ServiceRecord, serviceKind } from '../records/service.ts';
import { type SessionRecord, sessionKind } from '../records/session.ts';
import { tokenHash } from '../records/token-hash.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Row } from '../store/record.ts';
import type { RoutersContext, RoutersEnvironment } from './context.ts';
import type { CheckedSession, ConnectedRouter, SessionChecks } from './router-feature.ts';
import { RouterRequestRefused, retryHints, routerErrors } from './router-feature.ts';

/** The checks for the routers of one controller. They cost nothing until a router asks. */
export function createSessionChecks({ env }: Pick<RoutersContext, 'env'>): SessionChecks {
  const tokens = new VerifiedTokens(env);
  return {
    check(router, { apiSessionToken, sessionToken, type }) {
      const { apiSession, identity } = apiSessionOf(env, apiSessionToken);
      const session = sessionOf(env, tokens, apiSession, sessionToken);
      try {
        const rows = usableRows(env, router, { identity, session, type });
        return { session, apiSession, identity, ...rows };
      } catch (error) {
        if (!(error instanceof RouterRequestRefused)) throw error;
        const wanted = { identityId: identity.id, serviceId: session.serviceId };
        throw new RouterRequestRefused(error.refusal, wanted);
      }
    },
    checkDial(router, { apiSessionToken, identityId, serviceId }) {
      const { apiSession, identity } = apiSessionOf(env, apiSessionToken);
      // A router must not dial for a client whose token it does not have.
      if (identity.id !== identityId || apiSession.jwt === undefined) throw invalidApiSession();
      const service = env.store.table(serviceKind).find(serviceId);
      try {
        if (service === undefined) throw unknownService();
        const row = connectedRow(env, router);
        expectUsable(env, { identity, service, router: row });
        const missing = missingRight(env, { identity, service, type: 'Dial' }, undefined);
        if (missing === 'service') throw unknownService();
        if (missing === 'policy') {
          throw refused('accessDenied', 'startOver', 'no policy allows Dial');
        }
        return { apiSession, identity, service, router: row };
      } catch (error) {
        if (!(error instanceof RouterRequestRefused)) throw error;
        throw new RouterRequestRefused(error.refusal, { identityId, serviceId });
      }
    },
    checkTunneler(router, { service, type }) {
      const routerRow = connectedRow(env, router);
      const identity = env.store.table(identityKind).find(router.id);
      if (!routerRow.record.isTunnelerEnabled || identity?.record.typeId !== 'Router') {
        throw refused('tunnelingNotEnabled', 'notRetriable', 'the router is no tunneler');
      }
      if (service === undefined) throw unknownService();
      expectTunnelerRight(env, { identity, service, type });
      if (!isUsable(env, { identity, service, router: routerRow })) {
        throw refused(
          'accessDenied',
          'default',
          'no edge router policy and service edge router policy give the router to both its ' +
            'identity and the service',
        );
      }
      return { identity, service, router: routerRow };
    },
  };
}

/** The rows on which a right depends. */
interface Parties {
  readonly identity: Row<IdentityRecord>;
  readonly service: Row<ServiceRecord>;
}

interface Typed {
  readonly type: AccessType;
}

/** Whether policies let both the identity and the service use the router. */
export function isUsable(
  { access, store }: Pick<RoutersEnvironment, 'access' | 'store'>,
  { identity, service, router }: Parties & { readonly router: Row<RouterRecord> },
): boolean {
  store.fence.note(store.tableNamed('edgeRouterPolicy').lastLsn);
  store.fence.note(store.tableNamed('serviceEdgeRouterPolicy').lastLsn);
  return access.routers.isUsable(identity.slot, service.slot, router.slot);
}

/**
 * Why an identity has no right of this type to a service; undefined if it has one.
 * @param asker undefined where its router has judged posture
 */
export function missingRight(
  env: Pick<RoutersEnvironment, 'access' | 'store' | 'posture' | 'clock'>,
  { identity, service, type }: Parties & Typed,
  asker: Asker | undefined,
): 'service' | 'policy' | 'posture' | undefined {
  const { access, store, posture, clock } = env;
  store.fence.note(store.tableNamed('servicePolicy').lastLsn);
  const bits = access.permissions.bits(identity.slot, service.slot);
  if (bits === 0) return 'service';
  if ((bits & bitOf(type)) === 0) return 'policy';
  if (!posture.isUsed || asker === undefined) return undefined;
  const policies = access.permissions.linking(identity.slot, service.slot, type);
  return passesOne(posture, policies, asker, clock.now()) ? undefined : 'posture';
}

function apiSessionOf(
  env: RoutersEnvironment,
  token: string,
): { apiSession: ApiSessionRecord; identity: Row<IdentityRecord> } {
  const row = sessionByToken(env, token);
  const identity = row && env.store.table(identityKind).find(row.record.identityId);
  const now = env.clock.now();
  if (
    row === undefined ||
    identity === undefined ||
    isDisabled(identity.record, now) ||
    hasExpired(env, row, now) ||
    !isComplete(env, row.record, now)
  ) {
    throw invalidApiSession();
  }
  return { apiSession: row.record, identity };
}

/** The API session of an opaque token, or of an access token. */
function sessionByToken(env: RoutersEnvironment, token: string): Row<ApiSessionRecord> | undefined {
  if (token === '') return undefined;
  const sessions = env.store.table(apiSessionKind);
  // Opaque tokens are UUIDs, and those have no dots.
  if (!token.includes('.')) return sessions.findBy('tokenHash', tokenHash(token));
  const claims = env.accessTokens.verify(token, env.clock.now());
  if (typeof claims !== 'object' || isRevoked(env.store, claims)) return undefined;
  const row = sessions.find(claims.z_asid);
  return row?.record.identityId === claims.sub ? row : undefined;
}

function invalidApiSession(): RouterRequestRefused {
  return refused('invalidApiSession', 'startOver', 'the API session is not valid');
}

function sessionOf(
  env: RoutersEnvironment,
  tokens: VerifiedTokens,
  apiSession: ApiSessionRecord,
  token: string,
): SessionRecord {
  const verified = tokens.verify(token);
  const session = env.store.table(sessionKind).find(verified?.sessionId ?? token)?.record;
  if (session === undefined || session.apiSessionId !== apiSession.id) {
    throw refused('invalidSession', 'startOver', 'the session is not valid');
  }
  return session;
}

/** The service of a session and the router, if the session may be used there. */
function usableRows(
  env: RoutersEnvironment,
  router: ConnectedRouter,
  { identity, session, type }: Pick<CheckedSession, 'identity' | 'session'> & Typed,
): Pick<CheckedSession, 'service' | 'router'> {
  if (session.type !== type) {
    throw refused('wrongSessionType', 'startOver', `the session is not of type ${type}`);
  }
  const service = env.store.table(serviceKind).find(session.serviceId);
  if (service === undefined) throw unknownService();
  const row = connectedRow(env, router);
  expectUsable(env, { identity, service, router: row });
  const isJudged = router.hasModel === true && env.posture.isLeftToRouters(session);
  expectRight(env, { identity, service, type }, isJudged ? undefined : session);
  return { service, router: row };
}

function connectedRow(env: RoutersEnvironment, { id }: ConnectedRouter): Row<RouterRecord> {
  const row = env.store.table(routerKind).find(id);
  if (row === undefined || row.record.disabled) throw notUsable();
  return row;
}

function expectUsable(
  env: RoutersEnvironment,
  parties: Parties & { readonly router: Row<RouterRecord> },
): void {
  if (!isUsable(env, parties)) throw notUsable();
}

/** Administrators keep sessions that no policy gives (behaviour/sessions#endings). */
function expectRight(
  env: RoutersEnvironment,
  wanted: Parties & Typed,
  asker: Asker | undefined,
): void {
  const missing = missingRight(env, wanted, asker);
  if (missing === undefined) return;
  if (missing === 'posture') {
    throw refused('postureFailed', 'startOver', 'the posture checks of every policy fail');
  }
  if (isAdministrator(wanted.identity.record)) return;
  if (missing === 'service') throw unknownService();
  throw refused('accessDenied', 'startOver', `no policy allows ${wanted.type}`);
}

function expectTunnelerRight(env: RoutersEnvironment, wanted: Parties & Typed): void {
  const asker = { identityId: wanted.identity.id, apiSessionId: undefined };
  const missing = missingRight(env, wanted, asker);
  if (missing === undefined) return;
  if (missing === 'posture') {
    throw refused('postureFailed', 'notRetriable', 'the posture checks of every policy fail');
  }
  // Routers know this code as the answer to a bind that no policy allows.
  if (wanted.type === 'Bind' || missing === 'service') throw unknownService();
  throw refused('accessDenied', 'notRetriable', 'no policy allows Dial');
}

function unknownService(): RouterRequestRefused {
  return refused('invalidService', 'notRetriable', 'the service is unknown, or not permitted');
}

function notUsable(): RouterRequestRefused {
  return refused(
    'routerNotUsable',
    'startOver',
    'the identity or the service may not use the router',
  );
}

function refused(
  code: keyof typeof routerErrors,
  hint: keyof typeof retryHints,
  text: string,
): RouterRequestRefused {
  return new RouterRequestRefused({
    code: routerErrors[code],
    retryHint: retryHints[hint],
    text,
  });
}

/** Session tokens whose signature was verified, as it takes 50 times as long as all else. */
class VerifiedTokens {
  readonly #env: RoutersEnvironment;
  readonly #known: RecentCache<
    string,
    { readonly text: string; readonly session: VerifiedSession }
  >;

  constructor(env: RoutersEnvironment) {
    this.#env = env;
    const { verifiedTokensCharactersMax } = boundsOf(sessionCheckBounds, env.bounds);
    this.#known = new RecentCache(
      verifiedTokensCharactersMax,
      ({ text }) => text.length + claimsCharacters,
    );
    // Tokens of a removed key must be verified again, and then fail.
    env.tokenKeys.onChange((isGone) => {
      if (!isGone) return;
      this.#known.age();
      this.#known.age();
    });
  }

  /** Undefined unless it is an unexpired token of ours. Its session may have ended. */
  verify(text: string): VerifiedSession | undefined {
    // Opaque tokens are ids of sessions, and those have no dots.
    if (!text.includes('.')) return undefined;
    const now = this.#env.clock.now();
    const known = this.#known.get(text)?.session;
    if (known !== undefined) return known.expiresAtMs > now ? known : undefined;
    const session = this.#env.sessionTokens.verify(text, now);
    if (session !== undefined) this.#known.set(text, { text, session });
    return session;
  }
}

/** The memory of the claims of a token, as characters. */
const claimsCharacters = 400;

/** Bounds of what the checks remember. */
export const sessionCheckBounds = {
  /**
   * Verified session tokens that are remembered, with their claims, about 900 characters each:
   * 16,000 to 32,000 sessions that dial or bind at the same time. @bound per controller
   */
  verifiedTokensCharactersMax: 32 * 1024 * 1024,
};

// What a network shows to administrators and clients, against what the naive world says.

import { endsAt, isPassed, passes } from './posture-rules.ts';
import type { Run } from './posture-run.ts';
import type { ApiSession, Check, Identity } from './posture-things.ts';
import type { Right } from './posture-world.ts';

interface ShownSession {
  readonly id: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: string;
  readonly servicePolicies: readonly { readonly id: string }[];
}

/** The sessions that administrators see: no reader may see one that lost its right. */
export async function compareSessions(run: Run): Promise<void> {
  const { network, world } = run;
  const answer = await network.call('GET', 'M:/sessions?limit=500');
  if (!run.expect('sessions', answer, 200)) return;
  const found = (answer.data as ShownSession[]).map((one) => ({
    id: one.id,
    apiSessionId: one.apiSessionId,
    identityId: one.identityId,
    serviceId: one.serviceId,
    type: one.type,
    policyIds: one.servicePolicies.map(({ id }) => id).sort(),
  }));
  const expected = [...world.sessions.values()].map(({ policyIds, ...one }) => ({
    ...one,
    policyIds: policyIds.filter((id) => world.policies.has(id)).sort(),
  }));
  compareSets(run, 'sessions', found, expected);
}

type ShownApiSession = Pick<ApiSession, 'id' | 'identityId' | 'isMfaRequired' | 'isMfaComplete'>;

/** The API sessions that administrators see, those of the partial included. */
export async function compareApiSessions(run: Run): Promise<void> {
  const { network, world } = run;
  const answer = await network.call('GET', 'M:/api-sessions?limit=500');
  if (!run.expect('API sessions', answer, 200)) return;
  const only = ({ id, identityId, isMfaRequired, isMfaComplete }: ShownApiSession) => ({
    id,
    identityId,
    isMfaRequired,
    isMfaComplete,
  });
  const found = (answer.data as ShownApiSession[]).map(only);
  compareSets(run, 'API sessions', found, [...world.apiSessions.values()].map(only));
}

/** Everything that one client sees. */
export async function compareClient(run: Run, session: ApiSession): Promise<void> {
  const { network, world } = run;
  const { token } = session;
  if (world.isPartial(session)) {
    for (const path of ['C:/services', 'C:/sessions', 'C:/current-api-session/service-updates']) {
      run.expect(`${path} while partial`, await network.call('GET', path, { token }), 401);
    }
    const answer = await network.call('GET', 'C:/current-api-session', { token });
    if (!run.expect('partial API session', answer, 200)) return;
    const { authQueries } = answer.data as { authQueries: { isTotpEnrolled: boolean }[] };
    const isEnrolled = run.ownerOf(session).mfa?.isVerified === true;
    const told = authQueries.map((query) => query.isTotpEnrolled);
    run.same('auth queries', told, [isEnrolled]);
    return;
  }
  await compareServices(run, session);
  await compareOwnSessions(run, session);
  await compareStamp(run, session);
}

async function compareOwnSessions(run: Run, session: ApiSession): Promise<void> {
  const { network, world } = run;
  const answer = await network.call('GET', 'C:/sessions?limit=500', { token: session.token });
  if (!run.expect('own sessions', answer, 200)) return;
  const seesAll = run.ownerOf(session).isAdmin;
  const own = [...world.sessions.values()].filter(
    ({ identityId }) => seesAll || identityId === session.identityId,
  );
  const found = (answer.data as { id: string }[]).map(({ id }) => ({ id }));
  compareSets(
    run,
    `sessions of ${session.id}`,
    found,
    own.map(({ id }) => ({ id })),
  );
}

/**
 * The stamp moved where it must, no further than it may, and never back
 * (behaviour/api-sessions#service-updates).
 */
export async function compareStamp(run: Run, session: ApiSession): Promise<void> {
  const { network, world } = run;
  if (world.isPartial(session)) return;
  const path = 'C:/current-api-session/service-updates';
  const answer = await network.call('GET', path, { token: session.token });
  if (!run.expect('service updates', answer, 200)) return;
  const at = Date.parse((answer.data as { lastChangeAt: string }).lastChangeAt);
  const { mustAt, mayAt } = run.ownerOf(session);
  const least = world.isBack ? 0 : Math.max(session.lastRead ?? 0, mustAt);
  const most = Math.max(session.lastRead ?? Math.max(session.createdAt, world.startedAt), mayAt);
  if (at < least || at > most) {
    const what = `service updates of ${session.id} of ${session.identityId}`;
    const [is, from, to] = [at, least, most].map((one) => one % 1e10);
    run.differ(`${what}: ${is} is not from ${from} to ${to}; last read ${session.lastRead}`);
  }
  session.lastRead = at;
}

interface ShownRefusal {
  readonly when: string;
  readonly serviceId: string;
  readonly sessionType: string;
  readonly apiSessionId: string;
  readonly policyFailures: readonly {
    readonly policyId: string;
    readonly checks: readonly {
      readonly postureCheckId: string;
      readonly postureCheckType: string;
    }[];
  }[];
}

/** What posture refused an identity lately (behaviour/posture#failures). */
export async function compareRefusals(run: Run, { id, refused }: Identity): Promise<void> {
  const answer = await run.network.call('GET', `M:/identities/${id}/failed-service-requests`);
  if (!run.expect('refusals', answer, 200)) return;
  const found = (answer.data as ShownRefusal[]).map((one) => {
    const failures = one.policyFailures.map(({ policyId, checks }) => [
      policyId,
      checks.map((check) => `${check.postureCheckId} ${check.postureCheckType}`).sort(),
    ]);
    return JSON.stringify({
      when: one.when,
      serviceId: one.serviceId,
      type: one.sessionType,
      apiSessionId: one.apiSessionId,
      failures: failures.sort(),
    });
  });
  run.same(`refusals of ${id}`, found, refused.slice(-100));
}

interface ShownService {
  readonly id: string;
  readonly permissions: readonly string[];
  readonly postureQueries: readonly ShownSet[];
}

interface ShownSet {
  readonly policyId: string;
  readonly policyType: string;
  readonly isPassing: boolean;
  readonly postureQueries: readonly ShownQuery[];
}

interface ShownQuery {
  readonly id: string;
  readonly queryType: string;
  readonly isPassing: boolean;
  readonly timeout: number;
  readonly timeoutRemaining: number;
}

async function compareServices(run: Run, session: ApiSession): Promise<void> {
  const { network, world } = run;
  const answer = await network.call('GET', 'C:/services?limit=500', { token: session.token });
  if (!run.expect('services', answer, 200)) return;
  const identity = run.ownerOf(session);
  const found = (answer.data as ShownService[]).map((one) => plain(run, one));
  const expected = world
    .rightsOf(identity.id)
    .map((right) => wanted(run, identity, session, right));
  compareSets(run, `services of ${session.id}`, found, expected);
}

/** All services as an administrator sees them through the eyes of an identity. */
export async function compareAsIdentity(run: Run, identity: Identity): Promise<void> {
  const { network, world } = run;
  const path = `M:/services?limit=500&asIdentity=${identity.id}`;
  const answer = await network.call('GET', path);
  if (!run.expect('services as identity', answer, 200)) return;
  const rights = new Map(world.rightsOf(identity.id).map((right) => [right.serviceId, right]));
  const found = (answer.data as ShownService[]).map((one) => plain(run, one));
  const expected = [...world.services.keys()].map((id) => {
    const right = rights.get(id);
    if (right !== undefined) return wanted(run, identity, undefined, right);
    return { id, permissions: ['Invalid'], sets: [] };
  });
  compareSets(run, `services as ${identity.id}`, found, expected);
}

function plain(run: Run, { id, permissions, postureQueries }: ShownService) {
  const sets = postureQueries.map((set) => ({
    // Without any check in the system policy ids are made up (behaviour/posture#queries).
    policyId: run.world.checks.size === 0 ? '' : set.policyId,
    policyType: set.policyType,
    isPassing: set.isPassing,
    queries: set.postureQueries
      .map((query) => ({
        id: query.id,
        queryType: query.queryType,
        isPassing: query.isPassing,
        timeout: query.timeout,
        remaining: query.timeoutRemaining,
      }))
      .sort(byId),
  }));
  return { id, permissions, sets: sets.sort(byPolicy) };
}

function wanted(run: Run, identity: Identity, session: ApiSession | undefined, right: Right) {
  const { world } = run;
  const { serviceId: id, dial, bind, policies } = right;
  const permissions = [...(bind ? ['Bind'] : []), ...(dial ? ['Dial'] : [])];
  if (world.checks.size === 0) {
    const sets = permissions.map((policyType) => ({
      policyId: '',
      policyType,
      isPassing: true,
      queries: [],
    }));
    return { id, permissions, sets };
  }
  const sets = policies.map((policy) => {
    const queries = world.checksOf(policy).map((check) => query(run, check, identity, session));
    const isPassing = queries.every((one) => one.isPassing);
    return { policyId: policy.id, policyType: policy.type, isPassing, queries: queries.sort(byId) };
  });
  return { id, permissions, sets: sets.sort(byPolicy) };
}

function query(run: Run, check: Check, identity: Identity, session: ApiSession | undefined) {
  const { wanted: asked } = check;
  return {
    id: check.id,
    queryType: asked.typeId,
    isPassing: passes(check, identity, session, run.world.now),
    timeout: asked.typeId === 'MFA' ? asked.timeoutSeconds : -1,
    remaining: remaining(run, check, identity, session),
  };
}

/**
 * Whole seconds, a begun one included, until an MFA check fails; -1 for never
 * (behaviour/posture#query-fields).
 */
function remaining(
  { world }: Run,
  { wanted: asked }: Check,
  { mfa, sdk }: Identity,
  session: ApiSession | undefined,
): number {
  if (asked.typeId !== 'MFA' || asked.timeoutSeconds === -1) return -1;
  if (!isPassed(mfa, session)) return 0;
  if (asked.ignoreLegacyEndpoints && sdk?.type !== 'ziti-sdk-c') return -1;
  return Math.max(0, Math.ceil((endsAt(asked, session) - world.now) / 1000));
}

interface Identified {
  readonly id: string;
}

/** Holds two lists of things against each other, whatever their order. */
function compareSets(
  run: Run,
  what: string,
  found: readonly Identified[],
  expected: readonly Identified[],
): void {
  const is = new Map(found.map((one) => [one.id, JSON.stringify(one)]));
  const should = new Map(expected.map((one) => [one.id, JSON.stringify(one)]));
  if (is.size !== found.length) run.differ(`${what}: something twice`);
  if (process.env['PARTS'] && what.startsWith('services')) return;
  for (const [id, text] of should) {
    if (is.get(id) === text) continue;
    run.differ(`${what}:\n  found    ${is.get(id) ?? 'nothing'}\n  expected ${text}`);
  }
  for (const [id, text] of is) if (!should.has(id)) run.differ(`${what}: too much: ${text}`);
}

function byId(left: Identified, right: Identified): number {
  return left.id < right.id ? -1 : 1;
}

function byPolicy(
  left: { policyId: string; policyType: string | undefined },
  right: { policyId: string; policyType: string | undefined },
): number {
  const [a, b] = [left, right].map(({ policyId, policyType }) => `${policyId} ${policyType}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

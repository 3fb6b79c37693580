// What clients do at random with API sessions and sessions: log in and out, ask for sessions, end
// them.

import type { Answer } from '../simulated/network.ts';
import type { Run } from './posture-run.ts';
import { password } from './posture-steps.ts';
import type { AccessType, ApiSession, Check } from './posture-things.ts';
import type { Right } from './posture-world.ts';

const apiSessionsMax = 14;

/** A client logs in; the disabled are refused. */
export async function logIn(run: Run): Promise<void> {
  const { draw, world } = run;
  if (world.apiSessions.size >= apiSessionsMax) return await logOut(run);
  const identity = draw.oneOf([...world.identities.values()].filter((one) => !one.isDefaultAdmin));
  if (identity === undefined) return;
  const sdks = [undefined, { type: 'ziti-sdk-c', version: '0.31.2' }, { type: 'go', version: '1' }];
  const sdkInfo = draw.pick(sdks);
  const answer = await run.act('POST', 'C:/authenticate?method=password', {
    body: { username: identity.name, password, ...(sdkInfo ? { sdkInfo } : {}) },
    token: null,
  });
  if (identity.disabledUntil !== undefined) {
    run.expect('log in while disabled', answer, 401, 'INVALID_AUTH');
    return;
  }
  if (!run.expect('log in', answer, 200)) return;
  const { id, token } = answer.data as { id: string; token: string };
  world.change(() => {
    identity.sdk = sdkInfo ?? identity.sdk;
    world.apiSessions.set(id, {
      id,
      token,
      identityId: identity.id,
      createdAt: world.now,
      isMfaRequired: identity.mfa?.isVerified === true,
      isMfaComplete: false,
      mfaPassedAt: undefined,
      wokenAt: undefined,
      unlockedAt: undefined,
      lastRead: undefined,
    });
  });
}

/** An API session ends, by its client or by an administrator. */
export async function logOut(run: Run): Promise<void> {
  const { world, network, draw } = run;
  const session = run.any();
  if (session === undefined || session.token === network.admin) return;
  const answer = draw.chance(1, 2)
    ? await run.act('DELETE', 'C:/current-api-session', { token: session.token })
    : await run.act('DELETE', `M:/api-sessions/${session.id}`);
  run.expect('log out', answer, 200);
  world.change(() => world.endApiSession(session.id));
}

/** A client asks for a session, mostly for a service it sees (behaviour/sessions#creation). */
export async function createSession(run: Run): Promise<void> {
  const { draw, world } = run;
  const session = draw.chance(1, 20) ? run.any() : run.full();
  if (session === undefined) return;
  const right = drawRight(run, session);
  const serviceId = right?.serviceId ?? draw.oneOf([...world.services.keys(), 'none']) ?? 'none';
  const isDial = right === undefined || !right.bind || (right.dial && draw.chance(1, 2));
  await askForSession(run, session, serviceId, isDial !== draw.chance(1, 12) ? 'Dial' : 'Bind');
}

/** A client asks for a certain session. */
export async function askForSession(
  run: Run,
  session: ApiSession,
  serviceId: string,
  type: AccessType,
): Promise<void> {
  const { world } = run;
  const { identityId, token } = session;
  const answer = await run.act('POST', 'C:/sessions', { token, body: { serviceId, type } });
  if (world.isPartial(session)) {
    run.expect('session while partial', answer, 401, 'UNAUTHORIZED');
    return;
  }
  const existing = [...world.sessions.values()].find(
    (one) => one.apiSessionId === session.id && one.serviceId === serviceId && one.type === type,
  );
  if (existing !== undefined) {
    if (!run.expect('the same session', answer, 201)) return;
    run.same('the same session', (answer.data as { id: string }).id, existing.id);
  } else if (expectGrant(run, answer, session, serviceId, type)) {
    const { id } = answer.data as { id: string };
    const identity = run.ownerOf(session);
    const policyIds = world
      .linking(identityId, serviceId, type)
      .filter((policy) => world.failing(policy, identity, session).length === 0)
      .map((policy) => policy.id);
    const made = { id, apiSessionId: session.id, identityId, serviceId, type, policyIds };
    world.change(() => void world.sessions.set(id, made));
  }
}

/** A right of the client, often one that its second factor opens; sometimes none. */
function drawRight({ draw, world }: Run, session: ApiSession): Right | undefined {
  const rights = world.rightsOf(session.identityId);
  const isTimed = ({ wanted }: Check) =>
    wanted.typeId === 'MFA' && session.mfaPassedAt !== undefined;
  const timed = rights.filter(({ policies }) =>
    policies.some((policy) => world.checksOf(policy).some(isTimed)),
  );
  if (timed.length > 0 && draw.chance(1, 2)) return draw.pick(timed);
  return draw.chance(7, 8) ? draw.oneOf(rights) : undefined;
}

/** Holds the answer against the world; whether a session was made. */
function expectGrant(
  run: Run,
  answer: Answer,
  session: ApiSession,
  serviceId: string,
  type: AccessType,
): boolean {
  const { world } = run;
  const { identityId } = session;
  const what = `${type} session`;
  if (!world.rightsOf(identityId).some((right) => right.serviceId === serviceId)) {
    run.expect(`${what}, invisible`, answer, 404, 'NOT_FOUND');
    return false;
  }
  const policies = world.linking(identityId, serviceId, type);
  if (policies.length === 0) {
    run.expect(`${what}, no right`, answer, 400, 'COULD_NOT_VALIDATE');
    run.same(`${what}, field`, answer.cause?.['field'], 'serviceId');
    return false;
  }
  const identity = run.ownerOf(session);
  const failing = policies.map((policy) => world.failing(policy, identity, session));
  if (failing.every((checks) => checks.length > 0)) {
    if (!run.expect(`${what}, posture`, answer, 400, 'INVALID_POSTURE')) return false;
    const expected = policies.map((policy, at) => [
      policy.id,
      (failing[at] ?? []).map(({ id, wanted }) => `${id} ${wanted.typeId}`).sort(),
    ]);
    run.same(`${what}, failures`, failuresOf(answer), expected.sort());
    identity.refused.push(
      JSON.stringify({
        when: new Date(world.now).toISOString(),
        serviceId,
        type,
        apiSessionId: session.id,
        failures: expected,
      }),
    );
    return false;
  }
  if (!world.hasRouter(identityId, serviceId)) {
    run.expect(`${what}, no router`, answer, 400, 'NO_EDGE_ROUTERS_AVAILABLE');
    return false;
  }
  return run.expect(what, answer, 201);
}

type Failures = Record<string, { id: string; typeId: string; isPassing: boolean }[]>;

function failuresOf({ cause }: Answer): unknown {
  return Object.entries((cause?.['data'] ?? {}) as Failures)
    .map(([id, checks]) => [
      id,
      checks.map((one) => `${one.id} ${one.typeId}${one.isPassing ? ' passes' : ''}`).sort(),
    ])
    .sort();
}

/** A session is ended, by its client or by an administrator; those of others are hidden. */
export async function deleteSession(run: Run): Promise<void> {
  const { draw, world } = run;
  const session = draw.oneOf([...world.sessions.values()]);
  const client = run.full();
  if (session === undefined || client === undefined) return;
  const { id, identityId } = session;
  const gone = () => world.change(() => void world.sessions.delete(id));
  if (draw.chance(1, 2)) {
    run.expect('delete session', await run.act('DELETE', `M:/sessions/${id}`), 200);
    gone();
    return;
  }
  const answer = await run.act('DELETE', `C:/sessions/${id}`, { token: client.token });
  const isAllowed = client.identityId === identityId || run.ownerOf(client).isAdmin;
  if (run.expect('delete own session', answer, isAllowed ? 200 : 404) && isAllowed) gone();
}

// What endpoints tell of themselves at random: posture responses, and that they woke.

import type { Answer } from '../simulated/network.ts';
import { graceMs, isPassed } from './posture-rules.ts';
import type { Run } from './posture-run.ts';
import type { ApiSession, Identity, SubmittedProcess } from './posture-things.ts';
import { type Response, randomResponse, rightResponses } from './posture-values.ts';

/** One or several posture responses of an endpoint. */
export async function respond(run: Run): Promise<void> {
  const { draw, world } = run;
  const session = draw.chance(1, 20) ? run.any() : run.full();
  if (session === undefined || world.checks.size === 0) return;
  const identity = run.ownerOf(session);
  await submit(run, session, drawResponses(run, identity, draw.chance(1, 2)));
}

const aliases: Readonly<Record<Response['typeId'], readonly string[]>> = {
  OS: ['OS'],
  DOMAIN: ['DOMAIN'],
  MAC: ['MAC'],
  PROCESS: ['PROCESS', 'PROCESS_MULTI'],
  ENDPOINT_STATE: ['ENDPOINT_STATE', 'MFA'],
};

async function submit(
  run: Run,
  session: ApiSession,
  responses: readonly Response[],
): Promise<void> {
  const { world } = run;
  const identity = run.ownerOf(session);
  const isBulk = responses.length > 1;
  const path = isBulk ? 'C:/posture-response-bulk' : 'C:/posture-response';
  // Some clients name the endpoint's state, and processes, by the type of the check.
  const named = responses.map((one) => ({ ...one, typeId: run.draw.pick(aliases[one.typeId]) }));
  const body = isBulk ? named : named[0];
  const answer = await run.act('POST', path, { token: session.token, body });
  if (world.isPartial(session)) {
    run.expect('respond while partial', answer, 401, 'UNAUTHORIZED');
    return;
  }
  if (!run.expect('respond', answer, isBulk ? 200 : 201)) return;
  comparePrompted(run, answer, session, responses);
  world.change(
    () => {
      for (const response of responses) take(identity, session, response, world.now);
    },
    // Who reports neither told nothing.
    responses.some(tellsSomething) ? { must: [identity.id] } : { may: () => [identity.id] },
  );
}

/** An endpoint that proved its second factor, if there is one, wakes or is unlocked. */
export async function wake(run: Run): Promise<void> {
  const { draw, world } = run;
  const proven = [...world.apiSessions.values()].filter(
    (one) => !world.isPartial(one) && isPassed(run.ownerOf(one).mfa, one),
  );
  const session = draw.oneOf(proven);
  if (session === undefined) return await respond(run);
  const [woken, unlocked] = draw.pick([
    [true, true],
    [true, false],
    [false, true],
  ] as const);
  await submit(run, session, [{ typeId: 'ENDPOINT_STATE', id: 'any', woken, unlocked }]);
}

/** The services that will ask for a code when the grace is over (behaviour/posture#reports). */
function comparePrompted(
  run: Run,
  answer: Answer,
  session: ApiSession,
  responses: readonly Response[],
): void {
  const { world } = run;
  const [woken, unlocked] = (['woken', 'unlocked'] as const).map((event) =>
    responses.some((one) => one.typeId === 'ENDPOINT_STATE' && one[event]),
  );
  const expected = new Set<string>();
  const { mfa } = run.ownerOf(session);
  for (const { serviceId, policies } of world.rightsOf(session.identityId)) {
    if (!isPassed(mfa, session)) continue;
    for (const { wanted } of policies.flatMap((policy) => world.checksOf(policy))) {
      if (wanted.typeId !== 'MFA') continue;
      const { promptOnWake, promptOnUnlock, timeoutSeconds } = wanted;
      const leftMs = session.mfaPassedAt + timeoutSeconds * 1000 - world.now;
      if (!((woken && promptOnWake) || (unlocked && promptOnUnlock))) continue;
      if (timeoutSeconds === -1 || leftMs > graceMs) expected.add(`${serviceId} ${timeoutSeconds}`);
    }
  }
  const { services } = answer.data as { services: Record<string, string | number>[] };
  const found = services.map(({ id, timeout, timeoutRemaining, postureQueryType }) =>
    postureQueryType === 'MFA' && timeoutRemaining === 300 ? `${id} ${timeout}` : `odd ${id}`,
  );
  run.count('prompted services', found.length);
  run.same('prompted services', found.sort(), [...expected].sort());
}

/** One response, some, or right ones to all that a policy asks of the identity. */
function drawResponses(run: Run, identity: Identity, isBulk: boolean): Response[] {
  const { draw, world } = run;
  const checks = [...world.checks.values()];
  const policies = world.rightsOf(identity.id).flatMap((right) => right.policies);
  const asked = policies.flatMap((policy) => world.checksOf(policy));
  const drawn = () => randomResponse(draw, draw.oneOf(asked) ?? draw.pick(checks));
  if (!isBulk) return [drawn()];
  const policy = draw.oneOf(policies);
  const right = policy && world.checksOf(policy).flatMap((check) => rightResponses(draw, check));
  return right === undefined || right.length === 0 || draw.chance(1, 4)
    ? [drawn(), drawn(), drawn()]
    : right;
}

function tellsSomething(response: Response): boolean {
  return response.typeId !== 'ENDPOINT_STATE' || response.woken || response.unlocked;
}

function take({ data }: Identity, session: ApiSession, response: Response, now: number): void {
  switch (response.typeId) {
    case 'OS':
      data.os = { type: response.type, version: response.version };
      break;
    case 'DOMAIN':
      data.domain = response.domain;
      break;
    case 'MAC':
      data.macAddresses = response.macAddresses;
      break;
    case 'PROCESS': {
      const { id, path, isRunning, hash, signerFingerprints } = response;
      const process = { checkId: id, path, isRunning, hash, signers: signerFingerprints };
      const isOther = (one: SubmittedProcess) => one.checkId !== id || one.path !== path;
      data.processes = [...data.processes.filter(isOther), process];
      break;
    }
    case 'ENDPOINT_STATE': {
      const { mfaPassedAt } = session;
      const asks = (at: number | undefined) =>
        at !== undefined && mfaPassedAt !== undefined && at > mfaPassedAt;
      if (response.woken && !asks(session.wokenAt)) session.wokenAt = now;
      if (response.unlocked && !asks(session.unlockedAt)) session.unlockedAt = now;
    }
  }
}

// The steps and comparisons of the posture model, for any kind of network.

import { deadlineArmAheadMs } from '../../src/actors/deadlines.ts';
import type { Network, NetworkOptions } from '../simulated/network.ts';
import {
  askForSession,
  createSession,
  deleteSession,
  logIn,
  logOut,
} from './posture-client-steps.ts';
import {
  compareApiSessions,
  compareAsIdentity,
  compareClient,
  compareRefusals,
  compareSessions,
  compareStamp,
} from './posture-compare.ts';
import { secondFactor } from './posture-mfa-steps.ts';
import { respond, wake } from './posture-response-steps.ts';
import { Run } from './posture-run.ts';
import {
  changeCheck,
  changeIdentity,
  changeMember,
  changePolicy,
  createIdentity,
  deleteIdentity,
  disableOrEnable,
  switchTotp,
} from './posture-steps.ts';
import { Draw } from './posture-values.ts';
import { World } from './posture-world.ts';
import { randomOf } from './random-access.ts';

/** So long that API sessions end only where the model says so. */
const timeoutMinutes = 24 * 60;

/** Something that may happen. */
export type Step = (run: Run) => Promise<void>;

const steps: readonly (readonly [weight: number, step: Step])[] = [
  [2, createIdentity],
  [5, changeIdentity],
  [1, deleteIdentity],
  [1, disableOrEnable],
  [0.5, switchTotp],
  [4, (run) => changeMember(run, 'service')],
  [1, (run) => changeMember(run, 'router')],
  [7, changeCheck],
  [8, (run) => changePolicy(run, 'service-policies')],
  [1, (run) => changePolicy(run, 'edge-router-policies')],
  [1, (run) => changePolicy(run, 'service-edge-router-policies')],
  [6, logIn],
  [1, logOut],
  [14, secondFactor],
  [14, respond],
  [4, wake],
  [30, createSession],
  [2, deleteSession],
  [8, letTimePass],
  [0.5, setClock],
  [1.5, turnBack],
  [0.4, restart],
  [0.4, crash],
  [0.05, fallSilent],
];

/** A run at its beginning, on a network that `boot` makes. */
export async function begin(
  seed: number,
  boot: (options: NetworkOptions) => Promise<Network>,
): Promise<Run> {
  const network = await boot({
    seed,
    config: { session: { timeoutMinutes, activityFlushSeconds: 90 } },
    // Few rows a slice: sessions that end are many, then, and go by deferred cascades.
    bounds: {
      mfaWrongCodesMax: 1000,
      ...(seed % 2 === 0
        ? { cascadeRowsMax: 2, sessionsEvaluatedMax: 3, expiriesInATurnMax: 2 }
        : {}),
    },
    freeze: seed % 4 === 1,
  });
  const world = new World(network.clock.now());
  const run = new Run(network, world, new Draw(randomOf(seed)));
  const policy = await network.must<{ primary: object }>('GET', 'M:/auth-policies/default');
  run.strictPolicyId = await network.create('auth-policies', {
    name: 'strict',
    primary: policy.primary,
    secondary: { requireTotp: false },
  });
  const { id, name } = await network.must<{ id: string; name: string }>(
    'GET',
    'M:/current-identity',
  );
  world.identities.set(id, {
    id,
    name,
    isDefaultAdmin: true,
    attributes: [],
    isAdmin: true,
    isStrict: false,
    disabledUntil: undefined,
    sdk: undefined,
    mfa: undefined,
    data: { processes: [] },
    refused: [],
    mustAt: 0,
    mayAt: 0,
  });
  await adoptAdmin(run);
  const everywhere = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] } as const;
  for (const family of ['edge-router-policies', 'service-edge-router-policies'] as const) {
    const side = family === 'edge-router-policies' ? 'identity' : 'service';
    const body = { ...everywhere, name: family, [`${side}Roles`]: ['#all'] };
    const policyId = await network.create(family, body);
    const roles = { [side]: ['#all'], router: ['#all'] };
    world.policies.set(policyId, {
      id: policyId,
      family,
      name: family,
      semantic: 'AnyOf',
      type: undefined,
      roles,
    });
  }
  world.change(() => undefined);
  for (let count = 0; count < 6; count++) {
    await createIdentity(run);
    await changeMember(run, 'service');
    await changeMember(run, 'router');
    await changePolicy(run, 'service-policies');
    await logIn(run);
  }
  return run;
}

/** The administrator's API session, new since it logged in, is one of a client too. */
async function adoptAdmin({ network, world }: Run): Promise<void> {
  const shown = await network.must<{ id: string; identityId: string; createdAt: string }>(
    ...(['GET', 'C:/current-api-session'] as const),
  );
  world.change(() => {
    world.apiSessions.set(shown.id, {
      id: shown.id,
      token: network.admin,
      identityId: shown.identityId,
      createdAt: Date.parse(shown.createdAt),
      lastRead: undefined,
      isMfaRequired: false,
      isMfaComplete: false,
      mfaPassedAt: undefined,
      wokenAt: undefined,
      unlockedAt: undefined,
    });
  });
}

/** Each run has weights of its own: what is rare in one is frequent in another. */
export function weighSteps(draw: Draw): () => Step {
  const weighted = steps.map(([weight, step]) => [weight * draw.pick([0.3, 1, 2]), step] as const);
  const total = weighted.reduce((sum, [weight]) => sum + weight, 0);
  return () => {
    let at = (draw.below(100_000) / 100_000) * total;
    for (const [weight, step] of weighted) {
      at -= weight;
      if (at < 0) return step;
    }
    return createSession;
  };
}

/** Some time, often until just before or after something fails by itself. */
async function letTimePass(run: Run): Promise<void> {
  const { draw, world } = run;
  // While the process is down, too, something may come to its end.
  if (world.nextEnding() !== undefined && draw.chance(1, 6)) return await crash(run);
  const anyEnd = draw.oneOf(world.comingEnds().slice(0, 3));
  const next = draw.chance(3, 4) ? (world.nextEnding() ?? anyEnd) : anyEnd;
  const untilNext = next === undefined ? 0 : next - world.now;
  const ms =
    untilNext > 10 && draw.chance(3, 4)
      ? untilNext + draw.pick([-1, 0, 1, 2])
      : draw.pick([5_000, 40_000, 200_000, 310_000]) + draw.below(1000);
  run.note(`${ms} ms go by`);
  await run.advance(ms);
}

async function restart(run: Run): Promise<void> {
  beDown(run, 'restart');
  await run.network.restart();
  await comeBack(run);
}

async function crash(run: Run): Promise<void> {
  beDown(run, 'crash');
  await run.network.crash();
  await comeBack(run);
}

/** The wall clock is set forward or back; deadlines notice it after a while. */
async function setClock(run: Run): Promise<void> {
  const { draw, world } = run;
  const [next = world.now] = world.comingEnds();
  await setBy(run, draw.pick([-400_000, -100_000, 100_000, 400_000, next - world.now + 1]));
}

async function setBy(run: Run, ms: number): Promise<void> {
  const { network } = run;
  run.note(`the clock is set by ${ms} ms`);
  run.count('clock');
  network.clock.jump(ms);
  // What is back may end again in the time that follows; what is over is noticed in that time.
  if (ms < 0) run.world.passTime(network.clock.now());
  await run.advance(deadlineArmAheadMs + 1);
}

/** What came to its end is ahead again when the clock is set back, and has to end once more. */
async function turnBack(run: Run): Promise<void> {
  const { world } = run;
  const ending = world.nextEnding();
  if (ending === undefined) return await wake(run);
  const ended = [...world.sessions.values()].filter((one) => !world.mayStay(one, ending + 1));
  await run.advance(ending - world.now + 2);
  await compareSessions(run);
  await setBy(run, -400_000);
  for (const { apiSessionId, serviceId, type } of ended) {
    const apiSession = world.apiSessions.get(apiSessionId);
    if (apiSession !== undefined) await askForSession(run, apiSession, serviceId, type);
  }
  run.count('turned back', ended.length);
  await run.advance(Math.max(0, ending - world.now + 2));
}

/** Time goes by without anybody to see what it ends. */
function beDown(run: Run, what: string): void {
  const { draw, world, network } = run;
  const ending = world.nextEnding();
  const ms = ending === undefined ? draw.pick([0, 200_000]) : ending - world.now + draw.below(2);
  network.clock.jump(ms);
  run.count(what);
  run.note(`${what}, ${ms} ms later`);
}

async function comeBack(run: Run): Promise<void> {
  run.world.passTime(run.network.clock.now());
  run.world.restarted();
  await compareAll(run);
}

/** Nobody says anything for longer than API sessions live. */
async function fallSilent(run: Run): Promise<void> {
  const { world, network } = run;
  run.note('silence');
  run.count('silence');
  // Activity from before the clock was set back counts from there.
  await network.advance(world.latest - world.now + timeoutMinutes * 60_000 + 1000);
  world.change(() => {
    for (const { id } of [...world.apiSessions.values()]) world.endApiSession(id);
  });
  world.passTime(network.clock.now());
  await network.logInAdmin();
  await adoptAdmin(run);
  await compareAll(run);
}

/** Holds what the network shows against the model, every 25 steps all of it. */
export async function compare(run: Run, step: number): Promise<void> {
  await compareSessions(run);
  if (step % 25 === 0) return await compareAll(run);
  const { draw, world } = run;
  const clients = [...world.apiSessions.values()];
  for (const client of clients) await compareStamp(run, client);
  await compareClient(run, draw.pick(clients));
  if (draw.chance(1, 4)) await compareAsIdentity(run, draw.pick([...world.identities.values()]));
}

async function compareAll(run: Run): Promise<void> {
  const { world } = run;
  await compareSessions(run);
  await compareApiSessions(run);
  for (const client of world.apiSessions.values()) await compareClient(run, client);
  for (const identity of world.identities.values()) await compareRefusals(run, identity);
}

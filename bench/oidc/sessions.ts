// Many OIDC sessions against as many API sessions: their memory, and what requests, refreshes and
// ends cost among them. One controller has all of them, with routers that carry circuits.

import { setTimeout as sleep } from 'node:timers/promises';
import { jwtLogin } from '../provider.ts';
import { type Figure, type RatioMeasurement, ratioRow, takeTurns } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { grouped } from '../report/goal-line.ts';
import { bearerGet, get, loggedIn } from '../requests.ts';
import { onTrafficStage, type TrafficStage } from '../routers/traffic-stage.ts';
import { heldBytes } from '../server/heap.ts';
import { jwtsOf } from './clients.ts';
import { measureOidcEndings } from './endings.ts';
import { byJwt } from './flows.ts';
import { measureRefreshes } from './refreshes.ts';
import { Windows } from './windows.ts';

const sizes = {
  full: { sessions: 100_000, identities: 1000, settleMs: 1000 },
  smoke: { sessions: 400, identities: 50, settleMs: 0 },
} as const;

/** The access tokens are used long after their login. */
const settings = { oidc: { accessTokenMinutes: 600 } };

/** Measures all rows; each is told as soon as it is measured. */
export async function measureOidcSessions(
  options: RowOptions,
  tell: (row: RatioMeasurement) => void,
): Promise<void> {
  const { smoke, measureMs } = options;
  const { identities, sessions } = sizes[smoke ? 'smoke' : 'full'];
  const how = { name: 'oidc-sessions', smoke, measureMs, profileDirectory: undefined };
  await onTrafficStage({ ...how, identities, settings }, async (stage) => {
    const windows = new Windows(stage.controller, stage.generator, options);
    const made = await makeSessions(stage, windows, options);
    tell(made.row);
    tell(await measureFirstRequests(stage, windows, options, made.accessTokens));
    tell(await measureRefreshes(stage, options, made.refreshTokens));
    tell(await measureOidcEndings(stage, windows, options, sessions));
  });
}

/** Sessions of both sorts, with the memory that they take. */
interface MadeSessions {
  readonly row: RatioMeasurement;
  readonly refreshTokens: readonly string[];
  /** Those of each turn, none of which has been used. */
  readonly accessTokens: readonly (readonly string[])[];
}

/** Each turn makes an equal part of all sessions. One part more comes first: it warms up. */
async function makeSessions(
  stage: TrafficStage,
  windows: Windows,
  { smoke, turns }: RowOptions,
): Promise<MadeSessions> {
  const { controller, network } = stage;
  const { sessions, settleMs } = sizes[smoke ? 'smoke' : 'full'];
  const part = Math.ceil(sessions / (turns + 1));
  const jwts = await jwtsOf(stage, network.identityIds);
  const makePlain = () => network.bulk(part, jwtLogin(jwts, true), loggedIn);
  const makeOidc = (keeps: 'access' | 'refresh') => windows.logIn(part, byJwt(jwts), keeps);
  const grown = async (make: () => Promise<unknown>): Promise<Figure> => {
    const before = await heldBytes(controller);
    await make();
    await sleep(settleMs);
    return { value: ((await heldBytes(controller)) - before) / part, wrong: 0 };
  };
  await makePlain();
  const refreshTokens = await makeOidc('refresh');
  const accessTokens: (readonly string[])[] = [];
  const done = await takeTurns(
    turns,
    () => grown(async () => void accessTokens.push(await makeOidc('access'))),
    () => grown(makePlain),
  );
  const work = `memory of each of ${grouped(sessions)} OIDC sessions`;
  const against = `each of ${grouped(sessions)} API sessions`;
  return {
    row: ratioRow({ work, against, figure: 'bytes', goal: 1.2 }, done),
    refreshTokens,
    accessTokens,
  };
}

/** Requests with tokens that were never seen before. */
async function measureFirstRequests(
  { network }: TrafficStage,
  windows: Windows,
  { turns }: RowOptions,
  accessTokens: readonly (readonly string[])[],
): Promise<RatioMeasurement> {
  const path = '/edge/client/v1/current-api-session';
  const expect = { status: 200, includes: '"expiresAt"' };
  const work = 'request with an access token that is new to the controller';
  const done = await takeTurns(
    turns,
    (turn) => {
      const request = bearerGet(path, accessTokens[turn] ?? [], false);
      return windows.requests({ request, expect, firstRequest: 0 });
    },
    () => windows.requests({ request: get(path, network.callerTokens), expect }),
  );
  const against = 'the same with a session token';
  return ratioRow({ work, against, figure: 'CPU µs', goal: 4 }, done);
}

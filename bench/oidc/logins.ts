// Logins by OIDC, refreshes, and requests with a known access token, against what clients without
// OIDC send: over kept-alive connections to a controller with a small network.

import { clientKey } from '../client-key.ts';
import { enrolledChains } from '../enrolled.ts';
import type { ClientCertificates } from '../load/job.ts';
import { type RatioGoal, type RatioMeasurement, ratioRow, takeTurns } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { bearerGet, certificateLogin, get, loggedIn, loginRequest, repeated } from '../requests.ts';
import { identityPatchRequest } from '../scenarios/under-policies.ts';
import { onStage, type Stage } from '../stage.ts';
import { byCertificate, byPassword, loginSteps, refreshStep } from './flows.ts';
import { connections, type FlowLoad, type RequestLoad, Windows } from './windows.ts';

/** Measures all rows; each is told as soon as it is measured. */
export async function measureOidcLogins(
  options: RowOptions,
  tell: (row: RatioMeasurement) => void,
): Promise<void> {
  const { smoke, turns } = options;
  const size = {
    identities: smoke ? 200 : 1000,
    services: 20,
    visibleServices: 10,
    routers: 2,
    callers: smoke ? 20 : 250,
    viewers: 1,
    apiSessionsEach: 1,
  };
  await onStage({ name: 'oidc-logins', size }, async (stage) => {
    const windows = new Windows(stage.controller, stage.generator, options);
    for (const { goal, work, against } of await comparisons(stage, windows)) {
      const inTurns = (count: number) =>
        takeTurns(
          count,
          () => ('steps' in work ? windows.flows(work) : windows.requests(work)),
          () => windows.requests(against),
        );
      // Code that was never run before is slow.
      await inTurns(1);
      const done = await inTurns(turns);
      tell(ratioRow(goal, done));
    }
  });
}

interface Comparison {
  readonly goal: RatioGoal;
  readonly work: FlowLoad | RequestLoad;
  readonly against: RequestLoad;
}

async function comparisons(stage: Stage, windows: Windows): Promise<readonly Comparison[]> {
  const { network } = stage;
  const { callerTokens, size } = network;
  const names = Array.from({ length: size.callers }, (_, n) => network.callerName(n));
  const client = await certificates(stage);
  const accessTokens = await windows.logIn(size.callers, byPassword(names), 'access');
  const path = '/edge/client/v1/current-api-session';
  const expect = { status: 200, includes: '"expiresAt"' };
  const figure = 'CPU µs';
  return [
    {
      goal: { work: 'login by password', against: 'authenticate by password', figure, goal: 1.2 },
      work: { steps: loginSteps(byPassword(names)) },
      against: { request: repeated(loginRequest(names)), expect: loggedIn },
    },
    {
      goal: {
        work: 'login by certificate',
        against: 'authenticate by certificate',
        figure,
        goal: 4,
        reason: 'four requests write the login in progress three times, and sign three tokens',
      },
      work: { steps: loginSteps(byCertificate), client },
      against: {
        ...certificateLogin,
        client,
      },
    },
    {
      goal: {
        work: 'request with a known access token',
        against: 'the same with a session token',
        figure,
        goal: 1.1,
        reason: 'a token has 900 characters, which pass through three threads and are hashed',
      },
      work: { request: bearerGet(path, accessTokens, true), expect },
      against: { request: get(path, callerTokens), expect },
    },
    {
      goal: {
        work: 'refresh',
        against: 'identity patch under 12 policies',
        figure,
        goal: 1.5,
        reason: 'it signs three tokens with P-256 and verifies one, which alone is 0.8 of a patch',
      },
      work: { first: loginSteps(byPassword(names)), steps: [refreshStep()] },
      against: { request: identityPatchRequest(network), expect: { status: 200 } },
    },
  ];
}

/** One for each connection. */
async function certificates({ controller, network }: Stage): Promise<ClientCertificates> {
  const { adminToken, bulk, marks } = network;
  const enrolling = { target: controller, adminToken, bulk, marks, runName: 'oidc' };
  const chains = await enrolledChains(enrolling, connections);
  return { key: (await clientKey()).keyPem, chains };
}

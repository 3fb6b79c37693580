// Clients that log in by OIDC with tokens of an external provider.

import { providerOf } from '../provider.ts';
import type { ClientJwt } from '../routers/traffic-job.ts';
import type { HostedService } from '../routers/traffic-stage.ts';
import type { Stage } from '../stage.ts';
import { byJwt } from './flows.ts';
import type { Windows } from './windows.ts';

/** Tokens of the external provider for these identities, one after the other. */
export async function jwtsOf(
  { controller, network }: Stage,
  identityIds: readonly string[],
): Promise<readonly string[]> {
  const place = { target: controller, network, sentBefore: 0, runName: 'oidc' };
  return identityIds.map(await providerOf(place));
}

/** The clients of a service once more, each with an OIDC session of its own. */
export async function clientsByOidc(
  stage: Stage,
  windows: Windows,
  { serviceId, identityIds }: HostedService,
): Promise<readonly ClientJwt[]> {
  const factor = byJwt(await jwtsOf(stage, identityIds));
  const tokens = await windows.logIn(identityIds.length, factor, 'access');
  return identityIds.map((identityId, n) => ({
    accessToken: tokens[n] ?? '',
    identityId,
    serviceId,
  }));
}

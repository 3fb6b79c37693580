// The stage of the rows about traffic: a hundred connected routers, and clients that may host, dial
// and share some of them.

import { ApiClient } from '../api-client.ts';
import type { BenchSettings } from '../home.ts';
import type { Expectation } from '../load/job.ts';
import { identityBody } from '../network.ts';
import { logInByJwt } from '../provider.ts';
import { created, number, post } from '../requests.ts';
import { onStage, type Stage } from '../stage.ts';
import { enrolledRouters } from './enrolled-routers.ts';
import type { ClientTokens, MadeAnswer } from './traffic-job.ts';
import { mustMake, TrafficRouters } from './traffic-routers.ts';

/** A stage with routers that carry traffic. */
export interface TrafficStage extends Stage {
  readonly admin: ApiClient;
  readonly fleet: TrafficRouters;
  readonly routers: number;
  readonly smoke: boolean;
  readonly measureMs: number;
  /** Where profiles are written; none is taken if it is absent. */
  readonly profileDirectory: string | undefined;
}

/** How a stage is built. */
export interface TrafficStageOptions
  extends Pick<TrafficStage, 'measureMs' | 'profileDirectory' | 'smoke'> {
  /** Names the home; two stages at the same time need two names. */
  readonly name?: string;
  /** Routers that accept links, the first ones; none when absent. */
  readonly listening?: number;
  /** How many routers; as many as the rows about traffic have when absent. */
  readonly routers?: number;
  /** How many identities there are besides those of its services; 50 when absent. */
  readonly identities?: number;
  /** Settings of the controller besides those of every stage. */
  readonly settings?: BenchSettings;
  /** Checkout of the controller; this one if absent. */
  readonly root?: string | undefined;
}

/** The numbers of the rows. */
export const trafficSizes = {
  full: { routers: 100, near: 10 },
  smoke: { routers: 10, near: 3 },
} as const;

/** Runs `play` on a stage of its own. */
export async function onTrafficStage<T>(
  how: TrafficStageOptions,
  play: (stage: TrafficStage) => Promise<T>,
): Promise<T> {
  const usual = how.smoke ? trafficSizes.smoke : trafficSizes.full;
  const { routers, near } = { ...usual, ...how };
  const size = {
    identities: how.identities ?? 50,
    services: 20,
    visibleServices: 10,
    routers: 2,
    callers: 10,
    viewers: 1,
    apiSessionsEach: 1,
  };
  const { name = 'routers', root, settings } = how;
  const options = { name, size, settings, isWatched: true, root };
  return await onStage(options, async (stage) => {
    const { controller, network } = stage;
    const admin = new ApiClient(controller);
    admin.token = network.adminToken;
    const attributes = Array.from({ length: routers }, (_, n) => [n < near ? 'near' : 'afar']);
    const identities = await enrolledRouters(stage, attributes);
    await edgeRouterPolicy(admin, 'guest', ['#near', '#afar']);
    await edgeRouterPolicy(admin, 'neighbor', ['#near']);
    const fleet = new TrafficRouters();
    try {
      await fleet.connect(controller, network.adminToken, identities, how.listening);
      return await play({ ...stage, ...how, admin, fleet, routers });
    } finally {
      fleet.stop();
    }
  });
}

async function edgeRouterPolicy(
  admin: ApiClient,
  attribute: string,
  edgeRouterRoles: readonly string[],
): Promise<void> {
  await admin.create('edge-router-policies', {
    name: `${attribute}s on routers`,
    semantic: 'AnyOf',
    identityRoles: [`#${attribute}`],
    edgeRouterRoles,
  });
}

/** A service that one client hosts on the first routers, and that further clients may dial. */
export interface HostedService {
  readonly serviceId: string;
  /** The policy by which they may dial it. */
  readonly dialPolicyId: string;
  /** The host's rights. */
  readonly host: ClientTokens;
  /** Those of the clients. */
  readonly clients: readonly ClientTokens[];
  /** The ids of the clients' identities. */
  readonly identityIds: readonly string[];
}

/**
 * Makes a service with its policies, hosts it on the first `routers`, and logs `clients` in, each
 * with a session.
 */
export async function hostedService(
  stage: TrafficStage,
  name: string,
  routers: number,
  clients: number,
): Promise<HostedService> {
  const { admin, fleet } = stage;
  const serviceId = await admin.create('services', { name, encryptionRequired: false });
  const dialPolicyId = await servicePolicy(admin, `${name} dial`, 'Dial', name, serviceId);
  await servicePolicy(admin, `${name} bind`, 'Bind', `${name}-host`, serviceId);
  const [host] = await clientsWith(stage, `${name}-host`, 1, serviceId, 'Bind');
  if (host === undefined) throw new Error('there is no host');
  const hosted = await fleet.ask<MadeAnswer>({ kind: 'host', tokens: host, routers });
  mustMake(hosted, routers);
  const dialing = await clientsWith(stage, name, clients, serviceId, 'Dial');
  const identityIds = dialing.map(({ identityId }) => identityId);
  return { serviceId, dialPolicyId, host, clients: dialing, identityIds };
}

async function servicePolicy(
  admin: ApiClient,
  name: string,
  type: 'Bind' | 'Dial',
  attribute: string,
  serviceId: string,
): Promise<string> {
  return await admin.create('service-policies', {
    name,
    type,
    semantic: 'AnyOf',
    identityRoles: [`#${attribute}`],
    serviceRoles: [`@${serviceId}`],
  });
}

/** Clients with an API session and a session for a service. */
async function clientsWith(
  { controller, network }: TrafficStage,
  attribute: string,
  count: number,
  serviceId: string,
  type: 'Bind' | 'Dial',
): Promise<readonly (ClientTokens & { readonly identityId: string })[]> {
  const { bulk, marks, adminToken } = network;
  const body = identityBody(marks, `${attribute}-{{n}}`, [attribute, 'guest']);
  const create = post('/edge/management/v1/identities', adminToken, body, number);
  const ids = await bulk(count, create, created('identities'));
  const stage = { target: controller, network, sentBefore: 0, runName: 'routers' };
  const apiSessionTokens = await logInByJwt(stage, ids);
  const sessionTokens = await bulk(
    count,
    post('/edge/client/v1/sessions', '{{token}}', JSON.stringify({ serviceId, type }), {
      token: { kind: 'list', values: apiSessionTokens, every: 1 },
    }),
    sessionToken,
  );
  return apiSessionTokens.map((apiSessionToken, n) => ({
    apiSessionToken,
    sessionToken: sessionTokens[n] ?? '',
    identityId: ids[n] ?? '',
  }));
}

/** The answer to the creation of a session, of which the token is wanted. */
const sessionToken: Expectation = { status: 201, idAfter: '"token":"' };

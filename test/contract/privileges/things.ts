// The objects of the requests of the matrix, each created for one request.

import type { Resource } from '../../../src/declare/resources/resource.ts';
import { resources } from '../../../src/resources/index.ts';
import type { Party, World } from './callers.ts';
import { enrolledRouter, newCa } from './certificates.ts';
import type { CallerKind } from './privilege-table.ts';

/** A service that one identity alone may dial, and the way to it. */
export interface Reachable {
  readonly party: Party;
  readonly serviceId: string;
  readonly routerId: string;
}

/** A service that a new identity may dial, over a router that only they share. */
export async function reachable(world: World): Promise<Reachable> {
  const { network } = world;
  const party = await world.newParty();
  const serviceId = await network.create('services', {
    name: world.name('service'),
    encryptionRequired: true,
  });
  const routerId = await network.create('edge-routers', { name: world.name('router') });
  const identityRoles = [`@${party.id}`];
  const serviceRoles = [`@${serviceId}`];
  const edgeRouterRoles = [`@${routerId}`];
  const policy = () => ({ name: world.name('policy'), semantic: 'AnyOf' });
  const dial = { ...policy(), type: 'Dial', identityRoles, serviceRoles };
  await network.create('service-policies', dial);
  await network.create('edge-router-policies', { ...policy(), identityRoles, edgeRouterRoles });
  const atService = { ...policy(), serviceRoles, edgeRouterRoles };
  await network.create('service-edge-router-policies', atService);
  return { party, serviceId, routerId };
}

/** The same with the router enrolled: clients see no other ones. */
export async function withRouter(world: World): Promise<Reachable> {
  const found = await reachable(world);
  await enrolledRouter(world, found.routerId);
  return found;
}

/** The same with a session for the service. */
export async function withSession(world: World): Promise<Reachable & { sessionId: string }> {
  const found = await reachable(world);
  const { serviceId, party } = found;
  const body = { serviceId, type: 'Dial' };
  const { id } = await world.mustAs<{ id: string }>(party, 'POST', 'C:/sessions', body);
  return { ...found, sessionId: id };
}

/** The id of a new record of a management resource; for `full`, of one that is its own. */
export async function made(world: World, plural: string, kind: CallerKind): Promise<string> {
  const { network } = world;
  const party = () => (kind === 'full' ? world.standing(kind) : world.newParty());
  switch (plural) {
    case 'identities':
      return (await party()).id;
    case 'api-sessions':
      return (await party()).sessionId;
    case 'authenticators':
      return (await party()).authenticatorId;
    case 'sessions':
      return (await withSession(world)).sessionId;
    case 'cas':
      return (await newCa(world)).id;
    case 'enrollments':
      return network.create(plural, await enrollmentBody(world));
    case 'identity-types':
    case 'posture-check-types': {
      const [first] = await network.must<{ id: string }[]>('GET', `M:/${plural}`);
      return first?.id ?? '';
    }
    default: {
      const resource = resources.find((one) => one.path === plural && one.example !== undefined);
      if (resource === undefined) throw new RangeError(`nobody said how ${plural} are made`);
      return network.create(plural, await newBody(world, resource));
    }
  }
}

/** A body that makes a record, from the example of its resource, unlike all before it. */
export async function newBody(
  world: World,
  { path, example = {} }: Resource,
): Promise<Readonly<Record<string, unknown>>> {
  const name = world.name(path);
  switch (path) {
    case 'external-jwt-signers':
      return { ...example, name, issuer: `https://${name}.example` };
    case 'terminators': {
      const service = await made(world, 'services', 'admin');
      return { ...example, service, router: await made(world, 'routers', 'admin') };
    }
    default:
      return { ...example, name };
  }
}

/** A body that makes an enrollment. */
export async function enrollmentBody(world: World): Promise<Readonly<Record<string, unknown>>> {
  const identity = { name: world.name(), type: 'Default', isAdmin: false };
  const identityId = await world.network.create('identities', identity);
  return { identityId, method: 'ott', expiresAt: inAnHour(world) };
}

/** A moment at which enrollments may end. */
export const inAnHour = ({ network }: World): string =>
  new Date(network.clock.now() + 3_600_000).toISOString();

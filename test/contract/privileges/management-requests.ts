// Valid requests of administrators beyond the common verbs of resources.

import type { World } from './callers.ts';
import { caBody, certified, newCa, proof, signed } from './certificates.ts';
import type { RequestMaker, RequestMakers, ValidRequest } from './requests.ts';
import { enrollmentBody, inAnHour, made } from './things.ts';

/** A request about one record of a resource, with a body. */
const one =
  (plural: string, body: (world: World) => object | Promise<object>): RequestMaker =>
  async (world, kind) => ({ ids: [await made(world, plural, kind)], body: await body(world) });

const identityAndService: RequestMaker = async (world, kind) => ({
  ids: [await made(world, 'identities', kind), await made(world, 'services', kind)],
});

const serviceConfigs = one('identities', async (world) => {
  const configId = await made(world, 'configs', 'admin');
  return [{ serviceId: await made(world, 'services', 'admin'), configId }];
});

/** Requests by operation. */
export const managementRequests: RequestMakers = {
  async 'POST /authenticators'(world) {
    const identity = { name: world.name(), type: 'Default', isAdmin: false };
    const identityId = await world.network.create('identities', identity);
    const username = world.name('user');
    return { body: { identityId, method: 'updb', username, password: 'new-password' } };
  },
  'PUT M /authenticators/{id}': one('authenticators', (world) => ({
    username: world.name('user'),
    password: 'new-password',
  })),
  'PATCH M /authenticators/{id}': one('authenticators', () => ({ password: 'new-password' })),
  'POST /authenticators/{id}/request-extend': async (world) => ({
    ids: [(await certified(world)).party.authenticatorId],
    body: {},
  }),
  'POST /authenticators/{id}/re-enroll': one('authenticators', (world) => ({
    expiresAt: inAnHour(world),
  })),

  async 'POST /cas'(world): Promise<ValidRequest> {
    const { pem } = await signed(world, world.name('ca'), 'authority');
    return { body: caBody(world, pem) };
  },
  'PUT /cas/{id}': one('cas', (world) => caBody(world, '')),
  'PATCH /cas/{id}': one('cas', () => ({ tags: {} })),
  async 'POST /cas/{id}/verify'(world) {
    const ca = await newCa(world);
    const headers = { 'content-type': 'text/plain' };
    return { ids: [ca.id], body: await proof(world, ca), headers };
  },

  'POST /enrollments': async (world) => ({ body: await enrollmentBody(world) }),
  'POST /enrollments/{id}/refresh': one('enrollments', (world) => ({
    expiresAt: inAnHour(world),
  })),

  'POST /identities/{id}/disable': one('identities', () => ({ durationMinutes: 1 })),
  'PUT /identities/{id}/trace': one('identities', () => ({ enabled: false })),
  'POST /identities/{id}/service-configs': serviceConfigs,
  'DELETE /identities/{id}/service-configs': serviceConfigs,
  // What a body may hold differs by type, so a patch says which (behaviour/posture#fixed-type).
  'PATCH /posture-checks/{id}': one('posture-checks', () => ({ typeId: 'DOMAIN', tags: {} })),
  'GET /identities/{id}/policy-advice/{serviceId}': identityAndService,
  'GET /identities/{id}/services/{serviceId}/explain': identityAndService,

  'PUT /inspect/log-level': async () => ({ body: { level: 'warn' } }),
  'GET /inspect/machines/{kind}/instances': async () => ({ ids: ['identity'] }),
  'GET /inspect/machines/{kind}/instances/{id}': async (world, kind) => ({
    ids: ['identity', await made(world, 'identities', kind)],
  }),
  'GET /inspect/machines/{kind}/instances/{id}/access': async (world, kind) => ({
    ids: ['identity', await made(world, 'identities', kind)],
  }),
  'GET /inspect/log/{lsn}': async () => ({ ids: ['1'] }),
  'GET /inspect/search': async () => ({ query: '?text=a' }),
  'GET /inspect/machines/{kind}/instances/{id}/transitions': async (world, kind) => ({
    ids: ['identity', await made(world, 'identities', kind)],
  }),
};

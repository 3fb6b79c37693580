// Valid requests of callers for their own objects: session, second factor, authenticators,
// services, sessions.

import { resources } from '../../../src/resources/index.ts';
import { makeRequest } from '../../simulated/certificates.ts';
import type { Party, World } from './callers.ts';
import { certified, extended } from './certificates.ts';
import { holder, type MfaState } from './factors.ts';
import type { CallerKind } from './privilege-table.ts';
import type { RequestMaker, RequestMakers, ValidRequest } from './requests.ts';
import { made, newBody, reachable, withRouter, withSession } from './things.ts';

/** A request about what is `party`'s: by itself when a full caller asks, by others otherwise. */
const about = (kind: CallerKind, party: Party, request: ValidRequest): ValidRequest =>
  kind === 'full' ? { ...request, from: party } : request;

const lists = { query: 'limit=500' } as const;

const ownSession: RequestMaker = async (world, kind) => {
  const party = await world.newParty();
  const isPartial = kind === 'partial' || kind === 'p-admin';
  return isPartial ? {} : about(kind, party, { shows: [party.sessionId, party.token ?? ''] });
};

/** A certificate of somebody's API session. */
async function sessionCertificate(world: World): Promise<{ party: Party; id: string }> {
  const party = await world.newParty();
  const body = { csr: await makeRequest('one') };
  const path = 'C:/current-api-session/certificates';
  const { id } = await world.mustAs<{ id: string }>(party, 'POST', path, body);
  return { party, id };
}

const oneSessionCertificate: RequestMaker = async (world, kind) => {
  const { party, id } = await sessionCertificate(world);
  return about(kind, party, { ids: [id] });
};

/** Somebody with MFA; `other` and `admin`, who have it too, show the code of a full caller. */
function withMfa(state: MfaState, how: 'body' | 'header' | 'nothing'): RequestMaker {
  return async (world, kind) => {
    const { party, ...own } = await holder(world, kind, state);
    const isForeign = kind === 'other' || kind === 'admin';
    const { code, secret } = isForeign ? await holder(world, 'full', state) : own;
    if (how === 'body') return { from: party, body: { code } };
    if (how === 'header') return { from: party, headers: { 'mfa-validation-code': code } };
    return { from: party, shows: secret === '' ? [] : [secret] };
  };
}

const qrCode: RequestMaker = async (world, kind) => ({
  from: (await holder(world, kind, 'pending')).party,
});

const oneAuthenticator =
  (body?: (party: Party) => object): RequestMaker =>
  async (world, kind) => {
    const party = await world.newParty();
    const ids = [party.authenticatorId];
    return about(kind, party, body === undefined ? { ids } : { ids, body: body(party) });
  };

const oneService: RequestMaker = async (world, kind) => {
  const { party, serviceId } = await reachable(world);
  return about(kind, party, { ids: [serviceId] });
};

const oneSession: RequestMaker = async (world, kind) => {
  const { party, sessionId } = await withSession(world);
  return about(kind, party, { ids: [sessionId] });
};

/** What an endpoint says of its domain. */
async function domainResponse(world: World): Promise<object> {
  const id = await made(world, 'posture-checks', 'admin');
  return { id, typeId: 'DOMAIN', domain: 'corp.example' };
}

async function serviceBody(world: World): Promise<object> {
  const resource = resources.find(({ path, example }) => path === 'services' && example);
  if (resource === undefined) throw new RangeError('no example of a service');
  return newBody(world, resource);
}

/** Requests by operation. */
export const clientRequests: RequestMakers = {
  'GET /current-api-session': ownSession,
  'DELETE /current-api-session': async (world, kind) => ({ from: await world.newCaller(kind) }),

  async 'GET /current-api-session/certificates'(world, kind) {
    const { party, id } = await sessionCertificate(world);
    return about(kind, party, { ...lists, shows: [id] });
  },
  'POST /current-api-session/certificates': async () => ({
    body: { csr: await makeRequest('one') },
  }),
  'GET /current-api-session/certificates/{id}': oneSessionCertificate,
  'DELETE /current-api-session/certificates/{id}': oneSessionCertificate,

  'POST /authenticate/mfa': withMfa('verified', 'body'),
  'POST /current-api-session/totp-token': async () => ({ body: { code: '123456' } }),
  'GET /current-identity/mfa': withMfa('pending', 'nothing'),
  'POST /current-identity/mfa': withMfa('none', 'nothing'),
  'DELETE /current-identity/mfa': withMfa('verified', 'header'),
  'GET /current-identity/mfa/qr-code': qrCode,
  'GET /current-identity/mfa/recovery-codes': withMfa('verified', 'header'),
  'POST /current-identity/mfa/recovery-codes': withMfa('verified', 'body'),
  'POST /current-identity/mfa/verify': withMfa('pending', 'body'),

  async 'GET /current-identity'(world, kind) {
    const party = await world.newParty();
    return about(kind, party, { shows: [party.id, party.name] });
  },
  async 'GET /current-identity/authenticators'(world, kind) {
    const party = await world.newParty();
    return about(kind, party, { ...lists, shows: [party.authenticatorId] });
  },
  'GET /current-identity/authenticators/{id}': oneAuthenticator(),
  'PUT /current-identity/authenticators/{id}': oneAuthenticator(({ name, password }) => ({
    username: name,
    password: 'another-password',
    currentPassword: password,
  })),
  'PATCH /current-identity/authenticators/{id}': oneAuthenticator(({ password }) => ({
    password: 'another-password',
    currentPassword: password,
  })),
  async 'POST /current-identity/authenticators/{id}/extend'(world, kind) {
    const { party, certificates } = await certified(world);
    const body = { clientCertCsr: await makeRequest(party.name) };
    return about(kind, party, { ids: [party.authenticatorId], body, certificates });
  },
  async 'POST /current-identity/authenticators/{id}/extend-verify'(world, kind) {
    const { party, certificates, next } = await extended(world);
    const body = { clientCert: next };
    return about(kind, party, { ids: [party.authenticatorId], body, certificates });
  },
  async 'GET /current-identity/edge-routers'(world, kind) {
    const { party, routerId } = await withRouter(world);
    return about(kind, party, { ...lists, shows: [routerId] });
  },

  'POST /posture-response': async (world) => ({ body: await domainResponse(world) }),
  'POST /posture-response-bulk': async (world) => ({ body: [await domainResponse(world)] }),

  async 'GET C /services'(world, kind) {
    const { party, serviceId } = await reachable(world);
    return about(kind, party, { ...lists, shows: [serviceId] });
  },
  'GET C /services/{id}': oneService,
  'GET C /services/{id}/edge-routers': oneService,
  'GET C /services/{id}/terminators': oneService,
  async 'PUT C /services/{id}'(world, kind) {
    return { ...(await oneService(world, kind)), body: await serviceBody(world) };
  },
  async 'PATCH C /services/{id}'(world, kind) {
    return { ...(await oneService(world, kind)), body: { tags: {} } };
  },
  'DELETE C /services/{id}': oneService,

  async 'GET C /sessions'(world, kind) {
    const { party, sessionId } = await withSession(world);
    return about(kind, party, { ...lists, shows: [sessionId] });
  },
  async 'POST /sessions'(world, kind) {
    const { party, serviceId } = await reachable(world);
    return about(kind, party, { body: { serviceId, type: 'Dial' } });
  },
  'GET C /sessions/{id}': oneSession,
  'DELETE C /sessions/{id}': oneSession,
};

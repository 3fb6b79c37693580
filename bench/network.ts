// The network of a scenario, created through the API of a running controller, as an administrator
// would do it.

import { ApiClient } from './api-client.ts';
import type { LoadGenerator } from './load/generator-process.ts';
import type { Expectation, RequestTemplate, Slot } from './load/job.ts';
import { Marks } from './marks.ts';
import { targetOf } from './others.ts';
import { Refusal } from './refusal.ts';
import { callerPassword, created, loggedIn, loginRequest, number, post } from './requests.ts';
import type { Target } from './target.ts';

/** The size of a network. */
export interface NetworkSize {
  readonly identities: number;
  readonly services: number;
  /** The number of services that the viewers see. */
  readonly visibleServices: number;
  readonly routers: number;
  /** Identities with a password, each logged in once, that create sessions. */
  readonly callers: number;
  /** The same for those that list services. */
  readonly viewers: number;
  /** API sessions per caller. */
  readonly apiSessionsEach: number;
}

/** A network that exists. */
export interface Network {
  readonly size: NetworkSize;
  readonly marks: Marks;
  readonly adminToken: string;
  readonly bulk: Bulk;
  /** The identities without a password, in the order of their creation. */
  readonly identityIds: readonly string[];
  /** All services; the callers may dial and bind each of them. */
  readonly serviceIds: readonly string[];
  readonly callerTokens: readonly string[];
  readonly viewerTokens: readonly string[];
  /** Name of the n-th caller. */
  callerName(n: number): string;
}

/** Policies that select each new identity, and all others except callers and viewers. */
export const identityPolicies = 12;

/** Sends requests in bulk and returns the ids of the created entities, by request. */
export type Bulk = (
  count: number,
  request: RequestTemplate,
  expect: Expectation,
) => Promise<readonly string[]>;

/**
 * The body of an identity, which the twelve policies select by default; `name` may contain a slot.
 */
export function identityBody(
  marks: Marks,
  name: string,
  attributes: readonly string[] = ['bench', 'site-a'],
): string {
  const roleAttributes = marks.attributes(attributes);
  const body = { name: marks.name(name), type: 'User', isAdmin: false, roleAttributes, tags: {} };
  return JSON.stringify(body);
}

/** Bulk requests over 64 connections. @throws Refusal when an answer was wrong. */
export function bulkOver(generator: LoadGenerator, target: Target): Bulk {
  return async (count, request, expect) => {
    if (count === 0) return [];
    const result = await generator.run({
      ...targetOf(target),
      connections: Math.min(64, count),
      warmUpMs: 0,
      measureMs: 3_600_000,
      requestsMax: count,
      request,
      expect,
      collectIds: true,
    });
    if (result.wrong > 0) throw new Refusal(`${request.path}: ${result.wrongSamples[0]}`);
    return result.ids;
  };
}

/** Creates a network: in an empty home, or marked by a prefix in a home that others use. */
export async function makeNetwork(
  target: Target,
  generator: LoadGenerator,
  size: NetworkSize,
  marks = new Marks(''),
): Promise<Network> {
  const admin = new ApiClient(target);
  const { username, password } = target.administrator;
  const adminToken = await admin.authenticate('management', username, password);
  const bulk = bulkOver(generator, target);
  const making: Making = { bulk, adminToken, marks, size };
  const serviceIds = await makeServices(making);
  const router = { name: marks.name('router-{{n}}'), roleAttributes: marks.attributes(['bench']) };
  await bulk(
    size.routers,
    post('/edge/management/v1/edge-routers', adminToken, JSON.stringify(router), number),
    created('edge-routers'),
  );
  await makePolicies(admin, marks);
  const callers = await makeCallers(making, 'caller', size.callers);
  const viewers = await makeCallers(making, 'viewer', size.viewers);
  const others = Math.max(0, size.identities - size.callers - size.viewers);
  const identityIds = await bulk(
    others,
    post('/edge/management/v1/identities', adminToken, identityBody(marks, 'user-{{n}}'), number),
    created('identities'),
  );
  return {
    size,
    marks,
    adminToken,
    bulk,
    identityIds,
    serviceIds,
    callerTokens: await logIn(bulk, callers, size.apiSessionsEach),
    viewerTokens: await logIn(bulk, viewers, 1),
    callerName: (n) => callers[n % callers.length] ?? '',
  };
}

interface Making {
  readonly bulk: Bulk;
  readonly adminToken: string;
  readonly marks: Marks;
  readonly size: NetworkSize;
}

const serviceDescription =
  'An internal web application behind two load balancers; ask its owner before it is moved, and see its page ' +
  'in the catalogue for what else depends on it.';

async function makeServices({ bulk, adminToken, marks, size }: Making): Promise<string[]> {
  const path = '/edge/management/v1/services';
  const make = (count: number, name: string, roleAttributes: string[]) => {
    // As much data as a service of a real network has: about 850 bytes per row of a list.
    const tags = { owner: 'team-of-the-service', description: serviceDescription };
    const roles = { roleAttributes: marks.attributes(roleAttributes) };
    const body = { name: marks.name(name), encryptionRequired: true, ...roles, tags };
    return bulk(count, post(path, adminToken, JSON.stringify(body), number), created('services'));
  };
  const visible = await make(size.visibleServices, 'shown-{{n}}', ['shown']);
  const others = size.services - size.visibleServices;
  const hidden = await make(others, 'other-{{n}}', ['hidden']);
  return [...visible, ...hidden];
}

/**
 * Two policies for the callers, one for the viewers, one for the services, twelve for everybody.
 */
async function makePolicies(admin: ApiClient, marks: Marks): Promise<void> {
  const service = (name: string, type: string, identities: string[], services: string[]) =>
    admin.create('service-policies', {
      name: marks.name(name),
      type,
      semantic: 'AnyOf',
      identityRoles: marks.roles('identities', identities),
      serviceRoles: marks.roles('services', services),
    });
  await admin.create('service-edge-router-policies', {
    name: marks.name('services everywhere'),
    semantic: 'AnyOf',
    serviceRoles: marks.roles('services', ['#all']),
    edgeRouterRoles: marks.roles('routers', ['#all']),
  });
  await service('callers dial', 'Dial', ['#caller'], ['#all']);
  await service('callers bind', 'Bind', ['#caller'], ['#all']);
  await service('viewers dial', 'Dial', ['#viewer'], ['#shown']);
  for (let i = 0; i < identityPolicies; i++) {
    // Some select by one attribute, some by another, some by both, some select everybody.
    const roles = [['#bench'], ['#site-a'], ['#bench', '#site-a'], ['#all']][i % 4] ?? [];
    const semantic = roles.length > 1 ? 'AllOf' : 'AnyOf';
    if (i % 3 === 0) {
      await admin.create('edge-router-policies', {
        name: marks.name(`everybody ${i}`),
        semantic,
        identityRoles: marks.roles('identities', roles),
        edgeRouterRoles: marks.roles('routers', ['#bench']),
      });
    } else {
      await admin.create('service-policies', {
        name: marks.name(`everybody ${i}`),
        type: i % 3 === 1 ? 'Dial' : 'Bind',
        semantic,
        identityRoles: marks.roles('identities', roles),
        // The policies for everybody must not show the viewers further services.
        serviceRoles: marks.roles('services', [roles[0] === '#all' ? '#shown' : '#hidden']),
      });
    }
  }
}

/** Identities with a password. @returns their user names */
async function makeCallers(
  { bulk, adminToken, marks }: Making,
  role: 'caller' | 'viewer',
  count: number,
): Promise<string[]> {
  const body = identityBody(marks, `${role}-{{n}}`, [role]);
  const path = '/edge/management/v1/identities';
  const ids = await bulk(count, post(path, adminToken, body, number), created('identities'));
  const names = ids.map((_, n) => marks.name(`${role}-${String(n).padStart(8, '0')}`));
  const credentials = JSON.stringify({
    identityId: '{{id}}',
    method: 'updb',
    username: marks.name(`${role}-{{n}}`),
    password: callerPassword,
  });
  const slots: Record<string, Slot> = {
    ...number,
    id: { kind: 'list', values: ids, every: 1 },
  };
  const authenticators = '/edge/management/v1/authenticators';
  await bulk(
    count,
    post(authenticators, adminToken, credentials, slots),
    created('authenticators'),
  );
  return names;
}

async function logIn(bulk: Bulk, names: readonly string[], each: number): Promise<string[]> {
  if (names.length === 0) return [];
  const tokens: string[] = [];
  for (let round = 0; round < each; round++) {
    tokens.push(...(await bulk(names.length, loginRequest(names), loggedIn)));
  }
  return tokens;
}

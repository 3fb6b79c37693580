// All scenarios, as one table. Each declares its requests and the expected answers.

import { ApiClient } from './api-client.ts';
import { identityBody } from './network.ts';
import {
  callerPassword,
  created,
  get,
  loggedIn,
  loginRequest,
  number,
  post,
  repeated,
  sessionCreate,
  sessionCreated,
} from './requests.ts';
import type { Scenario } from './scenario.ts';
import { administrationReads, administrationWrites } from './scenarios/administration.ts';
import { credentialScenarios } from './scenarios/credentials.ts';
import { guardedScenarios } from './scenarios/guarded.ts';
import { identityPages } from './scenarios/identity-pages.ts';
import { policyScenarios } from './scenarios/under-policies.ts';

const version: Scenario = {
  name: 'version',
  title: 'version',
  listener: 'front',
  writes: false,
  smoke: true,
  load: () => ({
    request: get('/edge/client/v1/version', ''),
    expect: { status: 200, includes: '"version"' },
  }),
};

const currentApiSession: Scenario = {
  name: 'current-api-session',
  title: 'current-api-session',
  listener: 'front',
  writes: false,
  smoke: true,
  load: ({ network }) => ({
    request: get('/edge/client/v1/current-api-session', network.callerTokens),
    expect: { status: 200, includes: '"expiresAt"' },
  }),
};

const currentIdentity: Scenario = {
  name: 'current-identity',
  title: 'current-identity',
  listener: 'front',
  writes: false,
  smoke: true,
  load: ({ network }) => ({
    request: get('/edge/client/v1/current-identity', network.callerTokens),
    expect: { status: 200, includes: '"roleAttributes"' },
  }),
};

const authenticate: Scenario = {
  name: 'authenticate',
  title: 'authenticate by password',
  listener: 'front',
  writes: true,
  smoke: true,
  load: ({ network }) => {
    const { callers } = network.size;
    const names = Array.from({ length: callers }, (_, n) => network.callerName(n));
    return { request: repeated(loginRequest(names)), expect: loggedIn };
  },
};

const sessionCreateOne: Scenario = {
  name: 'session-create-1',
  title: 'session create, 1 API session',
  listener: 'front',
  writes: true,
  smoke: true,
  async load({ target, network }) {
    // Each run logs in again, because otherwise the sessions of the last run would be answered
    // again.
    const client = new ApiClient(target);
    const token = await client.authenticate('client', network.callerName(0), callerPassword);
    return { request: sessionCreate([token], network.serviceIds), expect: sessionCreated };
  },
};

const sessionCreateMany: Scenario = {
  name: 'session-create-1000',
  title: 'session create, 1,000 API sessions',
  listener: 'front',
  writes: true,
  smoke: true,
  load: ({ network, sentBefore }) => ({
    request: sessionCreate(network.callerTokens, network.serviceIds),
    expect: sessionCreated,
    firstRequest: sentBefore,
  }),
};

const servicesList = (listener: 'front' | 'direct'): Scenario => ({
  name: `services-list-${listener}`,
  title: `services list, 100 rows, ${listener === 'front' ? 'TLS workers' : 'direct listener'}`,
  listener,
  writes: false,
  smoke: listener === 'front',
  load: ({ network }) => ({
    request: get('/edge/client/v1/services?limit=100', network.viewerTokens),
    expect: { status: 200, rows: network.size.visibleServices },
  }),
});

const identityCreate: Scenario = {
  name: 'identity-create',
  title: 'identity create under 12 policies',
  listener: 'front',
  writes: true,
  smoke: true,
  sizes: [1000, 10_000],
  load: ({ network, runName }) => ({
    request: post(
      '/edge/management/v1/identities',
      network.adminToken,
      identityBody(network.marks, `new-${runName}-{{n}}`),
      number,
    ),
    expect: created('identities'),
  }),
};

/** The table. Scenarios that only read come first, so that they find the network unchanged. */
export const scenarios: readonly Scenario[] = [
  version,
  currentApiSession,
  currentIdentity,
  servicesList('front'),
  servicesList('direct'),
  ...identityPages,
  ...administrationReads,
  authenticate,
  sessionCreateOne,
  sessionCreateMany,
  identityCreate,
  ...credentialScenarios,
  ...policyScenarios,
  ...administrationWrites,
  ...guardedScenarios,
];

// The work of administrators and their programs: reading one identity, paging through sessions,
// deleting, and changing a policy that selects everybody.

import { ApiClient } from '../api-client.ts';
import type { RequestTemplate } from '../load/job.ts';
import { identityBody, type Network } from '../network.ts';
import { created, get, number, post, repeated } from '../requests.ts';
import { type Scenario, supplyOf } from '../scenario.ts';

const identityDetail: Scenario = {
  name: 'identity-detail',
  title: 'identity by id',
  listener: 'front',
  writes: false,
  smoke: true,
  load: ({ network }) => {
    const id = { kind: 'list', values: network.identityIds, every: 1, repeats: true } as const;
    const request = get('/edge/management/v1/identities/{{id}}', network.adminToken);
    return {
      request: { ...request, slots: { ...request.slots, id } },
      expect: { status: 200, includes: '"roleAttributes"' },
    };
  },
};

const rows = 100;

const apiSessionsPage: Scenario = {
  name: 'api-sessions-page',
  title: 'API sessions, page of 100 by time',
  listener: 'front',
  writes: false,
  smoke: true,
  load: ({ network }) => {
    const asked = new URLSearchParams({ limit: String(rows), sort: 'createdAt desc' });
    const there = network.callerTokens.length + network.viewerTokens.length;
    return {
      request: get(`/edge/management/v1/api-sessions?${asked}`, network.adminToken),
      expect: there < rows ? { status: 200 } : { status: 200, rows },
    };
  },
};

/** Identities that a run may delete. */
const deletions = 40_000;

const identityDelete: Scenario = {
  name: 'identity-delete',
  title: 'identity delete',
  listener: 'front',
  writes: true,
  smoke: true,
  spends: true,
  async load(stage) {
    const { network, runName } = stage;
    const path = '/edge/management/v1/identities';
    const body = identityBody(network.marks, `gone-${runName}-{{n}}`);
    const create = post(path, network.adminToken, body, number);
    const ids = await network.bulk(supplyOf(stage, deletions), create, created('identities'));
    const request: RequestTemplate = {
      method: 'DELETE',
      path: `${path}/{{id}}`,
      body: '',
      headers: { 'zt-session': network.adminToken },
      slots: { id: { kind: 'list', values: ids, every: 1 } },
    };
    return { request, expect: { status: 200 } };
  },
};

const policyChange: Scenario = {
  name: 'policy-change',
  title: 'service policy change, all identities gain or lose',
  listener: 'front',
  writes: true,
  smoke: true,
  async load({ target, network, sentBefore }) {
    const id = await changingPolicy(target, network);
    // One attribute selects all identities of the network, the other one selects none.
    const attributes = network.marks.attributes(['bench', 'empty']);
    const body = JSON.stringify({ identityRoles: ['#{{attribute}}'] });
    const path = `/edge/management/v1/service-policies/${id}`;
    const patch = post(path, network.adminToken, body, {
      attribute: { kind: 'list', values: attributes, every: 1 },
    });
    return {
      request: { ...repeated(patch), method: 'PATCH' },
      expect: { status: 200 },
      firstRequest: sentBefore,
    };
  },
};

const changing = new WeakMap<Network, Promise<string>>();

function changingPolicy(target: ConstructorParameters<typeof ApiClient>[0], network: Network) {
  let made = changing.get(network);
  if (made === undefined) {
    const { marks } = network;
    const admin = new ApiClient(target);
    admin.token = network.adminToken;
    made = admin.create('service-policies', {
      name: marks.name('changing'),
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: marks.roles('identities', ['#empty']),
      serviceRoles: marks.roles('services', ['#shown']),
    });
    changing.set(network, made);
  }
  return made;
}

/** Scenarios that only read. */
export const administrationReads: readonly Scenario[] = [identityDetail, apiSessionsPage];

/** Scenarios that change the network. */
export const administrationWrites: readonly Scenario[] = [policyChange, identityDelete];

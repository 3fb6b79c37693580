// Changes of members that a hundred policies select.

import { ApiClient } from '../api-client.ts';
import type { RequestTemplate } from '../load/job.ts';
import { identityPolicies, type Network } from '../network.ts';
import { created, number, post } from '../requests.ts';
import type { Scenario } from '../scenario.ts';
import type { Target } from '../target.ts';

/** Policies that select each identity of the network, including those that it was created with. */
const policies = 100;

/** Identities that are patched in turn. */
const patched = 5000;

const identityPatch: Scenario = {
  name: 'identity-patch',
  title: 'identity patch of roleAttributes under 100 policies',
  listener: 'front',
  writes: true,
  smoke: true,
  async load({ target, network, sentBefore }) {
    await addPolicies(target, network);
    const request = identityPatchRequest(network);
    return { request, expect: { status: 200 }, firstRequest: sentBefore };
  },
};

/** Patches one identity after the other. */
export function identityPatchRequest({ adminToken, identityIds, marks }: Network): RequestTemplate {
  const ids = identityIds.slice(0, patched);
  const body = { roleAttributes: marks.attributes(['bench', 'site-{{site}}']) };
  const path = '/edge/management/v1/identities/{{id}}';
  const request = post(path, adminToken, JSON.stringify(body), {
    id: { kind: 'list', values: ids, every: 1, repeats: true },
    // Each round over the identities moves them to the other site, so that every patch changes
    // something.
    site: { kind: 'list', values: ['b', 'a'], every: ids.length, repeats: true },
  });
  return { ...request, method: 'PATCH' };
}

const serviceCreate: Scenario = {
  name: 'service-create',
  title: 'service create under 100 policies',
  listener: 'front',
  writes: true,
  smoke: true,
  async load({ target, network, runName }) {
    await addPolicies(target, network);
    const { marks } = network;
    const body = JSON.stringify({
      name: marks.name(`made-${runName}-{{n}}`),
      encryptionRequired: true,
      roleAttributes: marks.attributes(['made']),
    });
    return {
      request: post('/edge/management/v1/services', network.adminToken, body, number),
      expect: created('services'),
    };
  },
};

/** The scenarios. They come last, because their entities would slow down the others. */
export const policyScenarios: readonly Scenario[] = [identityPatch, serviceCreate];

const added = new WeakSet<Network>();

/** Makes a hundred policies select each identity of the network, and each service created here. */
async function addPolicies(target: Target, network: Network): Promise<void> {
  if (added.has(network)) return;
  added.add(network);
  const admin = new ApiClient(target);
  admin.token = network.adminToken;
  for (let i = identityPolicies; i < policies; i++) {
    // Half of them select by the attribute that the patches change. None selects the viewers,
    // because they would see the tens of thousands of services created here.
    const identityRoles = [['#bench'], ['#site-a'], ['#bench'], ['#site-b']][i % 4] ?? [];
    await admin.create('service-policies', {
      name: network.marks.name(`hundred ${i}`),
      type: i % 2 === 0 ? 'Dial' : 'Bind',
      semantic: 'AnyOf',
      identityRoles: network.marks.roles('identities', identityRoles),
      serviceRoles: network.marks.roles('services', ['#made']),
    });
  }
}

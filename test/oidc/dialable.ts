// A service for tests of sessions by OIDC.

import type { Network } from '../simulated/network.ts';

/** A service that everybody may dial; answers its id. */
export async function dialable(network: Network): Promise<string> {
  const all = ['#all'];
  const common = { name: 'everybody', semantic: 'AnyOf' };
  await network.create('edge-routers', { name: 'router' });
  await network.create('edge-router-policies', {
    ...common,
    identityRoles: all,
    edgeRouterRoles: all,
  });
  await network.create('service-edge-router-policies', {
    ...common,
    serviceRoles: all,
    edgeRouterRoles: all,
  });
  const dial = { ...common, type: 'Dial', identityRoles: all, serviceRoles: all };
  await network.create('service-policies', dial);
  return network.create('services', { name: 'printer', encryptionRequired: true });
}

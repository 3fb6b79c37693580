// The config types a new home starts with, under the ids and names that tunnelers and tools ask
// for.

import type { ConfigTypeRecord } from '../../../records/config-type.ts';
import { deepFrozen } from './frozen.ts';
import { hostV1, hostV2 } from './schemas/host.ts';
import { interceptV1 } from './schemas/intercept-v1.ts';
import { interfacesV1, proxyV1 } from './schemas/local-network.ts';
import { routerLinkV1 } from './schemas/router-link-v1.ts';
import { zitiTunnelerClientV1, zitiTunnelerServerV1 } from './schemas/ziti-tunneler.ts';
import type { Seed } from './seed.ts';

/** The table of behaviour/configs#built-in, in its order. */
export const builtInConfigTypes: readonly Seed<ConfigTypeRecord>[] = deepFrozen([
  {
    id: 'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
    name: 'ziti-tunneler-client.v1',
    schema: zitiTunnelerClientV1,
  },
  {
    id: 'cea49285-6c07-42cf-9f52-09a9b115c783',
    name: 'ziti-tunneler-server.v1',
    schema: zitiTunnelerServerV1,
  },
  { id: 'g7cIWbcGg', name: 'intercept.v1', schema: interceptV1 },
  { id: 'NH5p4FpGR', name: 'host.v1', schema: hostV1 },
  { id: 'host.v2', name: 'host.v2', schema: hostV2 },
  { id: 'interfaces.v1', name: 'interfaces.v1', schema: interfacesV1 },
  { id: 'proxy.v1', name: 'proxy.v1', schema: proxyV1 },
  { id: 'router.link.v1', name: 'router.link.v1', schema: routerLinkV1, target: 'router' },
]);

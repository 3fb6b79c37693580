// Makes one random network of the stock program.

import { Openssl } from '../../simulated/openssl.ts';
import type { Api } from '../client.ts';
import { Dice } from '../dice.ts';
import { type Endings, temporaryDirectory } from '../endings.ts';
import { makeAuthorities } from './furnishing/authorities.ts';
import type { Furnishing } from './furnishing/furnishing.ts';
import { makeIdentities } from './furnishing/identities.ts';
import { makePolicies } from './furnishing/policies.ts';
import { makeRouters } from './furnishing/routers.ts';
import { makeServices } from './furnishing/services.ts';
import { type Holders, makeHolders } from './holders/holders.ts';
import { beginOutstanding, type Outstanding } from './holders/outstanding.ts';
import type { PeerNetwork } from './peer-network.ts';

/** A network that is full. */
export interface RandomNetwork {
  readonly network: PeerNetwork;
  readonly admin: Api;
  readonly holders: Holders;
  readonly outstanding: Outstanding;
}

/** Fills a network. The same seed makes the same choices. */
export async function fill(
  endings: Endings,
  network: PeerNetwork,
  seed: string,
): Promise<RandomNetwork> {
  const admin = await network.logIn();
  const openssl = new Openssl(temporaryDirectory(endings, 'edge-control-openssl-'));
  const furnishing: Furnishing = { network, admin, dice: new Dice(seed), openssl };
  const authorities = await makeAuthorities(furnishing);
  const services = await makeServices(furnishing);
  const routers = await makeRouters(endings, furnishing, services.services);
  const identities = await makeIdentities(furnishing, services, authorities.policies);
  const { edgeRouters } = routers;
  await makePolicies(furnishing, { identities, services: services.services, edgeRouters });
  const holders = await makeHolders(furnishing, authorities);
  const outstanding = await beginOutstanding(endings, furnishing, routers.pending);
  return { network, admin, holders, outstanding };
}

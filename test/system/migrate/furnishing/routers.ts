// Routers, enrolled by the stock program or not, and the terminators of an operator at them.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { management } from '../../client.ts';
import type { Endings } from '../../endings.ts';
import { stockRouters } from '../../stock-router/stock-router.ts';
import { type PeerNetwork, stockProgram } from '../peer-network.ts';
import { attributes, happens, perhaps, someOf, tagsOf } from './choices.ts';
import { type Furnishing, makeMany } from './furnishing.ts';

/** Ids of what was made. */
export interface Routers {
  readonly edgeRouters: readonly string[];
  /** A router that was created and has not enrolled. */
  readonly pending: string;
}

/** Makes routers of each sort, and terminators. */
export async function makeRouters(
  endings: Endings,
  furnishing: Furnishing,
  services: readonly string[],
): Promise<Routers> {
  const { dice } = furnishing;
  const edgeRouters = await makeMany(furnishing, 'edge-routers', dice.integer(4, 7), (number) => ({
    name: `edge ${number}`,
    roleAttributes: someOf(dice, attributes),
    isTunnelerEnabled: number === 0 || happens(dice, 4),
    cost: perhaps(dice, () => dice.integer(0, 65_535)),
    noTraversal: happens(dice, 5),
    disabled: number > 1 && happens(dice, 3),
    appData: perhaps(dice, () => ({ place: 'hall', floor: 3 })),
    tags: tagsOf(dice),
  }));
  const [tunneler = '', plain = '', pending = ''] = edgeRouters;
  const transit = await makeMany(furnishing, 'transit-routers', 2, (number) => ({
    name: `transit ${number}`,
    cost: dice.integer(0, 100),
    noTraversal: happens(dice, 5),
    tags: tagsOf(dice),
  }));
  await enroll(endings, furnishing, 'edge-routers', tunneler);
  await enroll(endings, furnishing, 'edge-routers', plain);
  await enroll(endings, furnishing, 'transit-routers', transit[0] ?? '');
  const routers = [tunneler, plain, transit[0]];
  await makeMany(furnishing, 'terminators', dice.integer(5, 15), (number) => ({
    service: dice.one(services),
    router: dice.one(routers),
    binding: 'transport',
    address: `tcp:127.0.0.1:${9000 + number}`,
    cost: perhaps(dice, () => dice.integer(0, 65_535)),
    precedence: dice.one([undefined, 'default', 'required', 'failed']),
    identity: perhaps(dice, () => `instance ${number}`),
    tags: tagsOf(dice),
  }));
  return { edgeRouters, pending };
}

async function enroll(
  endings: Endings,
  { network, admin }: Furnishing,
  collection: string,
  id: string,
): Promise<void> {
  const { enrollmentJwt } = await admin.ask('GET', `${management}/${collection}/${id}`);
  await enrollRouter(endings, network, id, String(enrollmentJwt));
}

/** Enrolls a router by the stock program, and does not run it. */
export async function enrollRouter(
  endings: Endings,
  { directory, control }: PeerNetwork,
  id: string,
  jwt: string,
): Promise<void> {
  const home = join(directory, `router${id}`);
  mkdirSync(home, { mode: 0o700 });
  const router = stockRouters(stockProgram())(endings, { home, edgePort: 1, linkPort: 2 });
  await router.enroll(jwt, control);
}

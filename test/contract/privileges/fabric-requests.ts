// Valid requests of the fabric API where the example of its resource is not enough.

import { circuitKind } from '../../../src/records/circuit.ts';
import { fabricRouters } from '../../../src/resources/fabric/routers.ts';
import { reportLink } from '../harness/reported-link.ts';
import type { World } from './callers.ts';
import type { RequestMaker, RequestMakers, ValidRequest } from './requests.ts';
import { made } from './things.ts';

const { example: router = {} } = fabricRouters;

/** A snapshot may be asked for once per minute. */
async function later({ network }: World): Promise<ValidRequest> {
  await network.advance(network.config.limits.snapshotIntervalMs);
  return {};
}

/** A request about something that routers make. */
const about =
  (make: (world: World) => Promise<string>, body?: object): RequestMaker =>
  async (world) => ({ ids: [await make(world)], ...(body && { body }) });

/** Requests by operation. */
export const fabricRequests: RequestMakers = {
  async 'POST F /routers'(world) {
    const id = world.name('router');
    return { body: { ...router, id, name: id } };
  },
  'PUT F /routers/{id}': replaced('routers', async (world) => ({
    ...router,
    name: world.name('router'),
    fingerprint: fingerprintOf(world),
  })),
  'POST F /inspections': async () => ({ body: { appRegex: '.', requestedValues: ['config'] } }),
  'POST F /database': async (world) => later(world),
  'POST F /database/snapshot': async (world) => ({ ...(await later(world)), body: {} }),
  'POST F /database/check-data-integrity': async () => ({}),
  'POST F /database/fix-data-integrity': async () => ({}),
  'POST F /cluster/add-member': async () => ({ body: { address: 'tls:a:1', isVoter: true } }),
  'POST F /cluster/remove-member': async () => ({ body: { id: 'n2' } }),
  'POST F /cluster/transfer-leadership': async () => ({ body: {} }),
  'POST F /cluster/redeem-invitation': async () => ({ body: { id: 'a', secret: 'b' } }),
  'GET F /links/{id}': about(link),
  'PATCH F /links/{id}': about(link, { staticCost: 5 }),
  'DELETE F /links/{id}': about(link),
  'GET F /circuits/{id}': about(circuit),
  'DELETE F /circuits/{id}': about(circuit, { immediate: true }),
};

const madeBy = { actor: 'test', requestId: '', operation: 'test' };

async function link(world: World): Promise<string> {
  const sourceRouter = await made(world, 'routers', 'admin');
  const destRouter = await made(world, 'routers', 'admin');
  const id = world.name('link');
  reportLink(world.network, { id, sourceRouter, destRouter });
  return id;
}

/** A circuit within one router. */
async function circuit(world: World): Promise<string> {
  const { env } = world.network;
  const routerId = await made(world, 'routers', 'admin');
  const id = world.name('circuit');
  const fields = {
    identityId: (await world.standing('full')).id,
    serviceId: await made(world, 'services', 'admin'),
    terminatorId: await made(world, 'terminators', 'admin'),
    hostId: '',
    routers: [routerId],
    links: [],
    ingressId: 'in',
    egressId: 'out',
    sessionId: undefined,
    apiSessionId: undefined,
  };
  env.store.transact(madeBy, (tx) => {
    env.send(tx, circuitKind.kind, id, { type: 'restore', now: tx.now, fields });
  });
  return id;
}

/** A put of a new record. */
function replaced(plural: string, body: (world: World) => Promise<object>): RequestMaker {
  return async (world, kind) => ({
    ids: [await made(world, plural, kind)],
    body: await body(world),
  });
}

/** One that no router has yet. */
function fingerprintOf(world: World): string {
  return world.name('').replace('-', '').padStart(40, 'a');
}

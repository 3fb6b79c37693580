// Valid requests of the fabric API where the example of its resource is not enough.

import { fabricRouters } from '../../../src/resources/fabric/routers.ts';
import type { World } from './callers.ts';
import type { RequestMaker, RequestMakers } from './requests.ts';
import { made } from './things.ts';

const { example: router = {} } = fabricRouters;

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
};

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

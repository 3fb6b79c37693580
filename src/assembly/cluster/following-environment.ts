// The environment of operations on a node that follows. Reading a part that only the leader has
// throws an error.

import type { ControllerEnvironment } from '../controller-environment.ts';

/**
 * The parts that are not in the log. A node that follows has none of them, or knows less: an
 * operation that reads one of these has to be declared as the leader's (`Operation.answered`).
 */
const leaderParts = [
  'presence',
  'connectedRouters',
  'fabricOrders',
  'routerModels',
  'identityConnections',
  'failedDials',
  'terminatorCosts',
  'paths',
  'circuitsOver',
  'usage',
  'failedRequests',
  'integrity',
  'inspection',
  'tickets',
  'snapshots',
  'traces',
  'memory',
  'send',
] as const satisfies readonly (keyof ControllerEnvironment)[];

/** An operation has read a part that only the leader has: its declaration is wrong. */
class LeaderPartRead extends Error {
  override readonly name = 'LeaderPartRead';
}

/**
 * The same environment, except that the use of API sessions is noted by `noteUse`, and that the
 * parts that only the leader has throw LeaderPartRead.
 */
export function followingEnvironment(
  env: ControllerEnvironment,
  noteUse: ControllerEnvironment['noteUse'],
): ControllerEnvironment {
  const properties: PropertyDescriptorMap = { noteUse: { value: noteUse } };
  for (const name of leaderParts) {
    properties[name] = {
      get() {
        throw new LeaderPartRead(`only the leader has the part ${name}`);
      },
    };
  }
  return Object.create(env, properties) as ControllerEnvironment;
}

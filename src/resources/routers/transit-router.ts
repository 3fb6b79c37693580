// Routers of both kinds at their two locations in the management API (behaviour/routers#one-space).

import type { Resource } from '../../declare/resources/resource.ts';
import { ApiError } from '../../errors/errors.ts';
import { routerKind } from '../../records/router.ts';
import { checkAttachedConfigs } from '../configs/attached-configs.ts';
import { type DefinedResource, defineResource } from '../context.ts';
import { prepareRouter, routerRemoving, routerWritten } from './router-life.ts';
import { isConnected, sharedRouterFields } from './router-views.ts';

/** Every router. Routers created here carry no clients' traffic, and no role selects them. */
export const routers = routersAt({
  path: 'routers',
  title: 'router',
  names: { one: 'Router', many: 'Routers' },
});

/**
 * The same routers at the path that older clients know, where edge routers cannot be changed
 * (behaviour/routers#one-space).
 */
export const transitRouters = routersAt({
  path: 'transit-routers',
  title: 'transit router',
  names: { one: 'TransitRouter', many: 'TransitRouters' },
  changeConflicts: true,
});

function routersAt(
  location: Pick<Resource, 'path' | 'title' | 'names' | 'changeConflicts'>,
): DefinedResource {
  return defineResource({
    ...location,
    kind: routerKind,
    answered: 'leader',
    verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
    permission: 'router',
    takes: ['name', 'cost', 'noTraversal', 'disabled', 'configs', 'ctrlChanListeners'],
    // Fields of edge routers alone are neither shown nor changed here.
    hidden: ['roleAttributes', 'isTunnelerEnabled', 'appData', 'certPem'],
    joined: sharedRouterFields,
    symbolSources: { connected: isConnected },
    deleteConflicts: true,
    check(context, draft, body, stored) {
      if (stored === undefined) draft.isEdge = false;
      else if (stored.isEdge && location.changeConflicts) {
        throw new ApiError('CAN_NOT_UPDATE_ROUTER');
      }
      checkAttachedConfigs(context, body, 'router');
    },
    prepare: (context, id) => prepareRouter(context, { id, isEdge: false }),
    written: (context, record, _body, stored, signed) =>
      routerWritten(context, record, stored, signed),
    removing: routerRemoving,
    example: { name: 'transit-1', cost: 10 },
  });
}

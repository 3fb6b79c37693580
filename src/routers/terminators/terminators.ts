// Terminators: routers say where services are hosted (behaviour/control-channel#terminators).

import { contentTypes } from '../../channel/content-types.ts';
import type { RoutersContext } from '../context.ts';
import type { RouterFeature, SessionChecks } from '../router-feature.ts';
import { changeHandlers, type HealthFigures } from './change-requests.ts';
import { creationHandlers } from './creation-requests.ts';
import { followRemovals } from './removals.ts';
import { TerminatorRights } from './rights.ts';
import { TerminatorValidation } from './validation.ts';

/** The terminators of all routers. */
export interface TerminatorsFeature extends RouterFeature {
  /** Checks of the health of hosts since the start, for the metrics `service.health_check.*`. */
  readonly health: Readonly<HealthFigures>;
}

/** Creates the part for terminators. The store must have recovered. */
export function createTerminators(
  context: RoutersContext,
  checks: SessionChecks,
): TerminatorsFeature {
  const health = { passed: 0, failed: 0 };
  const validation = new TerminatorValidation(context);
  const rights = new TerminatorRights(context);
  followRemovals(context);
  return {
    health,
    handlers: new Map([
      ...creationHandlers({
        context,
        checks,
        confirmed: (router, id) => validation.confirmed(router, id),
      }),
      ...changeHandlers({ context, checks, health }),
      [
        contentTypes.validateTerminatorsV2Response,
        (router, frame) => validation.answered(router, frame),
      ],
    ]),
    lead() {
      rights.lead();
      return [];
    },
    connected: (router) => validation.connected(router),
    disconnected: (router) => validation.disconnected(router),
  };
}

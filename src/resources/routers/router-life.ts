// The effects of creating, changing or deleting a router: enrollment, tunneler.

import { type RouterRecord, routerKind } from '../../records/router.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Context, ResourceEnvironment } from '../context.ts';
import {
  createEnrollment,
  type NewEnrollment,
  type SignedEnrollment,
  signEnrollment,
} from '../enrollments/enrollment.ts';
import { addTunneler, removeTunneler, renameTunneler } from './tunneler.ts';

/** Signs the enrollment of a router that is about to be created. */
export function prepareRouter(
  context: Context,
  router: Pick<RouterRecord, 'id' | 'isEdge'>,
): Promise<SignedEnrollment> {
  return signEnrollment(context, routerEnrollment(context, router));
}

/** Writes the parts that belong to a router that was just written (behaviour/routers). */
export function routerWritten(
  context: Context,
  record: RouterRecord,
  stored: RouterRecord | undefined,
  signed: SignedEnrollment | undefined,
): void {
  if (signed !== undefined) createEnrollment(context, signed);
  const was = stored?.isTunnelerEnabled ?? false;
  if (record.isTunnelerEnabled && !was) addTunneler(context, record);
  else if (!record.isTunnelerEnabled && was) removeTunneler(context, record.id);
  else if (was && stored?.name !== record.name) renameTunneler(context, record);
}

/** Ends the parts that the cascades of a router do not reach (behaviour/routers#deletion). */
export function routerRemoving(context: Context, record: RouterRecord): void {
  if (record.isTunnelerEnabled) removeTunneler(context, record.id);
}

/** Deletes a router by its own request, with everything that belongs to it. */
export function removeRouter(
  { store, registry }: ResourceEnvironment,
  tx: Transaction,
  routerId: string,
): void {
  const record = store.table(routerKind).find(routerId)?.record;
  if (record === undefined) return;
  if (record.isTunnelerEnabled) {
    registry.cascades.remove(tx, 'edgeRouterPolicy', routerId);
    registry.cascades.remove(tx, 'identity', routerId);
  }
  registry.cascades.remove(tx, 'router', routerId);
}

/** The enrollment of a router: `erott` for edge routers, `trott` for the others. */
export function routerEnrollment(
  context: Context,
  { id, isEdge }: Pick<RouterRecord, 'id' | 'isEdge'>,
): NewEnrollment {
  const lifetimeMs = context.env.config.enrollment.routerMinutes * 60_000;
  return {
    method: isEdge ? 'erott' : 'trott',
    subject: id,
    routerId: id,
    expiresAt: context.now + lifetimeMs,
  };
}

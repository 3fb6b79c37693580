// The effects of creating, changing or deleting a router: enrollment, connection, tunneler.

import { wholeValues } from '../../declare/bodies.ts';
import { insertRecord } from '../../declare/crud.ts';
import type { Context } from '../../declare/operation.ts';
import { fieldError } from '../../errors.ts';
import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import { identityKind } from '../../records/identity.ts';
import type { RouterRecord } from '../../records/router.ts';
import {
  createEnrollment,
  type NewEnrollment,
  type SignedEnrollment,
  signEnrollment,
} from '../enrollments/enrollment.ts';

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
  // A disabled router is refused by the control plane (behaviour/routers#disabled).
  else if (record.disabled && stored?.disabled === false) disconnect(context, record.id);
  const was = stored?.isTunnelerEnabled ?? false;
  if (record.isTunnelerEnabled && !was) addTunneler(context, record);
  else if (!record.isTunnelerEnabled && was) removeTunneler(context, record.id);
  else if (was && stored?.name !== record.name) renameTunneler(context, record);
}

/** Ends the parts that the cascades of a router do not reach (behaviour/routers#deletion). */
export function routerRemoving(context: Context, record: RouterRecord): void {
  if (record.isTunnelerEnabled) removeTunneler(context, record.id);
  disconnect(context, record.id);
}

function disconnect({ env, tx }: Context, id: string): void {
  tx.afterCommit(() => env.presence.disconnect(id));
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

/** A tunneler-enabled router hosts and dials with its own identity (behaviour/routers). */
function addTunneler(context: Context, { id, name }: RouterRecord): void {
  const { env, now } = context;
  if (env.store.table(identityKind).find(id) !== undefined) {
    throw fieldError('id', 'an identity has this id already', id);
  }
  env.memory.admitRecord();
  const base = { id, createdAt: now, updatedAt: now, tags: {} };
  insertRecord(context, identityKind, {
    ...wholeValues(identityKind.fields, {}, undefined),
    ...base,
    name,
    typeId: 'Router',
    isAdmin: false,
  });
  insertRecord(context, edgeRouterPolicyKind, {
    ...base,
    isSystem: true,
    name: `edge-router-${id}-system`,
    semantic: 'AnyOf',
    identityRoles: [`@${id}`],
    edgeRouterRoles: [`@${id}`],
  });
}

function removeTunneler(context: Context, id: string): void {
  const { cascades } = context.env.registry;
  cascades.remove(context.tx, 'edgeRouterPolicy', id);
  cascades.remove(context.tx, 'identity', id);
}

function renameTunneler(context: Context, { id, name }: RouterRecord): void {
  const table = context.env.store.table(identityKind);
  const row = table.find(id);
  if (row === undefined) return;
  context.tx.put(table, { ...row.record, name, updatedAt: context.now });
}

// The identity and the policy of a router with its tunneler switched on (behaviour/routers).

import { refuseActingOn } from '../../auth/privileged-identities.ts';
import { wholeValues } from '../../declare/resources/bodies.ts';
import { insertRecord } from '../../declare/resources/crud.ts';
import { fieldError } from '../../errors/errors.ts';
import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import { identityKind } from '../../records/identity.ts';
import type { RouterRecord } from '../../records/router.ts';
import type { Context } from '../context.ts';

/** A tunneler-enabled router hosts and dials with its own identity (behaviour/routers). */
export function addTunneler(context: Context, { id, name }: RouterRecord): void {
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

/** Removes both. */
export function removeTunneler(context: Context, id: string): void {
  refuseActingOn(context, id);
  const { cascades } = context.env.registry;
  cascades.remove(context.tx, 'edgeRouterPolicy', id);
  cascades.remove(context.tx, 'identity', id);
}

/** Gives the identity the new name of its router. */
export function renameTunneler(context: Context, { id, name }: RouterRecord): void {
  const table = context.env.store.table(identityKind);
  const row = table.find(id);
  if (row === undefined) return;
  refuseActingOn(context, id);
  context.tx.put(table, { ...row.record, name, updatedAt: context.now });
}

// The routers in an explanation: those that identity and service share, and those of one side.

import { type RouterRecord, routerKind } from '../records/router.ts';
import type { Context } from '../resources/context.ts';
import { presenceOf } from '../resources/routers/presence.ts';
import { isVerified } from '../resources/routers/router-views.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Pair } from './policies.ts';
import type { ExplainedRouter, ExplainedRouters } from './schema.ts';
import { explainBounds } from './sentence-parts.ts';

/** The routers between the two. */
export function routersOf(context: Context, { identity, service }: Pair): ExplainedRouters {
  const { access } = context.env;
  const own = access.routers.of('identity', identity.slot);
  const others = access.routers.of('service', service.slot);
  const isCommon = new Set(access.routers.usable(identity.slot, service.slot));
  const { online, ...common } = listed(context, isCommon);
  const beside = (slots: Uint32Array) => {
    const { total, shown } = listed(
      context,
      slots.filter((slot) => !isCommon.has(slot)),
    );
    return { total, shown };
  };
  return {
    identityTotal: own.length,
    serviceTotal: others.length,
    onlineTotal: online,
    common,
    identityOnly: beside(own),
    serviceOnly: beside(others),
  };
}

function listed(context: Context, slots: Iterable<number>) {
  const { store, bounds, presence } = context.env;
  const { explainRoutersMax } = boundsOf(explainBounds, bounds);
  const table = store.table(routerKind);
  const connected: RouterRecord[] = [];
  const offline: RouterRecord[] = [];
  let total = 0;
  let online = 0;
  for (const slot of slots) {
    const record = table.at(slot)?.record;
    if (record === undefined) continue;
    total += 1;
    const isOnline = presence.of(record.id) !== undefined;
    if (isOnline) online += 1;
    const into = isOnline ? connected : offline;
    if (into.length < explainRoutersMax) into.push(record);
  }
  const shown = [...connected, ...offline].slice(0, explainRoutersMax);
  return { total, online, shown: shown.map((record) => explained(context, record)) };
}

function explained(context: Context, record: RouterRecord): ExplainedRouter {
  const { isOnline, syncStatus } = presenceOf(context, record.id);
  const { id, name, disabled } = record;
  const standing = context.env.routerModels.standingOf(id);
  const model =
    standing === undefined ? null : { index: standing.index, lag: standing.lag ?? null };
  return { id, name, isOnline, syncStatus, isVerified: isVerified(record), disabled, model };
}

// The hosts of a service in an explanation: its terminators, which of them are usable now, and
// whether a path leads there.

import { routerKind } from '../records/router.ts';
import { type TerminatorRecord, terminatorKind } from '../records/terminator.ts';
import type { Context } from '../resources/context.ts';
import { presenceOf } from '../resources/routers/presence.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Pair } from './policies.ts';
import type { ExplainedHosting, ExplainedRouters, ExplainedTerminator } from './schema.ts';

/** The terminators of the service, as clients at the common routers could reach them now. */
export function hostingOf(
  context: Context,
  { service }: Pair,
  { common }: ExplainedRouters,
): ExplainedHosting {
  const { store, bounds } = context.env;
  const { explainTerminatorsMax, explainTerminatorsShownMax } = boundsOf(hostingBounds, bounds);
  const table = store.table(terminatorKind);
  const routes = new Routes(
    context,
    common.shown.filter(({ isOnline }) => isOnline).map(({ id }) => id),
  );
  const total = table.group('service').count(service.record.id);
  const all: ExplainedTerminator[] = [];
  for (const { record } of table.members('service', service.record.id)) {
    if (all.length >= explainTerminatorsMax) break;
    all.push(explained(context, record, routes));
  }
  const counted = (test: (terminator: ExplainedTerminator) => boolean) => all.filter(test).length;
  all.sort((left, right) => rankOf(left) - rankOf(right));
  return {
    total,
    isWhole: all.length === total,
    onlineTotal: counted(({ router }) => router.isOnline),
    reachableTotal: counted(({ path }) => path !== null),
    shown: all.slice(0, explainTerminatorsShownMax),
  };
}

function explained(
  context: Context,
  { id, router, precedence }: TerminatorRecord,
  routes: Routes,
): ExplainedTerminator {
  const { isOnline } = presenceOf(context, router);
  const name = context.env.store.table(routerKind).find(router)?.record.name ?? router;
  const path = isOnline ? routes.to(router) : null;
  return { id, precedence, router: { id: router, name, isOnline }, path };
}

/** Reachable ones first, then those whose router is connected; failed ones after others. */
function rankOf(terminator: ExplainedTerminator): number {
  const offline = terminator.router.isOnline ? 1 : 2;
  return (
    (terminator.path === null ? 2 * offline : 0) + (terminator.precedence === 'failed' ? 1 : 0)
  );
}

/** Finds whether some router of the client leads to the routers of hosts. */
class Routes {
  readonly #context: Context;
  readonly #from: readonly string[];
  readonly #known = new Map<string, ExplainedTerminator['path']>();
  readonly #targetsMax: number;

  constructor(context: Context, from: readonly string[]) {
    const bounds = boundsOf(hostingBounds, context.env.bounds);
    this.#context = context;
    this.#from = from;
    this.#targetsMax = bounds.explainPathTargetsMax;
  }

  to(routerId: string): ExplainedTerminator['path'] {
    const known = this.#known.get(routerId);
    if (known !== undefined) return known;
    const isShared = this.#from.includes(routerId);
    if (!isShared && this.#known.size >= this.#targetsMax) return null;
    const path = this.#find(isShared ? [routerId] : this.#from, routerId);
    this.#known.set(routerId, path);
    return path;
  }

  #find(sources: readonly string[], routerId: string): ExplainedTerminator['path'] {
    const { env } = this.#context;
    const table = env.store.table(routerKind);
    const { explainPathSourcesMax } = boundsOf(hostingBounds, env.bounds);
    const named = (id: string) => ({ id, name: table.find(id)?.record.name ?? id });
    for (const from of sources.slice(0, explainPathSourcesMax)) {
      const path = env.paths.find(from, routerId);
      if (path !== undefined) return { cost: path.cost, routers: path.routers.map(named) };
    }
    return null;
  }
}

const hostingBounds = {
  /** Terminators of a service that an explanation examines. @bound per request */
  explainTerminatorsMax: 1000,
  /** Terminators that an explanation shows, reachable ones first. @bound per request */
  explainTerminatorsShownMax: 25,
  /**
   * Common routers from which an explanation looks for paths: a search takes up to 1 ms in a fleet
   * of 10,000 routers. @bound per request
   */
  explainPathSourcesMax: 3,
  /** Routers of hosts to which an explanation looks for paths. @bound per request */
  explainPathTargetsMax: 10,
};

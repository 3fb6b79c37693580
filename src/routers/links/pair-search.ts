// A search for the cheapest path to one router, which leaves out everything that cannot be part of
// it. In a fleet around a few hubs it takes a hundredth of a search for all routers.

import { CostQueue } from '../../containers/cost-queue.ts';
import type { AvoidedHops } from '../router-feature.ts';
import { type Edge, type Node, otherEnd } from './path-search.ts';

/** The cheapest path from one router to another one, and what it costs. */
export interface FoundPath {
  readonly cost: number;
  /** The links of the path, the last one first. */
  readonly edges: readonly Edge[];
}

/**
 * The cheapest path from a router to another one, without what is to be left out; undefined when
 * there is none.
 */
export function cheapestPath(
  source: Node,
  target: Node,
  avoided?: AvoidedHops,
): FoundPath | undefined {
  const direct = avoided === undefined ? directPath(source, target) : undefined;
  return direct ?? new PairSearch(source, target, avoided).run();
}

/**
 * The link between two routers if no detour can be cheaper, as between a hub and one of its many
 * routers: the links of the router with fewer of them tell that, and those of the hub need not be
 * looked at. Undefined if only a search can tell.
 */
function directPath(source: Node, target: Node): FoundPath | undefined {
  const isSourceNear = source.edges.length <= target.edges.length;
  const [near, far] = isSourceNear ? [source, target] : [target, source];
  if (near.edges.length > directEdgesMax) return undefined;
  let direct: Edge | undefined;
  let detourMin = Number.POSITIVE_INFINITY;
  for (const edge of near.edges) {
    if (otherEnd(edge, near) !== far) detourMin = Math.min(detourMin, edge.cost);
    else if (direct === undefined || edge.cost < direct.cost) direct = edge;
  }
  if (direct === undefined || detourMin + routerCostMin < direct.cost) return undefined;
  return { cost: direct.cost + target.cost, edges: [direct] };
}

/** Links of the router with fewer of them up to which they are looked at one by one. @bound */
const directEdgesMax = 64;

class PairSearch {
  readonly #source: Node;
  readonly #target: Node;
  readonly #avoided: AvoidedHops | undefined;
  /** The cheapest way into the target from each of its neighbours. */
  readonly #into = new Map<Node, { readonly edge: Edge; readonly cost: number }>();
  /** The cheapest of them, and the least cost of a way that enters one more router first. */
  readonly #intoMin: number;
  readonly #onwardMin: number;
  readonly #reached = new Map<Node, { cost: number; edge: Edge | undefined; isSettled: boolean }>();
  readonly #queue = new CostQueue<Node>();
  #bestCost = Number.POSITIVE_INFINITY;
  /** The last router before the target on the best path so far. */
  #best: Node | undefined;

  constructor(source: Node, target: Node, avoided: AvoidedHops | undefined) {
    this.#source = source;
    this.#target = target;
    this.#avoided = avoided;
    let intoMin = Number.POSITIVE_INFINITY;
    for (const edge of target.edges) {
      const near = otherEnd(edge, target);
      if (!near.isTraversable && near !== source) continue;
      if (avoided !== undefined && this.#isAvoided(edge, near)) continue;
      const cost = edge.cost + target.cost;
      intoMin = Math.min(intoMin, cost);
      if (cost < (this.#into.get(near)?.cost ?? Number.POSITIVE_INFINITY)) {
        this.#into.set(near, { edge, cost });
      }
    }
    this.#intoMin = intoMin;
    this.#onwardMin = intoMin + routerCostMin;
  }

  run(): FoundPath | undefined {
    this.#reach(this.#source, 0, undefined);
    // Nothing that is left can be part of a cheaper path.
    while (this.#queue.leastCost + this.#intoMin < this.#bestCost) {
      const node = this.#queue.pop();
      if (node === undefined) break;
      this.#settle(node);
    }
    return this.#best === undefined ? undefined : this.#path(this.#best);
  }

  #settle(node: Node): void {
    const reached = this.#reached.get(node);
    if (reached === undefined || reached.isSettled) return;
    reached.isSettled = true;
    const { cost } = reached;
    const onwardMin = this.#onwardMin;
    for (const edge of node.edges) {
      // The best path may have become cheaper with the edges before.
      if (cost + onwardMin >= this.#bestCost) return;
      const nextCost = cost + edge.cost;
      if (nextCost + onwardMin >= this.#bestCost) continue;
      const next = otherEnd(edge, node);
      if (this.#avoided !== undefined && this.#isAvoided(edge, next)) continue;
      if (next !== this.#target) this.#reach(next, nextCost + next.cost, edge);
    }
  }

  #isAvoided({ id }: Edge, node: Node): boolean {
    const { routers, links } = this.#avoided ?? nothing;
    return links.has(id) || routers.has(node.id);
  }

  /** Takes a way to a node, if it may be part of a cheaper path than the best one. */
  #reach(node: Node, cost: number, edge: Edge | undefined): void {
    if (!node.isTraversable && node !== this.#source) return;
    const into = this.#into.get(node);
    if (cost + (into === undefined ? this.#onwardMin : this.#intoMin) >= this.#bestCost) return;
    const reached = this.#reached.get(node);
    if (reached !== undefined) {
      if (reached.cost <= cost) return;
      reached.cost = cost;
      reached.edge = edge;
    } else this.#reached.set(node, { cost, edge, isSettled: false });
    this.#queue.push(cost, node);
    if (into === undefined || cost + into.cost >= this.#bestCost) return;
    this.#bestCost = cost + into.cost;
    this.#best = node;
  }

  #path(last: Node): FoundPath {
    const edges: Edge[] = [];
    let edge = this.#into.get(last)?.edge;
    for (let node = this.#target; edge !== undefined; edge = this.#reached.get(node)?.edge) {
      edges.push(edge);
      node = otherEnd(edge, node);
    }
    return { cost: this.#bestCost, edges };
  }
}

const nothing: AvoidedHops = { routers: new Set(), links: new Set() };

/**
 * What a path pays at least to enter a router, so that a detour over fast links costs something
 * (behaviour/control-channel#links-and-paths). @bound
 */
export const routerCostMin = 10;

// A search for the cheapest paths from one router: Dijkstra's algorithm, which stops when its
// target is reached and goes on from there for the next one.

import { CostQueue } from '../../containers/cost-queue.ts';

/** A router in the graph of links. */
export interface Node {
  readonly id: string;
  /** Its place in the arrays of searches; dense. */
  readonly index: number;
  /** What a path pays to enter it. */
  cost: number;
  /** Whether paths may lead through it, not only to it. */
  isTraversable: boolean;
  isConnected: boolean;
  readonly edges: Edge[];
}

/** A link that works between two connected routers. */
export interface Edge {
  readonly id: string;
  readonly ends: readonly [Node, Node];
  /** Its places in the lists of both ends. */
  readonly places: [number, number];
  cost: number;
}

/** The router at the other end. */
export function otherEnd({ ends: [one, other] }: Edge, node: Node): Node {
  return node === one ? other : one;
}

/** The cheapest paths from one router, as far as they were asked for. */
export class PathSearch {
  readonly source: Node;
  /** Costs by the index of the node; infinite where nothing has led yet. */
  readonly #costs: Float64Array;
  readonly #isSettled: Uint8Array;
  /** The last link of the path to each node. */
  readonly #edges: (Edge | undefined)[];
  readonly #queue = new CostQueue<Node>();

  /** @param nodes how many indexes there are; nodes that come later are not found */
  constructor(source: Node, nodes: number) {
    this.source = source;
    this.#costs = new Float64Array(nodes).fill(Number.POSITIVE_INFINITY);
    this.#isSettled = new Uint8Array(nodes);
    this.#edges = new Array(nodes);
    this.#costs[source.index] = 0;
    this.#queue.push(0, source);
  }

  /** The cost of the cheapest path; undefined when there is none. */
  costTo(target: Node): number | undefined {
    if (target.index >= this.#costs.length) return undefined;
    while (this.#isSettled[target.index] === 0) {
      const next = this.#queue.pop();
      if (next === undefined) return undefined;
      this.#settle(next);
    }
    return this.#costs[target.index];
  }

  /** The last link of the path to a node whose cost was found; undefined at the source. */
  edgeTo(node: Node): Edge | undefined {
    return this.#edges[node.index];
  }

  #settle(node: Node): void {
    const { index } = node;
    // The queue holds a node once more for each cheaper way that was found to it.
    if (this.#isSettled[index] === 1) return;
    this.#isSettled[index] = 1;
    if (!node.isTraversable && node !== this.source) return;
    const cost = this.#costs[index] as number;
    for (const edge of node.edges) {
      const next = otherEnd(edge, node);
      const known = this.#costs[next.index];
      const nextCost = cost + edge.cost + next.cost;
      if (known === undefined || nextCost >= known) continue;
      this.#costs[next.index] = nextCost;
      this.#edges[next.index] = edge;
      this.#queue.push(nextCost, next);
    }
  }
}

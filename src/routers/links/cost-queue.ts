// The queue of searches for paths: a binary heap.

import type { Node } from './path-search.ts';

/** Nodes by cost, the cheapest first. A node may be in it more than once. */
export class CostQueue {
  readonly #costs: number[] = [];
  readonly #nodes: Node[] = [];

  /** The cost of the first node; infinite when there is none. */
  get leastCost(): number {
    return this.#costs[0] ?? Number.POSITIVE_INFINITY;
  }

  push(cost: number, node: Node): void {
    const costs = this.#costs;
    let at = costs.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((costs[above] as number) <= cost) break;
      this.#move(above, at);
      at = above;
    }
    costs[at] = cost;
    this.#nodes[at] = node;
  }

  pop(): Node | undefined {
    const first = this.#nodes[0];
    const cost = this.#costs.pop();
    const node = this.#nodes.pop();
    if (cost === undefined || node === undefined || this.#nodes.length === 0) return first;
    const { length } = this.#nodes;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= length) break;
      const right = this.#costs[below + 1];
      if (right !== undefined && right < (this.#costs[below] as number)) below += 1;
      if ((this.#costs[below] as number) >= cost) break;
      this.#move(below, at);
      at = below;
    }
    this.#costs[at] = cost;
    this.#nodes[at] = node;
    return first;
  }

  #move(from: number, to: number): void {
    this.#costs[to] = this.#costs[from] as number;
    this.#nodes[to] = this.#nodes[from] as Node;
  }
}

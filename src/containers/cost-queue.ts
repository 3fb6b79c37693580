// A queue of anything by cost: a binary heap over two flat arrays.

/** Items by cost, the cheapest first. An item may be in it more than once, and cannot be moved. */
export class CostQueue<Item> {
  readonly #costs: number[] = [];
  readonly #items: Item[] = [];

  /** The cost of the first item; infinite when there is none. */
  get leastCost(): number {
    return this.#costs[0] ?? Number.POSITIVE_INFINITY;
  }

  /** Adds an item. */
  push(cost: number, item: Item): void {
    const costs = this.#costs;
    let at = costs.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((costs[above] as number) <= cost) break;
      this.#move(above, at);
      at = above;
    }
    costs[at] = cost;
    this.#items[at] = item;
  }

  /** Takes out the first item; undefined when there is none. */
  pop(): Item | undefined {
    const first = this.#items[0];
    const cost = this.#costs.pop();
    const item = this.#items.pop();
    if (cost === undefined || item === undefined || this.#items.length === 0) return first;
    const { length } = this.#items;
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
    this.#items[at] = item;
    return first;
  }

  #move(from: number, to: number): void {
    this.#costs[to] = this.#costs[from] as number;
    this.#items[to] = this.#items[from] as Item;
  }
}

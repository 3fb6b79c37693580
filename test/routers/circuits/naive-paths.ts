// Paths by trying all of them, to which the real search and the circuits are compared.

import type { AvoidedHops, Path, Paths } from '../../../src/routers/router-feature.ts';

interface Link {
  readonly id: string;
  readonly ends: readonly [string, string];
  cost: number;
}

/** Links that a test adds and removes, and the cheapest path over them without any cleverness. */
export class NaivePaths implements Paths {
  readonly links = new Map<string, Link>();
  readonly #isConnected: (routerId: string) => boolean;
  #followers: ((linkIds: ReadonlySet<string>) => void)[] = [];
  #lost = new Set<string>();

  constructor(isConnected: (routerId: string) => boolean) {
    this.#isConnected = isConnected;
  }

  /** A link works from now on. */
  add(id: string, from: string, to: string, cost = 1): void {
    this.links.set(id, { id, ends: [from, to], cost });
  }

  /** A link is gone. */
  remove(id: string): void {
    if (this.links.delete(id)) this.#lost.add(id);
    this.announceLost();
  }

  /** All links of a router are gone; `announceLost` says so. */
  routerGone(routerId: string): void {
    for (const { id, ends } of [...this.links.values()]) {
      if (!ends.includes(routerId)) continue;
      this.links.delete(id);
      this.#lost.add(id);
    }
  }

  /** Tells of the links that are gone since the last time. */
  announceLost(): void {
    const lost = this.#lost;
    if (lost.size === 0) return;
    this.#lost = new Set();
    for (const follower of this.#followers) follower(lost);
  }

  /** The controller has restarted: nothing is known, and nobody follows. */
  clear(): void {
    this.links.clear();
    this.#followers = [];
    this.#lost.clear();
  }

  find(from: string, to: string, avoided?: AvoidedHops): Path | undefined {
    if (!this.#isConnected(from) || !this.#isConnected(to)) return undefined;
    let best: Path | undefined;
    const visit = (path: Path): void => {
      const last = path.routers.at(-1) ?? '';
      if (last === to) {
        if (best === undefined || path.cost < best.cost) best = path;
        return;
      }
      for (const { id, ends, cost } of this.links.values()) {
        if (!ends.includes(last)) continue;
        const next = ends[0] === last ? ends[1] : ends[0];
        if (path.routers.includes(next) || !this.#isConnected(next)) continue;
        if (avoided?.links.has(id) || avoided?.routers.has(next)) continue;
        visit({
          routers: [...path.routers, next],
          links: [...path.links, id],
          cost: path.cost + cost + 10,
        });
      }
    };
    visit({ routers: [from], links: [], cost: 0 });
    return best;
  }

  costOf({ routers, links }: Path): number | undefined {
    let cost = 10 * routers.length;
    for (const id of links) {
      const link = this.links.get(id);
      if (link === undefined) return undefined;
      cost += link.cost;
    }
    return routers.every((id) => this.#isConnected(id)) ? cost : undefined;
  }

  onLost(changed: (linkIds: ReadonlySet<string>) => void): void {
    this.#followers.push(changed);
  }
}

// The graph of the links that work between connected routers, and the cheapest paths in it
// (behaviour/control-channel#links-and-paths).

import type { Clock } from '../../platform/ports.ts';
import { type LinkRecord, linkCost, linkKind } from '../../records/link.ts';
import { type RouterRecord, routerKind } from '../../records/router.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import type { Store } from '../../store/store.ts';
import { type ChangeSet, isOf } from '../../store/transaction.ts';
import type { AvoidedHops, Path, Paths } from '../router-feature.ts';
import { cheapestPath, routerCostMin } from './pair-search.ts';
import { type Edge, type Node, otherEnd, PathSearch } from './path-search.ts';

/** What the graph is built from. */
export interface LinkPathsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly bounds: BoundValues | undefined;
}

/**
 * Finds paths between connected routers. It follows the records of links and routers, and is told
 * which routers are connected. While none is, a commit costs nothing here.
 */
export class LinkPaths implements Paths {
  readonly #options: LinkPathsOptions;
  readonly #bounds: typeof pathBounds;
  /** Every router that has connected and has not been deleted since. */
  readonly #nodes = new Map<string, Node>();
  readonly #freeIndexes: number[] = [];
  readonly #edges = new Map<string, Edge>();
  readonly #quiesced = new Set<string>();
  /** By the id of their source, the one that was used last at the end. */
  readonly #searches = new Map<string, Search>();
  /** Counts the changes of the graph. */
  #generation = 0;
  readonly #lossFollowers: ((linkIds: ReadonlySet<string>) => void)[] = [];
  #lost = new Set<string>();

  constructor(options: LinkPathsOptions) {
    this.#options = options;
    this.#bounds = boundsOf(pathBounds, options.bounds);
    options.store.follow((changes) => {
      if (this.#nodes.size > 0) this.#follow(changes);
    });
  }

  /** How many links work. */
  get linkCount(): number {
    return this.#edges.size;
  }

  /** Told when a router has connected; again for its next connection. */
  routerConnected(routerId: string, isQuiesced = false): void {
    const { store } = this.#options;
    this.quiesce(routerId, isQuiesced);
    const record = store.table(routerKind).peek(routerId)?.record;
    if (record === undefined) return;
    const node = this.#nodes.get(routerId) ?? this.#addNode(record);
    if (node.isConnected) return;
    node.isConnected = true;
    this.#generation += 1;
    const table = store.table(linkKind);
    for (const index of ['sourceRouter', 'destRouter'] as const) {
      for (const { record: link } of table.group(index).rows(routerId)) this.#take(link);
    }
  }

  /** Told when a router's channel has closed and no other has replaced it. */
  routerDisconnected(routerId: string): void {
    const node = this.#nodes.get(routerId);
    if (node === undefined || !node.isConnected) return;
    node.isConnected = false;
    this.#generation += 1;
    for (const edge of [...node.edges]) this.#drop(edge);
  }

  /** No further paths lead through a router that is quiesced, only from and to it. */
  quiesce(routerId: string, isQuiesced: boolean): void {
    if (isQuiesced) this.#quiesced.add(routerId);
    else this.#quiesced.delete(routerId);
    const record = this.#options.store.table(routerKind).peek(routerId)?.record;
    if (record !== undefined) this.#takeRouter(record);
  }

  find(from: string, to: string, avoided?: AvoidedHops): Path | undefined {
    const source = this.#nodes.get(from);
    if (source === undefined || !source.isConnected) return undefined;
    if (from === to) return { routers: [from], links: [], cost: 0 };
    const target = this.#nodes.get(to);
    if (target === undefined || !target.isConnected) return undefined;
    if (avoided !== undefined) return this.#searchPair(source, target, avoided);
    const known = this.#searches.get(from);
    if (known !== undefined && this.#isFresh(known)) {
      if (known.pairs < this.#bounds.pairSearchesMax) {
        known.pairs += 1;
        return this.#searchPair(source, target);
      }
      known.paths ??= new PathSearch(source, this.#nodes.size + this.#freeIndexes.length);
      const path = this.#pathOf(known.paths, target);
      // What has gone makes no other path cheaper, so a path that is still whole is as good as when
      // it was found.
      if (path !== undefined || known.generation === this.#generation) return path;
    }
    this.#begin(from);
    return this.#searchPair(source, target);
  }

  costOf({ routers, links }: Path): number | undefined {
    let cost = 0;
    for (const [at, routerId] of routers.entries()) {
      const node = this.#nodes.get(routerId);
      if (node === undefined || !node.isConnected) return undefined;
      cost += node.cost;
      if (at === 0) continue;
      const edge = this.#edges.get(links[at - 1] ?? '');
      if (edge === undefined || !edge.ends.includes(node)) return undefined;
      if (otherEnd(edge, node).id !== routers[at - 1]) return undefined;
      cost += edge.cost;
    }
    return cost;
  }

  onLost(changed: (linkIds: ReadonlySet<string>) => void): void {
    this.#lossFollowers.push(changed);
  }

  #isFresh({ generation, foundMs }: Search): boolean {
    if (generation === this.#generation) return true;
    return this.#options.clock.monotonic() - foundMs < this.#bounds.pathAgeMs;
  }

  #begin(from: string): void {
    const searches = this.#searches;
    searches.delete(from);
    const foundMs = this.#options.clock.monotonic();
    searches.set(from, { pairs: 1, paths: undefined, generation: this.#generation, foundMs });
    if (searches.size > this.#bounds.pathSearchesKeptMax) {
      const [oldest = ''] = searches.keys();
      searches.delete(oldest);
    }
  }

  #searchPair(source: Node, target: Node, avoided?: AvoidedHops): Path | undefined {
    const found = cheapestPath(source, target, avoided);
    return found && pathAlong(found.edges, target, found.cost);
  }

  /** Undefined when there is none, or when the one that was found is broken by now. */
  #pathOf(search: PathSearch, target: Node): Path | undefined {
    const cost = search.costTo(target);
    if (cost === undefined) return undefined;
    const edges: Edge[] = [];
    for (let node = target; node !== search.source; ) {
      const edge = search.edgeTo(node);
      if (edge === undefined || this.#edges.get(edge.id) !== edge) return undefined;
      edges.push(edge);
      node = otherEnd(edge, node);
    }
    return pathAlong(edges, target, cost);
  }

  #follow({ changes }: ChangeSet): void {
    for (const change of changes) {
      if (isOf(change, linkKind)) {
        if (change.after !== undefined) this.#take(change.after);
        else this.#loseLink(change.row.id);
      } else if (isOf(change, routerKind)) {
        if (change.after !== undefined) this.#takeRouter(change.after);
        else this.#removeNode(change.row.id);
      }
    }
  }

  #take(link: LinkRecord): void {
    const source = this.#nodes.get(link.sourceRouter);
    const dest = this.#nodes.get(link.destRouter);
    if (link.state !== 'connected' || link.down || !source?.isConnected || !dest?.isConnected) {
      this.#loseLink(link.id);
      return;
    }
    const known = this.#edges.get(link.id);
    const cost = linkCost(link);
    if (known?.ends[0] === source && known.ends[1] === dest) {
      if (known.cost === cost) return;
      known.cost = cost;
      this.#generation += 1;
      return;
    }
    if (known !== undefined) this.#drop(known);
    this.#add({ id: link.id, ends: [source, dest], places: [0, 0], cost });
  }

  #add(edge: Edge): void {
    for (const end of [0, 1] as const) {
      edge.places[end] = edge.ends[end].edges.push(edge) - 1;
    }
    this.#edges.set(edge.id, edge);
    this.#generation += 1;
  }

  #loseLink(id: string): void {
    const edge = this.#edges.get(id);
    if (edge !== undefined) this.#drop(edge);
  }

  #drop(edge: Edge): void {
    this.#edges.delete(edge.id);
    for (const end of [0, 1] as const) removeFrom(edge.ends[end], edge.places[end]);
    this.#generation += 1;
    if (this.#lossFollowers.length === 0) return;
    if (this.#lost.size === 0) this.#options.clock.soon(() => this.#announceLost());
    this.#lost.add(edge.id);
  }

  /** In a turn of its own: followers may write, and a commit is being told when links are lost. */
  #announceLost(): void {
    const lost = this.#lost;
    this.#lost = new Set();
    for (const follower of this.#lossFollowers) follower(lost);
  }

  #addNode(record: RouterRecord): Node {
    const index = this.#freeIndexes.pop();
    // Searches know nodes by their index.
    if (index !== undefined) this.#searches.clear();
    const { id } = record;
    const node: Node = {
      id,
      index: index ?? this.#nodes.size,
      cost: enteringCost(record),
      isTraversable: this.#isTraversable(record),
      isConnected: false,
      edges: [],
    };
    this.#nodes.set(id, node);
    return node;
  }

  #removeNode(id: string): void {
    this.routerDisconnected(id);
    this.#quiesced.delete(id);
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    this.#nodes.delete(id);
    this.#freeIndexes.push(node.index);
  }

  #takeRouter(record: RouterRecord): void {
    const node = this.#nodes.get(record.id);
    if (node === undefined) return;
    const cost = enteringCost(record);
    const isTraversable = this.#isTraversable(record);
    if (node.cost === cost && node.isTraversable === isTraversable) return;
    node.cost = cost;
    node.isTraversable = isTraversable;
    this.#generation += 1;
    // An administrator's decision counts at once, unlike a latency.
    this.#searches.clear();
  }

  #isTraversable({ id, noTraversal }: RouterRecord): boolean {
    return !noTraversal && !this.#quiesced.has(id);
  }
}

/** What was found from one router since some time. */
interface Search {
  /** How many targets were searched for by themselves. */
  pairs: number;
  /** The search for all targets; begun when many are asked for. */
  paths: PathSearch | undefined;
  /** That of the graph when it was begun. */
  readonly generation: number;
  /** Monotonic ms. */
  readonly foundMs: number;
}

const pathBounds = {
  /**
   * Sources whose cheapest paths are kept: with 10,000 routers, 200 KB each. @bound per controller
   */
  pathSearchesKeptMax: 64,
  /**
   * Targets that are searched for one by one before a source gets a search for all targets, which
   * takes as long as some ten to hundred of them. @bound
   */
  pairSearchesMax: 16,
  /**
   * How long a cheapest path is used after new links or latencies may have made another one
   * cheaper, so that the reports of a large fleet do not cause a search per circuit. @bound
   */
  pathAgeMs: 1000,
};

/** @param edges from the last to the first */
function pathAlong(edges: readonly Edge[], target: Node, cost: number): Path {
  const routers = [target.id];
  const links: string[] = [];
  let node = target;
  for (const edge of edges) {
    node = otherEnd(edge, node);
    routers.push(node.id);
    links.push(edge.id);
  }
  return { routers: routers.reverse(), links: links.reverse(), cost };
}

function enteringCost({ cost }: RouterRecord): number {
  return Math.max(cost, routerCostMin);
}

/** The last edge of the list takes the place. */
function removeFrom(node: Node, place: number): void {
  const last = node.edges.pop();
  if (last === undefined || place === node.edges.length) return;
  node.edges[place] = last;
  last.places[last.ends[0] === node ? 0 : 1] = place;
}

// What of the fabric is drawn: routers and links while they are few enough, else groups of routers
// by their first role attribute, or the routers of one group.

import type { MapCircuit, StateMeaning } from '../../messages.ts';
import type { ChosenCircuits } from './fabric.ts';
import {
  byText,
  type Condition,
  countsOf,
  isTrouble,
  type LinkOverview,
  type Overview,
  type RouterOverview,
  worstFirst,
  worstOf,
} from './overview.ts';

/** So many are drawn; more could not be told apart. */
export const drawnMax = { routers: 1000, links: 5000 } as const;

/** A router, or a group of routers. */
export interface MapNode extends Condition {
  /** The id of the router, or the role attribute. */
  readonly id: string;
  readonly name: string;
  readonly isGroup: boolean;
  readonly circuits: number;
  /** Of a group. */
  readonly routers: number;
  /** Facts in words, for whoever points at it: texts of all would take most of the time. */
  facts(): readonly string[];
  /** The names by which it is found, in lower case. */
  readonly names: string;
  /** Whether a chosen circuit begins or ends there. */
  readonly isEnd: boolean;
}

/** A link, or all links between two groups. */
export interface MapLine extends Condition {
  readonly id: string;
  /** Places of its ends among the nodes. */
  readonly from: number;
  readonly to: number;
  /** Links that it stands for. */
  readonly links: number;
  readonly circuits: number;
  readonly cost: number;
  /** The mean of what both ends measure, in ms; undefined before that. */
  readonly latencyMs: number | undefined;
  /** Its place among the lines between the same nodes, from 0, and how many these are. */
  readonly lane: number;
  readonly lanes: number;
  facts(): readonly string[];
  /** The chosen circuits over it. */
  readonly chosen: readonly MapCircuit[];
}

/** A picture of the fabric, without places. */
export interface Drawing {
  readonly isGrouped: boolean;
  readonly nodes: readonly MapNode[];
  readonly lines: readonly MapLine[];
  /** What there is besides of what was to be drawn. */
  readonly left: { readonly routers: number; readonly links: number };
}

/** What the group of routers without a role attribute is called. */
export const noAttribute = 'no role attribute';

/**
 * Draws the overview, or one group of it.
 * @param group undefined for all; otherwise a role attribute, empty for routers without one
 */
export function drawingOf(
  { routers, links }: Overview,
  group: string | undefined,
  chosen: ChosenCircuits | undefined,
): Drawing {
  const over = circuitsByPlace(chosen?.circuits ?? []);
  if (group !== undefined) {
    const own = routers.filter(({ router }) => router.group === group);
    const ids = new Set(own.map(({ router }) => router.id));
    const inner = links.filter(({ link }) => ids.has(link.from) && ids.has(link.to));
    return drawingOfRouters(own, inner, over);
  }
  const isSmall = routers.length <= drawnMax.routers && links.length <= drawnMax.links;
  return isSmall ? drawingOfRouters(routers, links, over) : drawingOfGroups(routers, links, over);
}

interface CircuitPlaces {
  readonly byLink: ReadonlyMap<string, readonly MapCircuit[]>;
  readonly ends: ReadonlySet<string>;
}

function circuitsByPlace(circuits: readonly MapCircuit[]): CircuitPlaces {
  const byLink = new Map<string, MapCircuit[]>();
  const ends = new Set<string>();
  for (const circuit of circuits) {
    for (const id of circuit.links) {
      const over = byLink.get(id);
      if (over === undefined) byLink.set(id, [circuit]);
      else over.push(circuit);
    }
    for (const end of [circuit.routers[0], circuit.routers.at(-1)]) {
      if (end !== undefined) ends.add(end);
    }
  }
  return { byLink, ends };
}

/** The worst come first where not all can be drawn. Nodes are in the order of their ids. */
function drawingOfRouters(
  routers: readonly RouterOverview[],
  links: readonly LinkOverview[],
  { byLink, ends }: CircuitPlaces,
): Drawing {
  const nodes = routers
    .slice(0, drawnMax.routers)
    .map((one) => routerNode(one, ends))
    .sort((a, b) => byText(a.id, b.id));
  const places = new Map(nodes.map(({ id }, place) => [id, place]));
  const between = links.flatMap((one) => {
    const [from, to] = [places.get(one.link.from), places.get(one.link.to)];
    return from === undefined || to === undefined ? [] : [{ one, from, to }];
  });
  const drawn = between.slice(0, drawnMax.links);
  const lanes = new Lanes(nodes.length);
  for (const { from, to } of drawn) lanes.count(from, to);
  const lines = drawn.map(({ one, from, to }) => ({
    ...linkLine(one, byLink.get(one.link.id) ?? noCircuits),
    from,
    to,
    ...lanes.next(from, to),
  }));
  const left = { routers: routers.length - nodes.length, links: links.length - lines.length };
  return { isGrouped: false, nodes, lines, left };
}

const noCircuits: readonly MapCircuit[] = [];

function routerNode(
  { router, links, meaning, text }: RouterOverview,
  ends: ReadonlySet<string>,
): MapNode {
  const { id, name, group, cost, circuits, noTraversal, address, version } = router;
  const facts = () =>
    [
      `${circuits} circuits, ${links} links that work`,
      `cost ${cost}${noTraversal ? ', not traversed' : ''}`,
      [address, version].filter((fact) => fact !== '').join(', '),
      group === '' ? '' : `role attribute ${group}`,
    ].filter((fact) => fact !== '');
  return {
    id,
    name,
    isGroup: false,
    circuits,
    routers: 1,
    meaning,
    text,
    facts,
    names: `${name} ${id}`.toLowerCase(),
    isEnd: ends.has(id),
  };
}

function linkLine(
  { link, fromName, toName, meaning, text }: LinkOverview,
  chosen: readonly MapCircuit[],
): Omit<MapLine, 'from' | 'to' | 'lane' | 'lanes'> {
  const { id, cost, staticCost, fromMs, toMs, circuits, protocol } = link;
  const facts = () => [
    `${fromName} to ${toName}`,
    `latency ${formatLatency(fromMs)} and ${formatLatency(toMs)}`,
    `cost ${cost}, of which ${staticCost} was set`,
    `${circuits} circuits${protocol === '' ? '' : `, ${protocol}`}`,
  ];
  const latencyMs = latencyOf(fromMs, toMs);
  return { id, meaning, text, links: 1, circuits, cost, latencyMs, facts, chosen };
}

/** The mean of the two ends; undefined until both have measured it. */
export function latencyOf(fromMs: number | undefined, toMs: number | undefined) {
  return fromMs === undefined || toMs === undefined ? undefined : (fromMs + toMs) / 2;
}

/** `12.3 ms`. */
export function formatLatency(ms: number | undefined): string {
  if (ms === undefined) return 'not measured';
  return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}

function drawingOfGroups(
  routers: readonly RouterOverview[],
  links: readonly LinkOverview[],
  { byLink, ends }: CircuitPlaces,
): Drawing {
  const groups = groupsOf(routers);
  const nodes = groups.slice(0, drawnMax.routers).map(([name, own]) => groupNode(name, own, ends));
  nodes.sort((a, b) => byText(a.id, b.id));
  const places = new Map(nodes.map(({ id }, place) => [id, place]));
  const groupOf = new Map(routers.map(({ router }) => [router.id, router.group]));
  const between = new Map<number, { from: number; to: number; all: LinkOverview[] }>();
  for (const one of links) {
    const from = places.get(groupOf.get(one.link.from) ?? '');
    const to = places.get(groupOf.get(one.link.to) ?? '');
    if (from === undefined || to === undefined || from === to) continue;
    const [low, high] = from < to ? [from, to] : [to, from];
    const key = low * nodes.length + high;
    const known = between.get(key);
    if (known === undefined) between.set(key, { from: low, to: high, all: [one] });
    else known.all.push(one);
  }
  const lines = [...between.values()]
    .map(({ from, to, all }) => ({ ...bundleLine(all, byLink), from, to, lane: 0, lanes: 1 }))
    .sort(worstFirst);
  const left = { routers: groups.length - nodes.length, links: lines.length - drawnMax.links };
  return {
    isGrouped: true,
    nodes,
    lines: lines.slice(0, drawnMax.links),
    left: { ...left, links: Math.max(0, left.links) },
  };
}

/** Routers by their first role attribute, the largest group first. */
function groupsOf(routers: readonly RouterOverview[]) {
  const groups = new Map<string, RouterOverview[]>();
  for (const one of routers) {
    const own = groups.get(one.router.group);
    if (own === undefined) groups.set(one.router.group, [one]);
    else own.push(one);
  }
  return [...groups].sort(([a, some], [b, others]) => others.length - some.length || byText(a, b));
}

function groupNode(
  group: string,
  routers: readonly RouterOverview[],
  ends: ReadonlySet<string>,
): MapNode {
  const name = group === '' ? noAttribute : group;
  let circuits = 0;
  for (const { router } of routers) circuits += router.circuits;
  return {
    id: group,
    name,
    isGroup: true,
    circuits,
    routers: routers.length,
    ...summaryOf(routers, 'routers'),
    facts: () => [`${circuits} circuits`],
    names: `${name} ${routers.map(({ router }) => router.name).join(' ')}`.toLowerCase(),
    isEnd: routers.some(({ router }) => ends.has(router.id)),
  };
}

function bundleLine(links: readonly LinkOverview[], byLink: CircuitPlaces['byLink']) {
  const costs = links.map(({ link }) => link.cost);
  const measured = links.flatMap(({ link }) => latencyOf(link.fromMs, link.toMs) ?? []);
  const least = measured.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  let circuits = 0;
  for (const { link } of links) circuits += link.circuits;
  const cost = costs.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const latencyMs = measured.length === 0 ? undefined : least;
  const [first] = links;
  return {
    id: first?.link.id ?? '',
    ...summaryOf(links, 'links'),
    links: links.length,
    circuits,
    cost,
    latencyMs,
    facts: () => [
      `least latency ${formatLatency(latencyMs)}, least cost ${cost}`,
      `${circuits} circuits`,
    ],
    chosen: [...new Set(links.flatMap(({ link }) => byLink.get(link.id) ?? noCircuits))],
  };
}

/** `12 routers, 2 offline`, with the meaning of the worst. */
function summaryOf(all: readonly Condition[], what: string): Condition {
  const troubles = countsOf(all).filter(isTrouble);
  const text = [`${all.length} ${what}`, ...troubles.map((one) => `${one.count} ${one.text}`)];
  const meaning: StateMeaning = worstOf(all);
  return { meaning, text: text.join(', ') };
}

/** Places of lines that have the same ends. */
class Lanes {
  readonly #nodes: number;
  readonly #counts = new Map<number, number>();
  readonly #taken = new Map<number, number>();

  /** @param nodes how many nodes there are */
  constructor(nodes: number) {
    this.#nodes = nodes;
  }

  count(from: number, to: number): void {
    const key = this.#keyOf(from, to);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  next(from: number, to: number): { readonly lane: number; readonly lanes: number } {
    const key = this.#keyOf(from, to);
    const lane = this.#taken.get(key) ?? 0;
    this.#taken.set(key, lane + 1);
    return { lane, lanes: this.#counts.get(key) ?? 1 };
  }

  #keyOf(from: number, to: number): number {
    return Math.min(from, to) * this.#nodes + Math.max(from, to);
  }
}

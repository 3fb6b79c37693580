// What routers and links are like at present: how they are doing in words, worst first.

import type { MachineView, MapLink, MapRouter, StateMeaning } from '../../messages.ts';
import { meaningOf } from '../machines.ts';
import type { Fabric } from './fabric.ts';

/** How something is doing: its meaning for an operator, and words. */
export interface Condition {
  readonly meaning: StateMeaning;
  readonly text: string;
}

/** A router with what follows from the links around it. */
export interface RouterOverview extends Condition {
  readonly router: MapRouter;
  /** Links that carry traffic. */
  readonly links: number;
}

/** A link with the names of its routers. */
export interface LinkOverview extends Condition {
  readonly link: MapLink;
  readonly fromName: string;
  readonly toName: string;
}

/** All of them, the worst first, and then by name. */
export interface Overview {
  readonly routers: readonly RouterOverview[];
  readonly links: readonly LinkOverview[];
}

/** The machines by which the states of routers and links have their meanings. */
interface MapMachines {
  readonly presence: Pick<MachineView, 'meanings'>;
  readonly link: Pick<MachineView, 'meanings'>;
}

/** What there is at present. */
export function overviewOf({ routers, links }: Fabric, machines: MapMachines): Overview {
  const working = workingLinks(links);
  const connected = [...routers.values()].filter(isConnected).length;
  return {
    routers: [...routers.values()]
      .map((router) => {
        const own = working.get(router.id) ?? 0;
        const isAlone = own === 0 && connected > 1;
        return { router, links: own, ...routerCondition(router, isAlone, machines) };
      })
      .sort((a, b) => worstFirst(a, b) || byText(a.router.name, b.router.name)),
    links: [...links.values()]
      .map((link) => {
        const [fromName, toName] = [nameOf(routers, link.from), nameOf(routers, link.to)];
        return { link, fromName, toName, ...linkCondition(link, machines) };
      })
      .sort(
        (a, b) => worstFirst(a, b) || byText(a.fromName, b.fromName) || byText(a.toName, b.toName),
      ),
  };
}

/** The order in which people are told of them. */
const ranks: Readonly<Record<StateMeaning, number>> = { bad: 0, waiting: 1, good: 2, over: 3 };

/** Whether somebody should look at it or wait for it. */
export function isTrouble({ meaning }: Condition): boolean {
  return meaning === 'bad' || meaning === 'waiting';
}

/** For sorting: what needs attention comes first. */
export function worstFirst(a: Condition, b: Condition): number {
  return ranks[a.meaning] - ranks[b.meaning];
}

/** The worst of several; `over` if there are none. */
export function worstOf(all: Iterable<Condition>): StateMeaning {
  let worst: StateMeaning = 'over';
  for (const { meaning } of all) if (ranks[meaning] < ranks[worst]) worst = meaning;
  return worst;
}

/** For sorting texts by their characters, which is fast. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** How many are in which condition, the most urgent first. */
export function countsOf(all: readonly Condition[]): readonly (Condition & { count: number })[] {
  const counts = new Map<string, Condition & { count: number }>();
  for (const { meaning, text } of all) {
    const known = counts.get(text);
    if (known === undefined) counts.set(text, { meaning, text, count: 1 });
    else known.count += 1;
  }
  return [...counts.values()].sort((a, b) => worstFirst(a, b) || b.count - a.count);
}

function isConnected({ state }: MapRouter): boolean {
  return state !== 'offline' && state !== 'closing';
}

function routerCondition(
  router: MapRouter,
  isAlone: boolean,
  { presence }: MapMachines,
): Condition {
  const { state, isEnrolled, isDisabled, isQuiesced } = router;
  if (isDisabled) return { meaning: 'over', text: 'disabled' };
  if (!isConnected(router) && !isEnrolled) return { meaning: 'waiting', text: 'not enrolled' };
  const meaning = meaningOf(presence, state);
  if (meaning !== 'good') return { meaning, text: state };
  if (isQuiesced) return { meaning: 'waiting', text: `${state}, quiesced` };
  return isAlone ? { meaning: 'waiting', text: `${state}, no link` } : { meaning, text: state };
}

function linkCondition(one: MapLink, { link }: MapMachines): Condition {
  const meaning = meaningOf(link, one.state);
  if (one.isDown && meaning !== 'bad') {
    return { meaning: 'waiting', text: `${one.state}, taken down` };
  }
  return { meaning, text: one.state };
}

function workingLinks(links: Fabric['links']): ReadonlyMap<string, number> {
  const working = new Map<string, number>();
  for (const { from, to, state, isDown } of links.values()) {
    if (state !== 'connected' || isDown) continue;
    for (const end of [from, to]) working.set(end, (working.get(end) ?? 0) + 1);
  }
  return working;
}

/** A link may be known before its router, or after it. */
function nameOf(routers: Fabric['routers'], id: string): string {
  return routers.get(id)?.name ?? id;
}

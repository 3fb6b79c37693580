// Which routers and links are shown in the tables: those of a group, of a condition, or by a piece
// of a name.

import {
  countsOf,
  isTrouble,
  type LinkOverview,
  type Overview,
  type RouterOverview,
} from './overview.ts';

/** What somebody wants to see; empty texts select all. */
interface Selection {
  /** As `drawingOf` has it. */
  readonly group: string | undefined;
  /** `trouble` for what needs attention, or `router` or `link` with a condition behind a blank. */
  readonly only: string;
  /** A piece of a name, an id, an address or a version, in lower case. */
  readonly sought: string;
}

/** The part of an overview that is wanted, in its order. */
export function selected(overview: Overview, { group, only, sought }: Selection): Overview {
  const ofGroup =
    group === undefined
      ? undefined
      : new Set(
          overview.routers.flatMap(({ router }) => (router.group === group ? [router.id] : [])),
        );
  const isIn = (id: string) => ofGroup === undefined || ofGroup.has(id);
  return {
    routers: overview.routers.filter(
      (one) => isIn(one.router.id) && isOnly('router', one, only) && hasText(one, sought),
    ),
    links: overview.links.filter(
      (one) =>
        (isIn(one.link.from) || isIn(one.link.to)) &&
        isOnly('link', one, only) &&
        isBetween(one, sought),
    ),
  };
}

/** The choices of `only`, with how many there are. */
export function conditionChoices({ routers, links }: Overview) {
  const troubles = [...routers, ...links].filter(isTrouble).length;
  const each = (kind: 'router' | 'link', all: readonly (RouterOverview | LinkOverview)[]) =>
    countsOf(all).map(
      ({ text, count }) => [`${kind} ${text}`, `${kind}s: ${text} (${count})`] as const,
    );
  return [
    ['', 'everything'] as const,
    ['trouble', `what needs attention (${troubles})`] as const,
    ...each('router', routers),
    ...each('link', links),
  ];
}

function isOnly(
  kind: 'router' | 'link',
  one: RouterOverview | LinkOverview,
  only: string,
): boolean {
  if (only === '') return true;
  return only === 'trouble' ? isTrouble(one) : only === `${kind} ${one.text}`;
}

function hasText({ router }: RouterOverview, sought: string): boolean {
  if (sought === '') return true;
  const { name, id, address, version } = router;
  return [name, id, address, version].some((text) => text.toLowerCase().includes(sought));
}

function isBetween({ link, fromName, toName }: LinkOverview, sought: string): boolean {
  if (sought === '') return true;
  return [fromName, toName, link.id].some((text) => text.toLowerCase().includes(sought));
}

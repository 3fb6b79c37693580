// The suggestions of the find box for a typed text: kinds, states, and instances.

import type { FoundRecords, InstanceRow, MachineView } from '../../messages.ts';
import { filterOf, isExpression, stateFilter } from '../filter-text.ts';
import { formatClient, formatCount } from '../format.ts';
import { kindRoute, type Route } from '../route.ts';

/** One line of the find box. */
export interface Suggestion {
  readonly kind: string;
  readonly title: string;
  /** Id or figure, in smaller type. */
  readonly detail: string;
  readonly state?: string;
  /** Unique among those shown. */
  readonly route: Route;
}

/** Kinds and states whose names a text is a piece of; none for a filter. */
export function namedPlaces(
  machines: readonly MachineView[],
  text: string,
  shownMax: number,
): Suggestion[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '' || isExpression(text)) return [];
  const kinds = machines.filter(({ id }) => id.toLowerCase().includes(wanted)).map(kindPlace);
  const states = machines.flatMap((machine) =>
    Object.entries(machine.counts)
      .filter(([state, count]) => count > 0 && state.toLowerCase().startsWith(wanted))
      .map(([state]) => statePlace(machine, state)),
  );
  return [...kinds, ...states].slice(0, shownMax);
}

/** What was found in a kind: its nearest records, and a list of all of them if there are more. */
export function foundPlaces({ kind, total, instances }: FoundRecords, text: string): Suggestion[] {
  const lines = instances.map((row) => instancePlace(kind, row));
  return total > lines.length ? [...lines, wholeList(kind, text, total)] : lines;
}

/** A sentence that names the kinds that a search did not look through; empty if there are none. */
export function unsearchedNote(groups: readonly FoundRecords[]): string {
  const kinds = groups.filter(({ isWhole }) => !isWhole).map(({ kind }) => kind);
  if (kinds.length === 0) return '';
  const named = kinds.length > kindsNamedMax ? [...kinds.slice(0, kindsNamedMax), 'others'] : kinds;
  return `The search ended before it had looked at all records of ${named.join(', ')}.`;
}

/** More would hide the lines above them. */
const kindsNamedMax = 5;

/** An instance that was found. */
function instancePlace(kind: string, { id, name, state, client }: InstanceRow): Suggestion {
  const marks = [name === '' ? '' : id, client === undefined ? '' : formatClient(client)];
  return {
    kind,
    title: name === '' ? id : name,
    detail: marks.filter((mark) => mark !== '').join(' · '),
    state,
    route: { view: 'instance', kind, id },
  };
}

/** All that a text finds in one kind, as a list of its own. */
function wholeList(kind: string, text: string, total: number): Suggestion {
  return {
    kind,
    title: `all ${formatCount(total)} in ${kind}`,
    detail: '',
    route: kindRoute(kind, filterOf(text)),
  };
}

/** Exact matches of the name come first, then names that begin with the text; lists come last. */
export function ranked(found: readonly Suggestion[], text: string): Suggestion[] {
  const wanted = text.trim().toLowerCase();
  const rank = ({ title, route }: Suggestion) => {
    if (route.view !== 'instance') return 3;
    const name = title.toLowerCase();
    if (name === wanted || route.id.toLowerCase() === wanted) return 0;
    return name.startsWith(wanted) ? 1 : 2;
  };
  return [...found].sort((a, b) => rank(a) - rank(b));
}

/** Where the arrow keys lead from line `active` (-1 for none) of `count`: around, and to none. */
export function moved(active: number, by: 1 | -1, count: number): number {
  if (count === 0) return -1;
  const next = active + by;
  if (next >= count) return -1;
  return next < -1 ? count - 1 : next;
}

function kindPlace({ id, total }: MachineView): Suggestion {
  const title = `all of ${id}`;
  return { kind: id, title, detail: formatCount(total), route: kindRoute(id) };
}

function statePlace({ id, counts }: MachineView, state: string): Suggestion {
  return {
    kind: id,
    title: `${id} in ${state}`,
    detail: String(counts[state] ?? 0),
    state,
    route: kindRoute(id, stateFilter(state)),
  };
}

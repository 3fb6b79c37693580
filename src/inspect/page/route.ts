// Which view the address shows, so that views can be linked and the way back works.

/** One view with its parameters. */
export type Route =
  | { readonly view: 'machines' }
  | ({ readonly view: 'kind'; readonly kind: string } & ListPlace)
  | { readonly view: 'instance'; readonly kind: string; readonly id: string }
  | { readonly view: 'transitions'; readonly filter: string }
  | { readonly view: 'processes' }
  | { readonly view: 'figures' }
  | { readonly view: 'nothing' };

/** A position in a list. */
export interface ListPlace {
  readonly filter: string;
  readonly sort: string;
  readonly offset: number;
}

/** The route that `hash` (with its `#`) names; `nothing` for one that no view has. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = split(hash.replace(/^#/, ''));
  const segments = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const asked = new URLSearchParams(query);
  const [first, kind, id] = segments;
  if (first === undefined) return { view: 'machines' };
  if (segments.length === 1) {
    if (first === 'transitions') return { view: 'transitions', filter: asked.get('filter') ?? '' };
    if (first === 'processes' || first === 'figures') return { view: first };
    if (first === 'machines') return { view: 'machines' };
  }
  if (first !== 'machines' || kind === undefined || segments.length > 3) return { view: 'nothing' };
  if (id !== undefined) return { view: 'instance', kind, id };
  const offset = Number(asked.get('offset') ?? 0);
  return {
    view: 'kind',
    kind,
    filter: asked.get('filter') ?? '',
    sort: asked.get('sort') ?? '',
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
  };
}

/** The address of a route, with its `#`. */
export function hashOf(route: Route): string {
  switch (route.view) {
    case 'machines':
    case 'nothing':
      return '#/';
    case 'processes':
    case 'figures':
      return `#/${route.view}`;
    case 'transitions':
      return `#/transitions${queryOf({ filter: route.filter })}`;
    case 'instance':
      return `#/machines/${encodeURIComponent(route.kind)}/${encodeURIComponent(route.id)}`;
    case 'kind': {
      const { kind, filter, sort, offset } = route;
      const query = queryOf({ filter, sort, offset: offset === 0 ? '' : String(offset) });
      return `#/machines/${encodeURIComponent(kind)}${query}`;
    }
  }
}

/** The list of a kind from its beginning. */
export function kindRoute(kind: string, filter = ''): Route {
  return { view: 'kind', kind, filter, sort: '', offset: 0 };
}

function split(text: string): readonly [string, string] {
  const mark = text.indexOf('?');
  return mark < 0 ? [text, ''] : [text.slice(0, mark), text.slice(mark + 1)];
}

function queryOf(parts: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== ''));
  return query.size === 0 ? '' : `?${query}`;
}

/** A broken escape stays as it is: nothing has such an id. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

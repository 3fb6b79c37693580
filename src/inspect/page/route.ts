// Which view the address shows, so that views can be linked and the way back works.

import { pathWith } from './api.ts';

/** One view with its parameters. */
export type Route =
  | { readonly view: 'machines' }
  | ({ readonly view: 'kind'; readonly kind: string } & ListPlace)
  | { readonly view: 'instance'; readonly kind: string; readonly id: string }
  | { readonly view: 'frame'; readonly lsn: number }
  | MapRoute
  | { readonly view: 'transitions'; readonly filter: string }
  | { readonly view: 'processes' }
  | { readonly view: 'figures' }
  | { readonly view: 'nothing' };

/** The map, or a part of it. */
export interface MapRoute {
  readonly view: 'map';
  /** The service whose circuits are shown; empty for none. */
  readonly service: string;
  /** The first role attribute of the routers that are shown; undefined for all routers. */
  readonly group: string | undefined;
}

/** A position in a list. */
export interface ListPlace {
  readonly filter: string;
  readonly sort: string;
  readonly offset: number;
}

/** The route that `hash` (with its `#`) names; `nothing` for one that no view has. */
export function routeOf(hash: string): Route {
  const [, path = '', query = ''] = /^#?([^?]*)\??(.*)$/s.exec(hash) ?? [];
  const segments = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const asked = new URLSearchParams(query);
  const [first, kind, id] = segments;
  if (first === undefined) return { view: 'machines' };
  if (segments.length === 1) {
    if (first === 'map') return mapRoute(asked);
    if (first === 'transitions') return { view: 'transitions', filter: asked.get('filter') ?? '' };
    if (first === 'processes' || first === 'figures') return { view: first };
    if (first === 'machines') return { view: 'machines' };
  }
  if (first === 'log' && segments.length === 2 && /^[1-9]\d{0,14}$/.test(kind ?? '')) {
    return { view: 'frame', lsn: Number(kind) };
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
    case 'frame':
      return `#/log/${route.lsn}`;
    case 'map': {
      const { service, group } = route;
      return pathWith('#/map', { service, group: group === undefined ? '' : `#${group}` });
    }
    case 'transitions':
      return pathWith('#/transitions', { filter: route.filter });
    case 'instance':
      return `#/machines/${encodeURIComponent(route.kind)}/${encodeURIComponent(route.id)}`;
    case 'kind': {
      const { kind, filter, sort, offset } = route;
      const path = `#/machines/${encodeURIComponent(kind)}`;
      return pathWith(path, { filter, sort, offset: offset === 0 ? '' : offset });
    }
  }
}

/** The list of a kind from its beginning. */
export function kindRoute(kind: string, filter = ''): Route {
  return { view: 'kind', kind, filter, sort: '', offset: 0 };
}

/** A group is named as a role is, because the one of routers without attributes has no name. */
function mapRoute(asked: URLSearchParams): MapRoute {
  const group = /^#(.*)$/s.exec(asked.get('group') ?? '')?.[1];
  return { view: 'map', service: asked.get('service') ?? '', group };
}

/** A broken escape stays as it is: nothing has such an id. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

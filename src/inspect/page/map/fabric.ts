// The routers and links that the page knows, as the stream tells of them.

import type { MapLink, MapRouter, MapRow, StreamMessage } from '../../messages.ts';

/** A link that went away while the page looked. */
export interface LostLink {
  readonly link: MapLink;
  /** Names of its routers, which may be gone as well. */
  readonly fromName: string;
  readonly toName: string;
  /** Wall-clock ms of the browser. */
  readonly atMs: number;
}

/** The circuits of the service that is chosen. */
export type ChosenCircuits = Omit<Extract<StreamMessage, { readonly type: 'circuits' }>, 'type'>;

/** Everything known. A changed one is another object, which may share maps with the former. */
export interface Fabric {
  readonly routers: ReadonlyMap<string, MapRouter>;
  readonly links: ReadonlyMap<string, MapLink>;
  /** Whether everything that there is was told at least once. */
  readonly isWhole: boolean;
  /** Rows of a further telling from the beginning, until it is whole. */
  readonly gathered: Rows | undefined;
  /** Newest first. */
  readonly lost: readonly LostLink[];
  readonly circuits: ChosenCircuits | undefined;
}

interface Rows {
  readonly routers: Map<string, MapRouter>;
  readonly links: Map<string, MapLink>;
}

const lostKeptMax = 100;

/** Before the first message. */
export const noFabric: Fabric = {
  routers: new Map(),
  links: new Map(),
  isWhole: false,
  gathered: undefined,
  lost: [],
  circuits: undefined,
};

/** After a message about routers and links, which came at `nowMs`. */
export function afterRows(
  fabric: Fabric,
  message: Extract<StreamMessage, { readonly type: 'map' }>,
  nowMs: number,
): Fabric {
  const { isFirst, isWhole, gone, rows } = message;
  const gathered = isFirst ? noRows() : fabric.gathered;
  // A fabric is not drawn from a part of it: what was known stays until all was told again.
  if (gathered !== undefined) {
    change(gathered, gone, rows);
    return isWhole
      ? { ...fabric, ...gathered, isWhole, gathered: undefined }
      : { ...fabric, gathered };
  }
  const lost = gone.flatMap(({ kind, id }) => (kind === 'link' ? lostLink(fabric, id, nowMs) : []));
  const returned = new Set(rows.map(({ id }) => id));
  const known = copyFor(fabric, [...gone, ...rows]);
  change(known, gone, rows);
  const kept = fabric.lost.filter(({ link }) => !returned.has(link.id));
  return { ...fabric, ...known, lost: [...lost, ...kept].slice(0, lostKeptMax) };
}

/** After a message about the circuits of a service; one that is not chosen any more is left out. */
export function afterCircuits(
  fabric: Fabric,
  { type: _, ...circuits }: Extract<StreamMessage, { readonly type: 'circuits' }>,
  chosen: string | undefined,
): Fabric {
  return circuits.serviceId === chosen ? { ...fabric, circuits } : fabric;
}

function noRows(): Rows {
  return { routers: new Map(), links: new Map() };
}

/** Maps that nothing of these rows is written to stay what they are. */
function copyFor(fabric: Fabric, rows: readonly Pick<MapRow, 'kind'>[]): Rows {
  const has = (wanted: MapRow['kind']) => rows.some(({ kind }) => kind === wanted);
  return {
    routers: has('router') ? new Map(fabric.routers) : (fabric.routers as Rows['routers']),
    links: has('link') ? new Map(fabric.links) : (fabric.links as Rows['links']),
  };
}

function change(
  { routers, links }: Rows,
  gone: readonly Pick<MapRow, 'kind' | 'id'>[],
  rows: readonly MapRow[],
): void {
  for (const { kind, id } of gone) (kind === 'router' ? routers : links).delete(id);
  for (const row of rows) {
    if (row.kind === 'router') routers.set(row.id, row);
    else links.set(row.id, row);
  }
}

/** Nothing of a link that was given up for a better one. */
function lostLink({ routers, links }: Fabric, id: string, atMs: number): LostLink[] {
  const link = links.get(id);
  if (link === undefined || link.state === 'duplicate') return [];
  const nameOf = (routerId: string) => routers.get(routerId)?.name ?? routerId;
  return [{ link, fromName: nameOf(link.from), toName: nameOf(link.to), atMs }];
}

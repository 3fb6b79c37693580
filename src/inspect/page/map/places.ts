// Where the nodes of the map are.

/** Places by `placeKey`, in no unit but that of each other. */
export type KnownPlaces = ReadonlyMap<string, readonly [x: number, y: number]>;

/** Groups and routers are placed by themselves: a group may be called like a router. */
export function placeKey(id: string, isGroup: boolean): string {
  return isGroup ? `group ${id}` : id;
}

// Which part of the map is looked at: from places to pixels, what is pointed at, and which labels
// have room.

import type { Drawing } from './drawing.ts';
import { type KnownPlaces, placeKey } from './places.ts';

/** Pixels per unit in both directions, and the place in the middle of the picture. */
export interface Camera {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly x: number;
  readonly y: number;
}

/** Width and height of the picture, px. */
export interface Extent {
  readonly width: number;
  readonly height: number;
}

/** A drawing in pixels: x and y of each node, NaN for one that has no place yet. */
export interface ScreenPlaces {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** Px between the outermost nodes and the edge, where names need some room. */
const margin = 44;
/** A picture may be stretched so much in one direction to fill a window. */
const stretchMax = 1.8;
const none = Number.POSITIVE_INFINITY;
/** Px per unit: a few nodes are not drawn far apart. */
const scaleMax = 120;

/** Looks at the whole drawing, or at some nodes of it. */
export function wholeView(
  { nodes }: Drawing,
  places: KnownPlaces,
  { width, height }: Extent,
  isWanted: (place: number) => boolean = () => true,
): Camera {
  let [left, right, top, bottom] = [none, -none, none, -none];
  for (const [n, { id, isGroup }] of nodes.entries()) {
    const place = isWanted(n) ? places.get(placeKey(id, isGroup)) : undefined;
    if (place === undefined) continue;
    [left, right] = [Math.min(left, place[0]), Math.max(right, place[0])];
    [top, bottom] = [Math.min(top, place[1]), Math.max(bottom, place[1])];
  }
  if (left > right) return { scaleX: 1, scaleY: 1, x: 0, y: 0 };
  const scale = (room: number, extent: number) =>
    Math.min(scaleMax, Math.max(1, room - 2 * margin) / Math.max(extent, 0.001));
  const [scaleX, scaleY] = [scale(width, right - left), scale(height, bottom - top)];
  return {
    scaleX: Math.min(scaleX, scaleY * stretchMax),
    scaleY: Math.min(scaleY, scaleX * stretchMax),
    x: (left + right) / 2,
    y: (top + bottom) / 2,
  };
}

/** Looks closer, or from further away, at what is `at` px from the middle. */
export function zoomed(
  { scaleX, scaleY, x, y }: Camera,
  factor: number,
  at: readonly [x: number, y: number] = [0, 0],
): Camera {
  const shift = 1 - 1 / factor;
  return {
    scaleX: scaleX * factor,
    scaleY: scaleY * factor,
    x: x + (at[0] / scaleX) * shift,
    y: y + (at[1] / scaleY) * shift,
  };
}

/** Looks at what is so many px away. */
export function panned(camera: Camera, byX: number, byY: number): Camera {
  const { scaleX, scaleY, x, y } = camera;
  return { ...camera, x: x + byX / scaleX, y: y + byY / scaleY };
}

/** Where everything is in the picture. */
export function screenPlaces(
  { nodes }: Drawing,
  places: KnownPlaces,
  camera: Camera,
  { width, height }: Extent,
): ScreenPlaces {
  const x = new Float32Array(nodes.length).fill(Number.NaN);
  const y = new Float32Array(nodes.length).fill(Number.NaN);
  for (const [n, { id, isGroup }] of nodes.entries()) {
    const place = places.get(placeKey(id, isGroup));
    if (place === undefined) continue;
    x[n] = width / 2 + (place[0] - camera.x) * camera.scaleX;
    y[n] = height / 2 + (place[1] - camera.y) * camera.scaleY;
  }
  return { x, y };
}

/** A node or a line by its place in the drawing. */
export interface Pointed {
  readonly what: 'node' | 'line';
  readonly at: number;
}

/** Px around the middle of a node, and beside a line, that still belong to it. */
const reach = { node: 12, line: 6 } as const;

/** What is at a place of the picture; nodes lie above lines. */
export function pointedAt(
  { lines }: Drawing,
  { x, y }: ScreenPlaces,
  atX: number,
  atY: number,
): Pointed | undefined {
  let nearest: Pointed | undefined;
  let least: number = reach.node;
  for (let n = 0; n < x.length; n += 1) {
    const distance = Math.hypot((x[n] as number) - atX, (y[n] as number) - atY);
    if (distance < least) {
      least = distance;
      nearest = { what: 'node', at: n };
    }
  }
  if (nearest !== undefined) return nearest;
  least = reach.line;
  for (const [n, line] of lines.entries()) {
    const [fromX, fromY, toX, toY] = lineEnds(line, { x, y });
    const distance = distanceTo(atX, atY, fromX, fromY, toX, toY);
    if (distance < least) {
      least = distance;
      nearest = { what: 'line', at: n };
    }
  }
  return nearest;
}

/** Px between two lines with the same ends. */
const laneWidth = 6;

/** The ends of a line in the picture; lines between the same nodes lie side by side. */
export function lineEnds(
  { from, to, lane, lanes }: Drawing['lines'][number],
  { x, y }: ScreenPlaces,
): readonly [fromX: number, fromY: number, toX: number, toY: number] {
  const [fromX, fromY] = [x[from] as number, y[from] as number];
  const [toX, toY] = [x[to] as number, y[to] as number];
  if (lanes === 1) return [fromX, fromY, toX, toY];
  const length = Math.hypot(toX - fromX, toY - fromY) || 1;
  // Lines in opposite directions must not lie on each other.
  const side = (lane - (lanes - 1) / 2) * laneWidth * (from < to ? 1 : -1);
  const [byX, byY] = [(-(toY - fromY) / length) * side, ((toX - fromX) / length) * side];
  return [fromX + byX, fromY + byY, toX + byX, toY + byY];
}

function distanceTo(
  x: number,
  y: number,
  fromX: number,
  fromY: number,
  toX: number,
  toY: number,
): number {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : ((x - fromX) * dx + (y - fromY) * dy) / square;
  const share = Math.min(1, Math.max(0, along));
  return Math.hypot(fromX + share * dx - x, fromY + share * dy - y);
}

/** The boxes that labels have taken so far. */
export class LabelRoom {
  readonly #cells = new Set<number>();

  /** Takes the room of a text whose left middle is there. @returns whether it was free */
  take(left: number, middle: number, width: number): boolean {
    const [first, last] = [Math.floor(left / cellWidth), Math.floor((left + width) / cellWidth)];
    const top = Math.floor((middle - labelHeight / 2) / cellHeight);
    const bottom = Math.floor((middle + labelHeight / 2) / cellHeight);
    const cells: number[] = [];
    for (let row = top; row <= bottom; row += 1) {
      for (let cell = first; cell <= last; cell += 1) {
        const key = row * columnsMax + cell;
        if (this.#cells.has(key)) return false;
        cells.push(key);
      }
    }
    for (const key of cells) this.#cells.add(key);
    return true;
  }
}

const labelHeight = 12;
const cellHeight = 7;
const cellWidth = 12;
const columnsMax = 100_000;

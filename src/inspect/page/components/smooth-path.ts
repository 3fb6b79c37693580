// A line through points without corners.

import type { Point } from '@dagrejs/dagre';

/**
 * The path of an SVG through all points, which go one way along `axis`; it never swings out
 * beyond two neighbours (Steffen, A simple method for monotonic interpolation, 1990).
 */
export function smoothPath(points: readonly Point[], axis: 'x' | 'y'): string {
  if (axis === 'y') return cubics(points.map(turned), (point) => at(turned(point)));
  return cubics(points, at);
}

function cubics(points: readonly Point[], written: (point: Point) => string): string {
  const [first] = points;
  if (first === undefined) return '';
  const slopes = points.map((_, index) => slopeAt(points, index));
  let path = `M${written(first)}`;
  for (let index = 1; index < points.length; index += 1) {
    const from = points[index - 1] ?? first;
    const to = points[index] ?? first;
    const third = (to.x - from.x) / 3;
    const leaving = { x: from.x + third, y: from.y + third * (slopes[index - 1] ?? 0) };
    const reaching = { x: to.x - third, y: to.y - third * (slopes[index] ?? 0) };
    path += `C${written(leaving)} ${written(reaching)} ${written(to)}`;
  }
  return path;
}

/** Level where the line turns, else the mean of both sides; the ends follow their only side. */
function slopeAt(points: readonly Point[], index: number): number {
  const here = points[index];
  const before = slopeBetween(points[index - 1], here);
  const after = slopeBetween(here, points[index + 1]);
  if (before === undefined || after === undefined) return before ?? after ?? 0;
  if (before * after <= 0) return 0;
  const mean = (before + after) / 2;
  const bound = 2 * Math.min(Math.abs(before), Math.abs(after));
  return Math.sign(mean) * Math.min(Math.abs(mean), bound);
}

function slopeBetween(from: Point | undefined, to: Point | undefined): number | undefined {
  if (from === undefined || to === undefined || from.x === to.x) return undefined;
  return (to.y - from.y) / (to.x - from.x);
}

function turned({ x, y }: Point): Point {
  return { x: y, y: x };
}

function at({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}

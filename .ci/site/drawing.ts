// The frame that every drawing of the site has.

import { escaped, scrolling } from './html.ts';

/** A drawing; sizes are px. */
export interface Drawn {
  /** A description of the drawing, which screen readers read out. */
  readonly name: string;
  /** The id of its arrowhead, which is unique in the page. */
  readonly head: string;
  /** SVG. */
  readonly parts: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** Below this share of its size it would be unreadable, so it scrolls instead. */
const leastScale = 0.7;

/** The drawing as SVG within HTML. */
export function drawing({ name, head, parts, width, height }: Drawn): string {
  const [columns, rows] = [Math.ceil(width), Math.ceil(height)];
  const size = `viewBox="0 0 ${columns} ${rows}" width="${columns}"`;
  const least = `style="min-width: ${Math.ceil(width * leastScale)}px"`;
  return scrolling(`<svg class="chart" role="img" aria-label="${escaped(name)}" ${size} ${least}>
<marker id="${head}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path class="head" d="M0.5 0.8L7.2 4L0.5 7.2Z"/></marker>
${parts.join('\n')}
</svg>`);
}

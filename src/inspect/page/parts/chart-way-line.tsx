// The way from one state of a statechart to another, with the events that lead along it.

import type { wasTaken } from '../chart-history.ts';
import type { ChartWay } from '../chart-layout.ts';
import { extentOf, placedLines } from '../chart-text.ts';

/** A way, and where the ids of its arrowheads begin. */
export interface ChartWayLineProps {
  readonly way: ChartWay;
  readonly heads: string;
  readonly isTaken: ReturnType<typeof wasTaken>;
}

/** A line with its text in the middle. */
export function ChartWayLine({ way, heads, isTaken }: ChartWayLineProps) {
  const { from, to, path, x, y, events } = way;
  const isAnyTaken = events.some(({ event }) => isTaken({ from, event, to }));
  const extent = extentOf(events);
  const [width, height] = [extent.width + 6, extent.height + 2];
  return (
    <g class={isAnyTaken ? 'chart-edge is-taken' : 'chart-edge'} data-from={from} data-to={to}>
      <path d={path} marker-end={`url(#${heads}-${isAnyTaken ? 'taken' : 'way'})`} />
      <rect
        class="chart-ground"
        x={x - width / 2}
        y={y - height / 2}
        width={width}
        height={height}
        rx="3"
      />
      {placedLines(events, y - extent.height / 2 + 11).map(
        ({ event: { event }, line, y: bottom }) => (
          <text
            key={bottom}
            class={isTaken({ from, event, to }) ? 'chart-event is-taken' : 'chart-event'}
            x={x}
            y={bottom}
          >
            {line}
          </text>
        ),
      )}
    </g>
  );
}

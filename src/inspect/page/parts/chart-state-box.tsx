// One state of a statechart, with the events that leave it as it is.

import type { wasTaken } from '../chart-history.ts';
import type { ChartState } from '../chart-layout.ts';
import { placedLines } from '../chart-text.ts';

/** A state, and whether an instance is in it. */
export interface ChartStateBoxProps {
  readonly state: ChartState;
  readonly isCurrent: boolean;
  readonly isTaken: ReturnType<typeof wasTaken>;
}

/** A box, or a dot for where there is nothing yet. */
export function ChartStateBox({ state, isCurrent, isTaken }: ChartStateBoxProps) {
  const { name, x, y, width, height, isDot, isFinal, inner } = state;
  const [left, top] = [x - width / 2, y - height / 2];
  const marks = ['chart-state'];
  if (isCurrent) marks.push('is-current');
  if (isFinal) marks.push('is-final');
  if (isDot) {
    return (
      <g class={`${marks.join(' ')} is-dot`} data-state={name}>
        <circle cx={x} cy={y} r={width / 2 - 2} />
      </g>
    );
  }
  const nameBottom = top + 24;
  return (
    <g class={marks.join(' ')} data-state={name}>
      <rect x={left} y={top} width={width} height={height} rx="8" />
      {isFinal ? (
        <rect
          class="chart-rim"
          x={left + 3.5}
          y={top + 3.5}
          width={width - 7}
          height={height - 7}
          rx="5"
        />
      ) : null}
      <text class="chart-name" x={x} y={nameBottom}>
        {name}
      </text>
      {placedLines(inner, nameBottom + 20).map(
        ({ event: { event, isRefused }, line, y: bottom }) => (
          <text
            key={bottom}
            class={innerMarks(isRefused, isTaken({ from: name, event, to: name }))}
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

function innerMarks(isRefused: boolean, isTaken: boolean): string {
  if (isRefused) return 'chart-event is-refused';
  return isTaken ? 'chart-event is-taken' : 'chart-event';
}

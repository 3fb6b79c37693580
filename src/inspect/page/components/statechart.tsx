// A machine as a drawing, with the present state highlighted and past transitions marked.

import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import type { MachineView, StateMeaning, Transition } from '../../messages.ts';
import { meaningOf } from '../machines.ts';
import {
  type ChartEvent,
  type ChartState,
  type ChartWay,
  chartOf,
  chartType,
  extentOf,
  litStates,
  signWidth,
  wasTaken,
} from './chart.ts';
import { SignShape } from './sign.tsx';
import { useNarrow } from './use-narrow.ts';

/** A machine, and of one of its instances where it is and was. */
export interface StatechartProps {
  readonly machine: MachineView;
  /** State of the instance; empty for none. */
  readonly state?: string;
  readonly steps?: readonly Transition[];
}

const noSteps: readonly Transition[] = [];

/** Below this share of its size it would be unreadable, so it scrolls instead. */
const leastScale = 0.8;

/** The chart as an image with a name; what it shows is told in tables, too. */
export function Statechart({ machine, state = '', steps = noSteps }: StatechartProps) {
  const isNarrow = useNarrow();
  const id = useId();
  const { states, finals, transitions } = machine;
  const shape = JSON.stringify([states, finals, transitions]);
  // The counts of a machine change all the time, its shape never does.
  const chart = useMemo(
    () => chartOf({ states, finals, transitions }, isNarrow ? 'TB' : 'LR'),
    [shape, isNarrow],
  );
  const lit = litStates(state);
  const isTaken = useMemo(() => wasTaken(steps), [steps]);
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const lamp = chart.states.find(({ name: one }) => lit.includes(one));
    const box = frame.current;
    if (lamp === undefined || box === null) return;
    box.scrollLeft = (lamp.x / chart.width) * box.scrollWidth - box.clientWidth / 2;
  }, [chart, state]);
  const name = `Statechart of ${machine.id}${state === '' ? '' : `, now in ${state}`}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls.
    <section ref={frame} class="chart-frame" aria-label={`${machine.id} statechart`} tabIndex={0}>
      <svg
        class="chart"
        role="img"
        aria-label={name}
        viewBox={`0 0 ${chart.width} ${chart.height}`}
        width={chart.width}
        height={chart.height}
        style={{ minWidth: `${chart.width * leastScale}px` }}
      >
        <Arrowhead id={`${id}-way`} className="chart-head" />
        <Arrowhead id={`${id}-taken`} className="chart-head is-taken" />
        {chart.ways.map((way) => (
          <WayLine key={`${way.from} ${way.to}`} way={way} isTaken={isTaken} heads={id} />
        ))}
        {chart.states.map((one) => (
          <StateBox
            key={one.name}
            state={one}
            meaning={meaningOf(machine, one.name)}
            isCurrent={lit.includes(one.name)}
            isTaken={isTaken}
          />
        ))}
      </svg>
    </section>
  );
}

function Arrowhead({ id, className }: { readonly id: string; readonly className: string }) {
  return (
    <marker
      id={id}
      class={className}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="7"
      markerHeight="7"
      orient="auto-start-reverse"
    >
      <path d="M0.5 0.8L7.2 4L0.5 7.2Z" />
    </marker>
  );
}

interface StateBoxProps {
  readonly state: ChartState;
  readonly meaning: StateMeaning;
  readonly isCurrent: boolean;
  readonly isTaken: ReturnType<typeof wasTaken>;
}

/** A state with the events that leave it as it is; a dot where there is nothing yet. */
function StateBox({ state, meaning, isCurrent, isTaken }: StateBoxProps) {
  const { name, x, y, width, height, isDot, isFinal, inner } = state;
  const [left, top] = [x - width / 2, y - height / 2];
  const marks = ['chart-state', `is-${meaning}`];
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
  const signLeft = x - (signWidth + name.length * chartType.nameColumn) / 2;
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
      <g class="sign" transform={`translate(${signLeft} ${nameBottom - 12}) scale(0.875)`}>
        <SignShape meaning={meaning} />
      </g>
      <text class="chart-name" x={x + signWidth / 2} y={nameBottom}>
        {name}
      </text>
      <EventLines
        events={inner}
        x={x}
        top={nameBottom + 20}
        isTaken={(event) => isTaken({ from: name, event, to: name })}
      />
    </g>
  );
}

interface WayLineProps {
  readonly way: ChartWay;
  /** Where the ids of its arrowheads begin. */
  readonly heads: string;
  readonly isTaken: ReturnType<typeof wasTaken>;
}

/** A way between two states, with the events that lead along it in its middle. */
function WayLine({ way, heads, isTaken }: WayLineProps) {
  const { from, to, path, x, y, events } = way;
  const isTakenBy = (event: string) => isTaken({ from, event, to });
  const isAnyTaken = events.some(({ event }) => isTakenBy(event));
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
      <EventLines events={events} x={x} top={y - extent.height / 2 + 11} isTaken={isTakenBy} />
    </g>
  );
}

interface EventLinesProps {
  readonly events: readonly ChartEvent[];
  readonly x: number;
  /** Baseline of the first line. */
  readonly top: number;
  isTaken(event: string): boolean;
}

/** Events below each other. */
function EventLines({ events, x, top, isTaken }: EventLinesProps) {
  const lines = events.flatMap((event) => event.lines.map((line) => ({ ...event, line })));
  return lines.map(({ event, isRefused, line }, index) => {
    const mark = isRefused ? ' is-refused' : isTaken(event) ? ' is-taken' : '';
    const y = top + index * chartType.eventLine;
    return (
      <text key={y} class={`chart-event${mark}`} x={x} y={y}>
        {line}
      </text>
    );
  });
}

// A machine as a drawing, with the present state highlighted and past transitions marked.

import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import type { MachineView, Transition } from '../../contract.ts';
import { litStates, wasTaken } from '../chart-history.ts';
import { chartOf } from '../chart-layout.ts';
import { useNarrow } from '../hooks/use-narrow.ts';
import { ChartStateBox } from './chart-state-box.tsx';
import { ChartWayLine } from './chart-way-line.tsx';

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
          <ChartWayLine key={`${way.from} ${way.to}`} way={way} isTaken={isTaken} heads={id} />
        ))}
        {chart.states.map((one) => (
          <ChartStateBox
            key={one.name}
            state={one}
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

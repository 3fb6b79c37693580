// One figure over the last two minutes, as a small plot with the present value beside it.

import type { Figures } from '../../contract.ts';
import type { FigureSeries } from '../figure-series.ts';
import { plotOf } from '../plot.ts';

/** What to plot, and from what. */
export interface FigurePlotProps {
  readonly series: FigureSeries;
  /** Oldest first. */
  readonly figures: readonly Figures[];
  readonly hasHint?: boolean;
}

const box = { width: 240, height: 56, spanMs: 120_000 } as const;

/** A figure with a caption; the plot's name says in words what the line shows. */
export function FigurePlot({ series, figures, hasHint = false }: FigurePlotProps) {
  const samples = figures.map((each) => ({ timeMs: each.timeMs, value: series.read(each) }));
  const last = samples.at(-1);
  const base = series.isBytes === true ? 1024 : 1000;
  const plot = plotOf(samples, { ...box, base, untilMs: last?.timeMs ?? 0 });
  const now = last === undefined ? '–' : series.write(last.value);
  const highest = Math.max(0, ...samples.map(({ value }) => value));
  const words = `${series.title}: now ${now}, at most ${series.write(highest)} in two minutes`;
  return (
    <figure class="plot">
      <figcaption>
        <span class="plot-title">{series.title}</span>
        <span class="plot-now figure">{now}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={words}
        viewBox={`0 -2 ${box.width} ${box.height + 4}`}
        preserveAspectRatio="none"
      >
        <path class="plot-ground" d={`M0 ${box.height}H${box.width}M0 0H${box.width}`} />
        <path class="plot-area" d={plot.area} />
        <path class="plot-line" d={plot.line} />
      </svg>
      <p class="plot-scale" aria-hidden="true">
        <span>2 min</span>
        <span class="figure">top {series.write(plot.top)}</span>
      </p>
      {hasHint ? <p class="hint">{series.hint}</p> : null}
    </figure>
  );
}

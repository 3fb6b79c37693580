// Figures of the controller over the last two minutes, as small plots.

import type { Figures } from '../../messages.ts';
import { ViewTitle } from '../components/view-head.tsx';
import { usePage, useSelected } from '../page-context.ts';
import { type FigureSeries, figureSeries } from './figure-series.ts';
import { plotOf } from './plot.ts';

/** The view of figures. */
export function FiguresView() {
  return (
    <>
      <ViewTitle title="Figures" />
      <p class="hint">Measured once a second, for the last two minutes since this page is open.</p>
      <FigureStrip isWhole />
    </>
  );
}

/** Plots side by side: the main ones, or all of them with a sentence on each. */
export function FigureStrip({ isWhole = false }: { readonly isWhole?: boolean }) {
  const { stream } = usePage();
  const figures = useSelected(stream, (state) => state.figures);
  const shown = figureSeries.filter(({ isMain }) => isWhole || isMain);
  return (
    <div class={isWhole ? 'plots is-whole' : 'plots'}>
      {shown.map((series) => (
        <FigurePlot key={series.title} series={series} figures={figures} hasHint={isWhole} />
      ))}
    </div>
  );
}

const box = { width: 240, height: 56, spanMs: 120_000 } as const;

interface FigurePlotProps {
  readonly series: FigureSeries;
  /** Oldest first. */
  readonly figures: readonly Figures[];
  readonly hasHint: boolean;
}

/** The present value above its plot, whose name says in words what the line shows. */
function FigurePlot({ series, figures, hasHint }: FigurePlotProps) {
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

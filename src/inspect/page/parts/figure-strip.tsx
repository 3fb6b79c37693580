// Small plots side by side.

import { figureSeries } from '../figure-series.ts';
import { useSelected } from '../hooks/use-selected.ts';
import { usePage } from '../page-context.ts';
import { FigurePlot } from './figure-plot.tsx';

/** The main ones, or all of them with a word on each. */
export function FigureStrip({ isWhole = false }: { readonly isWhole?: boolean }) {
  const { stream } = usePage();
  const figures = useSelected(stream, (state) => state.figures);
  const shown = figureSeries.filter(({ isMain }) => isWhole || isMain);
  return (
    <div class={isWhole ? 'plots is-whole' : 'plots'}>
      {shown.map((series) => (
        <FigurePlot key={series.id} series={series} figures={figures} hasHint={isWhole} />
      ))}
    </div>
  );
}

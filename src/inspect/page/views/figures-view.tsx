// Every figure of the controller over the last two minutes.

import { FigureStrip } from '../parts/figure-strip.tsx';
import { ViewTitle } from '../parts/view-title.tsx';

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

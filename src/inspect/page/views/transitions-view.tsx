// Everything that happens, as it happens.

import { formatCount } from '../format.ts';
import { goTo } from '../hooks/use-route.ts';
import { useSelected } from '../hooks/use-selected.ts';
import { useStream } from '../hooks/use-stream.ts';
import { usePage } from '../page-context.ts';
import { FilterForm } from '../parts/filter-form.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { TableFrame } from '../parts/table-frame.tsx';
import { TransitionRows, transitionHeads } from '../parts/transition-rows.tsx';
import { ViewTitle } from '../parts/view-title.tsx';
import { transitionsKeptMax } from '../stream-store.ts';

/** The view of the stream; a filter over `kind id event from to actor actorName operation`. */
export function TransitionsView({ filter }: { readonly filter: string }) {
  const { stream } = usePage();
  useStream(filter);
  const { transitions, toldCount, droppedCount, lsn, refusal, isPaused } = useSelected(
    stream,
    (state) => state,
  );
  return (
    <>
      <ViewTitle title="Transitions" />
      <div class="list-tools">
        <FilterForm
          label="Filter"
          name="Filter transitions"
          value={filter}
          example='kind = "apiSession" and to = "full"'
          onApply={(text) => goTo({ view: 'transitions', filter: text.trim() })}
        />
        <div class="buttons">
          <button
            type="button"
            class="is-main"
            onClick={() => stream.send({ type: 'pause', isPaused: !isPaused })}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </button>
          <button type="button" onClick={() => stream.send({ type: 'clear' })}>
            Clear
          </button>
        </div>
      </div>
      <ProblemNote text={refusal} />
      <p class="tally figure">
        <span>{isPaused ? 'Paused' : 'Watching'}</span>
        <span>Told: {formatCount(toldCount)}</span>
        <span class={droppedCount > 0 ? 'dropped is-some' : 'dropped'}>
          Dropped: {formatCount(droppedCount)}
        </span>
        <span>LSN {formatCount(lsn)}</span>
      </p>
      <TableFrame
        caption="Live transitions"
        heads={transitionHeads(true)}
        numbers={['LSN']}
        isCaptionHidden
        isStacked
      >
        <TransitionRows transitions={transitions} hasInstance />
      </TableFrame>
      <p class="hint">
        {transitions.length === 0
          ? 'Nothing has happened since you came.'
          : `The last ${formatCount(transitionsKeptMax)} are kept here, the newest first.`}
      </p>
    </>
  );
}

// Everything that happens, as it happens.

import { FilterForm } from '../components/form-controls.tsx';
import { TransitionTable } from '../components/transition-table.tsx';
import { ProblemNote, ViewTitle } from '../components/view-head.tsx';
import { formatCount } from '../format.ts';
import { usePage, useSelected, useStream } from '../page-context.ts';
import { transitionsKeptMax } from '../stream-store.ts';
import { goTo } from '../use-route.ts';

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
      <TransitionTable caption="Live transitions" transitions={transitions} hasInstance />
      <p class="hint">
        {transitions.length === 0
          ? 'Nothing has happened since you came.'
          : `The last ${formatCount(transitionsKeptMax)} are kept here, the newest first.`}
      </p>
    </>
  );
}

// The last transitions of the log, and everything that happens, as it happens.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RecentTransitions } from '../../messages.ts';
import { pathWith } from '../api.ts';
import { FilterForm } from '../components/form-controls.tsx';
import { LsnLink, WithLsnLinks } from '../components/lsn-link.tsx';
import { TransitionTable } from '../components/transition-table.tsx';
import { ProblemNote, ViewTitle } from '../components/view-head.tsx';
import { formatCount } from '../format.ts';
import { usePage, useSelected, useStream } from '../page-context.ts';
import { recentReach, withRecent } from '../stream-store.ts';
import { useAnswer } from '../use-api.ts';
import { goTo } from '../use-route.ts';

/** The view of the stream; a filter over `kind id event from to actor actorName operation`. */
export function TransitionsView({ filter }: { readonly filter: string }) {
  const { stream } = usePage();
  useStream(filter);
  const { transitions, toldCount, droppedCount, lsn, refusal, isPaused } = useSelected(
    stream,
    (state) => state,
  );
  const past = useRecent(filter);
  const shown = useMemo(() => withRecent(transitions, past.told), [transitions, past.told]);
  const clear = () => {
    past.clear();
    stream.send({ type: 'clear' });
  };
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
          <button type="button" onClick={clear}>
            Clear
          </button>
        </div>
      </div>
      <ProblemNote text={refusal === '' ? past.problem : refusal} />
      <p class="tally figure">
        <span>{isPaused ? 'Paused' : 'Watching'}</span>
        <span>Told: {formatCount(toldCount)}</span>
        <span class={droppedCount > 0 ? 'dropped is-some' : 'dropped'}>
          Dropped: {formatCount(droppedCount)}
        </span>
        <span>
          LSN <LsnLink lsn={lsn} />
        </span>
      </p>
      <TransitionTable caption="Live transitions" transitions={shown} />
      <p class="hint">
        <WithLsnLinks text={past.reach} />
      </p>
    </>
  );
}

const recentRows = 200;

/** The last transitions of the log, which the page begins with. */
function useRecent(filter: string) {
  const { stream } = usePage();
  const path = pathWith('/inspect/transitions', { filter, limit: recentRows });
  const { answer, problem, again } = useAnswer<RecentTransitions>(path);
  const [isCleared, setCleared] = useState(false);
  const { lsn, attachments } = useSelected(stream, (state) => state);
  const lsnBefore = useRef(lsn);
  // What happened before the stream heard of this view is in the log.
  const hasHeard = lsn !== lsnBefore.current;
  useEffect(() => {
    if (hasHeard) again();
  }, [hasHeard, attachments, again]);
  useEffect(() => setCleared(false), [filter]);
  return {
    told: isCleared ? nothing : (answer?.data.transitions ?? nothing),
    /** Why the log was not read; empty otherwise. */
    problem: problem?.message ?? '',
    /** How far back it was read, in words. */
    reach: answer === undefined ? 'Reading the log…' : recentReach(answer.data),
    clear: () => setCleared(true),
  };
}

const nothing: RecentTransitions['transitions'] = [];

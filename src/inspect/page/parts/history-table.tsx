// The transitions that an instance took, as far back as the kept log reaches.

import type { History } from '../hooks/use-transitions.ts';
import { ProblemNote } from './problem-note.tsx';
import { TableFrame } from './table-frame.tsx';
import { TransitionRows, transitionHeads } from './transition-rows.tsx';

/** A table, and the way to older ones. */
export function HistoryTable({ history }: { readonly history: History }) {
  const { transitions, oldestLsn, hasMore, isAsking, problem, older } = history;
  return (
    <section aria-label="History" class="history">
      <h2>Transitions</h2>
      <ProblemNote text={problem} />
      <TableFrame
        caption="Transitions"
        heads={transitionHeads(false)}
        numbers={['LSN']}
        isCaptionHidden
        isStacked
      >
        <TransitionRows transitions={transitions ?? []} hasInstance={false} />
      </TableFrame>
      <p class="list-end">
        {hasMore ? (
          <button type="button" disabled={isAsking} onClick={older}>
            Older transitions
          </button>
        ) : null}
        <span class="hint">{reach(transitions === undefined, hasMore, oldestLsn)}</span>
      </p>
    </section>
  );
}

function reach(isLoading: boolean, hasMore: boolean, oldestLsn: number): string {
  if (isLoading) return 'Reading the log…';
  if (hasMore) return `The kept log reaches back to LSN ${oldestLsn}.`;
  if (oldestLsn <= 1) return 'That is all: the kept log reaches back to the first frame, LSN 1.';
  return `The kept log reaches back to LSN ${oldestLsn}; what was before it is gone.`;
}

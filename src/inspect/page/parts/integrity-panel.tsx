// Starts a check of the data, and shows what it found.

import { useState } from 'preact/hooks';
import type { IntegrityResults } from '../answers.ts';
import { formatCount } from '../format.ts';
import { useAnswer } from '../hooks/use-answer.ts';
import { useOrder } from '../hooks/use-order.ts';
import { Moment } from './moment.tsx';
import { ProblemNote } from './problem-note.tsx';

/** Enough to see what is wrong; all of them are in the answer of the API. */
const shownMax = 50;

/** A button, and the last run. */
export function IntegrityPanel() {
  const order = useOrder();
  const [isFast, setFast] = useState(false);
  const { answer, again } = useAnswer<IntegrityResults>(
    '/database/data-integrity-results',
    isFast ? 500 : 5_000,
  );
  const run = answer?.data;
  const check = async () => {
    setFast(true);
    await order.give('/database/check-data-integrity', { method: 'POST' });
    again();
  };
  const isRunning = run?.inProgress === true;
  return (
    <section class="card panel" aria-label="Data integrity">
      <h3>Data integrity</h3>
      <p class="hint">Looks through all data, beside everything else, and changes nothing.</p>
      <p role="status">Integrity: {run === undefined ? 'asking…' : wordOf(run)}</p>
      {run?.endTime ? (
        <p class="hint">
          Ended <Moment at={run.endTime} />
        </p>
      ) : null}
      <ProblemNote text={order.problem === '' ? run?.error : order.problem} />
      {run === undefined || run.results.length === 0 ? null : (
        <ul class="plain findings">
          {run.results.slice(0, shownMax).map(({ description, fixed }) => (
            <li key={description}>
              {description} {fixed ? <span class="hint">fixed</span> : null}
            </li>
          ))}
        </ul>
      )}
      <button type="button" disabled={order.isBusy || isRunning} onClick={check}>
        Check data integrity
      </button>
    </section>
  );
}

function wordOf({ inProgress, startTime, results, tooManyErrors }: IntegrityResults): string {
  if (inProgress) return 'checking…';
  if (startTime === undefined || startTime === null) return 'not checked since the start';
  if (results.length === 0) return 'no fault found';
  return `${formatCount(results.length)}${tooManyErrors ? ' and more' : ''} faults found`;
}

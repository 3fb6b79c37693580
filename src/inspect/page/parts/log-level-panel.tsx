// Changes how much the controller logs.

import { useId } from 'preact/hooks';
import { useAnswer } from '../hooks/use-answer.ts';
import { useOrder } from '../hooks/use-order.ts';
import { ProblemNote } from './problem-note.tsx';

const levels = ['debug', 'info', 'warn', 'error'] as const;
const path = '/inspect/log-level';

/** A select that applies at once. */
export function LogLevelPanel() {
  const id = useId();
  const order = useOrder();
  const { answer, problem, again } = useAnswer<{ readonly level: string }>(path);
  const choose = async (level: string) => {
    await order.give(path, { method: 'PUT', body: { level } });
    again();
  };
  return (
    <section class="card panel" aria-label="Log">
      <h3>Log</h3>
      <p class="hint">Holds until the controller starts again.</p>
      <div class="choice">
        <label for={id}>Log level</label>
        <select
          id={id}
          value={answer?.data.level ?? ''}
          disabled={answer === undefined || order.isBusy}
          onChange={(event) => void choose(event.currentTarget.value)}
        >
          {levels.map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
      </div>
      <ProblemNote text={order.problem === '' ? problem?.message : order.problem} />
    </section>
  );
}

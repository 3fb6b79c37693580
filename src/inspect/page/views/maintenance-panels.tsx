// Panels of what an administrator can order: a snapshot, a check of the data, another log level.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ProcessView } from '../../messages.ts';
import { Choice } from '../components/form-controls.tsx';
import { Moment } from '../components/times.tsx';
import { ProblemNote } from '../components/view-head.tsx';
import { formatCount } from '../format.ts';
import { usePage } from '../page-context.ts';
import { useAnswer, useAttempt } from '../use-api.ts';

/** Takes a snapshot, and shows the state of the snapshotter. */
export function SnapshotPanel({ processes }: { readonly processes: readonly ProcessView[] }) {
  const { ask } = usePage();
  const { isBusy, problem, start } = useAttempt();
  const [isTaken, setTaken] = useState(false);
  const snapshotter = processes.find(({ name }) => /snapshot/i.test(name));
  const take = async () => {
    setTaken(false);
    setTaken(await start(() => ask('/database/snapshot', { method: 'POST' })));
  };
  const done = isTaken ? 'written and verified' : 'none asked for here';
  return (
    <Panel title="Snapshot" hint="Writes all data at one LSN, so that a start replays less log.">
      <p role="status">
        Snapshot: {isBusy ? 'being written…' : done}
        {snapshotter === undefined ? '' : ` (snapshotter ${snapshotter.state})`}
      </p>
      <ProblemNote text={problem} />
      <button type="button" disabled={isBusy} onClick={take}>
        Take a snapshot
      </button>
    </Panel>
  );
}

/**
 * Of `GET /database/data-integrity-results`, as far as it is shown. Times are ISO texts, the zero
 * time if there is none yet.
 */
interface IntegrityResults {
  readonly inProgress: boolean;
  readonly startTime: string;
  readonly endTime: string;
  readonly error: string;
  readonly tooManyErrors: boolean;
  readonly results: readonly { readonly description: string; readonly fixed: boolean }[];
}

/** Enough to see what is wrong; all of them are in the answer of the API. */
const findingsShownMax = 50;

/** Starts a check of the data, and shows what the last one found. */
export function IntegrityPanel() {
  const { ask } = usePage();
  const { isBusy, problem, start } = useAttempt();
  const [isFast, setFast] = useState(false);
  const { answer, again } = useAnswer<IntegrityResults>(
    '/database/data-integrity-results',
    isFast ? 500 : 5_000,
  );
  const run = answer?.data;
  const check = async () => {
    setFast(true);
    await start(() => ask('/database/check-data-integrity', { method: 'POST' }));
    again();
  };
  return (
    <Panel
      title="Data integrity"
      hint="Looks through all data, beside everything else, and changes nothing."
    >
      <p role="status">Integrity: {run === undefined ? 'asking…' : resultOf(run)}</p>
      {run !== undefined && isReached(run.endTime) ? (
        <p class="hint">
          Ended <Moment at={run.endTime} />
        </p>
      ) : null}
      <ProblemNote text={problem === '' ? run?.error : problem} />
      {run === undefined || run.results.length === 0 ? null : (
        <ul class="plain findings">
          {run.results.slice(0, findingsShownMax).map(({ description, fixed }) => (
            <li key={description}>
              {description} {fixed ? <span class="hint">fixed</span> : null}
            </li>
          ))}
        </ul>
      )}
      <button type="button" disabled={isBusy || run?.inProgress === true} onClick={check}>
        Check data integrity
      </button>
    </Panel>
  );
}

function resultOf({ inProgress, startTime, results, tooManyErrors }: IntegrityResults): string {
  if (inProgress) return 'checking…';
  if (!isReached(startTime)) return 'never checked';
  if (results.length === 0) return 'no fault found';
  return `${formatCount(results.length)}${tooManyErrors ? ' and more' : ''} faults found`;
}

function isReached(time: string): boolean {
  return !time.startsWith('0001-');
}

const logLevelPath = '/inspect/log-level';
const logLevels = ['debug', 'info', 'warn', 'error'].map((level) => [level, level] as const);

/** Changes how much the controller logs, as soon as a level is chosen. */
export function LogLevelPanel() {
  const { ask } = usePage();
  const { isBusy, problem: refusal, start } = useAttempt();
  const { answer, problem, again } = useAnswer<{ readonly level: string }>(logLevelPath);
  const choose = async (level: string) => {
    await start(() => ask(logLevelPath, { method: 'PUT', body: { level } }));
    again();
  };
  return (
    <Panel title="Log" hint="Holds until the controller starts again.">
      <Choice
        label="Log level"
        value={answer?.data.level ?? ''}
        options={logLevels}
        disabled={answer === undefined || isBusy}
        onChoose={(level) => void choose(level)}
      />
      <ProblemNote text={refusal === '' ? problem?.message : refusal} />
    </Panel>
  );
}

interface PanelProps {
  readonly title: string;
  readonly hint: string;
  readonly children: ComponentChildren;
}

function Panel({ title, hint, children }: PanelProps) {
  return (
    <section class="card panel" aria-label={title}>
      <h3>{title}</h3>
      <p class="hint">{hint}</p>
      {children}
    </section>
  );
}

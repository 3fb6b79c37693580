// One instance: its state, history, record and relations.

import { useEffect } from 'preact/hooks';
import type { InstanceDetail } from '../../contract.ts';
import { instancesPath } from '../api-base.ts';
import { useAnswer } from '../hooks/use-answer.ts';
import { useMachine } from '../hooks/use-machines.ts';
import { useTransitions } from '../hooks/use-transitions.ts';
import { HistoryTable } from '../parts/history-table.tsx';
import { InstanceFacts } from '../parts/instance-facts.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { RecordTable } from '../parts/record-table.tsx';
import { Referrers, Relations } from '../parts/relations.tsx';
import { Statechart } from '../parts/statechart.tsx';
import { ViewTitle } from '../parts/view-title.tsx';
import { hashOf, kindRoute } from '../route.ts';

/** Which instance. */
export interface InstanceViewProps {
  readonly kind: string;
  readonly id: string;
}

/** Fields change without a transition, too: the activity of a session does. */
const everyMs = 5_000;

/** The view of an instance, as it changes. */
export function InstanceView({ kind, id }: InstanceViewProps) {
  const machine = useMachine(kind);
  const history = useTransitions(kind, id);
  const { answer, problem, again } = useAnswer<InstanceDetail>(instancesPath(kind, id), everyMs);
  const newest = history.transitions?.[0];
  const newestLsn = newest?.lsn ?? 0;
  useEffect(() => {
    if (newestLsn > 0) again();
  }, [newestLsn, again]);
  const { again: askLog } = history;
  // The stream may not have heard yet what this view wants when something happened.
  const missedLsn = unexplainedLsn(answer?.data, history.transitions === undefined, newestLsn);
  useEffect(() => {
    if (missedLsn > 0) askLog();
  }, [missedLsn, askLog]);
  const isGone = problem?.status === 404;
  const instance = answer?.data;
  // The stream is faster than the record that is asked for because of it.
  const state = newestLsn > (instance?.lsn ?? 0) ? newest?.to : instance?.state;
  const shown = (isGone ? newest?.to : state) ?? '';
  const name = instance === undefined || instance.name === '' ? id : instance.name;
  return (
    <>
      <nav aria-label="Path" class="path">
        <a href="#/">Machines</a> <span aria-hidden="true">/</span>{' '}
        <a href={hashOf(kindRoute(kind))}>{kind}</a>
      </nav>
      <ViewTitle title={name} />
      {isGone ? (
        <p role="status" class="note">
          There is no such {kind} any more.
        </p>
      ) : (
        <ProblemNote text={problem?.message} />
      )}
      <InstanceFacts kind={kind} id={id} state={shown} instance={isGone ? undefined : instance} />
      {machine === undefined ? null : (
        <Statechart machine={machine} state={shown} steps={history.transitions ?? []} />
      )}
      <HistoryTable history={history} />
      {instance === undefined ? null : (
        <div class="columns">
          <RecordTable record={instance.record} relations={instance.relations} />
          <div>
            <Relations relations={instance.relations} />
            <Referrers id={id} referrers={instance.referrers} />
          </div>
        </div>
      )}
    </>
  );
}

/** LSN of a record that changed after the newest transition that is known; 0 where none did. */
function unexplainedLsn(
  instance: InstanceDetail | undefined,
  isLoading: boolean,
  newestLsn: number,
): number {
  return instance === undefined || isLoading || instance.lsn <= newestLsn ? 0 : instance.lsn;
}

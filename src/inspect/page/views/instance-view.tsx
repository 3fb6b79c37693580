// One instance: its state, history, record and relations.

import { useEffect, useMemo } from 'preact/hooks';
import type { InstanceDetail } from '../../messages.ts';
import { instancesPath } from '../api.ts';
import { ChartLegend } from '../components/chart-legend.tsx';
import { Fact } from '../components/fact.tsx';
import { HistoryTable } from '../components/history-table.tsx';
import { LsnLink, WithLsnLinks } from '../components/lsn-link.tsx';
import { Statechart } from '../components/statechart.tsx';
import { StateMark } from '../components/states.tsx';
import { Countdown, Moment } from '../components/times.tsx';
import { ProblemNote, ViewTitle } from '../components/view-head.tsx';
import { historyRows } from '../history-rows.ts';
import { useMachine } from '../page-context.ts';
import { hashOf, kindRoute } from '../route.ts';
import { useAnswer } from '../use-api.ts';
import { AccessPanel } from './access-panel.tsx';
import { ExplainPanel } from './explain-panel.tsx';
import { InstanceLink, RecordTable, Referrers, Relations } from './instance-record.tsx';
import { type History, useHistory } from './use-history.ts';

/** Fields change without a transition, too: the activity of a session does. */
const everyMs = 5_000;

/** The view of an instance, as it changes. */
export function InstanceView({ kind, id }: { readonly kind: string; readonly id: string }) {
  const machine = useMachine(kind);
  const history = useHistory(kind, id);
  const { answer, problem, again } = useAnswer<InstanceDetail>(instancesPath(kind, id), everyMs);
  const newest = history.transitions?.[0];
  const newestLsn = newest?.lsn ?? 0;
  useEffect(() => {
    if (newestLsn > 0) again();
  }, [newestLsn, again]);
  const { again: askLog } = history;
  // The stream tells of transitions only, and may not have heard yet what this view wants.
  const changedLsn = history.transitions === undefined ? 0 : (answer?.data.lsn ?? 0);
  const missedLsn = changedLsn > history.reportedLsn ? changedLsn : 0;
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
      {machine === undefined || machine.states.length === 0 ? null : (
        <>
          <Statechart machine={machine} state={shown} steps={history.transitions ?? []} />
          <ChartLegend machine={machine} />
        </>
      )}
      <HistoryPanel history={history} />
      {kind === 'identity' && instance !== undefined ? <ExplainPanel identityId={id} /> : null}
      {instance === undefined ? null : (
        <div class="columns">
          <RecordTable instance={instance} />
          <div>
            <AccessPanel kind={kind} id={id} everyMs={everyMs} />
            <Relations instance={instance} />
            <Referrers instance={instance} />
          </div>
        </div>
      )}
    </>
  );
}

interface InstanceFactsProps {
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  /** Undefined while it is not known, or gone. */
  readonly instance: InstanceDetail | undefined;
}

/** The most important facts about an instance, in a row. */
function InstanceFacts({ kind, id, state, instance }: InstanceFactsProps) {
  const { deadline, lapses = [], events = [], lsn, stateInWords, client } = instance ?? {};
  return (
    <dl class="facts card">
      {state === '' ? null : (
        <Fact term="State">
          <span class="state">
            <StateMark kind={kind} state={state} />
          </span>
          {stateInWords === undefined ? null : <div class="hint">{stateInWords}</div>}
        </Fact>
      )}
      <Fact term="Id">
        <span class="id">{id}</span>
      </Fact>
      {client === undefined ? null : (
        <>
          <Fact term="Address">{client.address || '–'}</Fact>
          <Fact term="SDK">{client.sdk || '–'}</Fact>
          <Fact term="Client">{client.version || '–'}</Fact>
          <Fact term="Active">
            <Moment at={client.lastActivityAt} />
          </Fact>
        </>
      )}
      {deadline === undefined ? null : (
        <Fact term="Deadline">
          <Countdown at={deadline.at} /> <span class="event">{deadline.event}</span>
        </Fact>
      )}
      {lapses.length === 0 ? null : (
        <Fact term="Posture lapses">
          <ul class="plain">
            {lapses.map((lapse) => (
              <li key={lapse.id}>
                <Countdown at={lapse.at} />{' '}
                <InstanceLink kind="postureCheck" id={lapse.id} name={lapse.name} />
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {events.length === 0 ? null : (
        <Fact term="Takes">
          <span class="event">{events.join(', ')}</span>
        </Fact>
      )}
      <Fact term="LSN">
        <LsnLink lsn={lsn ?? 0} kind={kind} />
      </Fact>
    </dl>
  );
}

/** What happened to a record, as far back as the kept log reaches. */
function HistoryPanel({ history }: { readonly history: History }) {
  const { transitions, changes, oldestLsn, hasMore, isAsking, problem, older } = history;
  const rows = useMemo(() => historyRows(transitions ?? [], changes), [transitions, changes]);
  return (
    <section aria-label="What happened to it" class="history">
      <h2>History</h2>
      <ProblemNote text={problem} />
      <HistoryTable rows={rows} />
      <p class="list-end">
        {hasMore ? (
          <button type="button" disabled={isAsking} onClick={older}>
            Older history
          </button>
        ) : null}
        <span class="hint">
          <WithLsnLinks text={reach(transitions === undefined, hasMore, oldestLsn)} />
        </span>
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

// One frame of the log: who, which request, the records before and after, and what followed.

import { useEffect, useState } from 'preact/hooks';
import type { FrameView as Frame } from '../../messages.ts';
import { pathWith } from '../api.ts';
import { Fact } from '../components/fact.tsx';
import { FieldValue } from '../components/field-value.tsx';
import { LsnLink } from '../components/lsn-link.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Moment } from '../components/times.tsx';
import { ActorLink, TransitionTable } from '../components/transition-table.tsx';
import { ProblemNote, ViewTitle } from '../components/view-head.tsx';
import { formatCount } from '../format.ts';
import { usePage } from '../page-context.ts';
import { useAnswer, useAttempt } from '../use-api.ts';
import { InstanceLink } from './instance-record.tsx';

/** The view of a frame. It never changes, except for what follows from it. */
export function FrameView({ lsn }: { readonly lsn: number }) {
  const { answer, problem } = useAnswer<Frame>(`/inspect/log/${lsn}`);
  const frame = answer?.data;
  return (
    <>
      <nav aria-label="Path" class="path">
        <a href="#/transitions">Transitions</a>
      </nav>
      <ViewTitle title={`LSN ${formatCount(lsn)}`}>
        {frame === undefined ? null : <span class="total">{frame.operation}</span>}
      </ViewTitle>
      <ProblemNote
        text={problem === undefined ? '' : problemText(problem.status, problem.message)}
      />
      {frame === undefined ? null : (
        <>
          <FrameFacts frame={frame} />
          {frame.transitionsTotal === 0 ? null : <Transitions frame={frame} />}
          <Changes frame={frame} />
          <Followers key={lsn} frame={frame} />
        </>
      )}
    </>
  );
}

function problemText(status: number, message: string): string {
  if (status !== 404) return message;
  return 'The kept log does not hold this frame: it is gone, or not written yet.';
}

function FrameFacts({ frame }: { readonly frame: Frame }) {
  const { lsn, timeMs, operation, requestId, causeLsn, oldestLsn, lastLsn } = frame;
  return (
    <dl class="facts card">
      <Fact term="Time">
        <Moment at={timeMs} />
      </Fact>
      <Fact term="Who">
        <ActorLink {...frame} />
      </Fact>
      <Fact term="Operation">{operation}</Fact>
      <Fact term="Request">
        <span class="id">{requestId === '' ? '–' : requestId}</span>
      </Fact>
      <Fact term="Follows from">
        {causeLsn === 0 ? 'nothing: an original cause' : <LsnLink lsn={causeLsn} />}
      </Fact>
      <Fact term="Frame before">
        <LsnLink lsn={lsn > oldestLsn ? lsn - 1 : 0} />
      </Fact>
      <Fact term="Frame after">
        <LsnLink lsn={lsn < lastLsn ? lsn + 1 : 0} />
      </Fact>
    </dl>
  );
}

function Transitions({ frame: { transitions, transitionsTotal } }: { readonly frame: Frame }) {
  return (
    <section aria-label="Transitions of the frame">
      <h2>Transitions</h2>
      <TransitionTable caption="Transitions" transitions={transitions} />
      <Rest shown={transitions.length} total={transitionsTotal} />
    </section>
  );
}

type Change = Frame['changes'][number];
type FieldRow = readonly [field: string, values: Change['fields'][string]];

const fieldColumns: readonly Column<FieldRow>[] = [
  { head: 'Field', isHead: true, class: 'event', cell: ([field]) => field },
  { head: 'Before', class: 'value', cell: ([, { before }]) => <FieldValue value={before} /> },
  { head: 'After', class: 'value', cell: ([, { after }]) => <FieldValue value={after} /> },
];

/** Each record that it changed, field by field. */
function Changes({ frame: { changes, changesTotal } }: { readonly frame: Frame }) {
  return (
    <section aria-label="Changes">
      <h2>Changes</h2>
      {changesTotal === 0 ? <p class="hint">It changed no record.</p> : null}
      {changes.map(({ kind, id, name, change, fields }) => (
        <article key={`${kind} ${id}`} class="change" aria-label={`${kind} ${id}`}>
          <h3>
            {kind} <InstanceLink kind={kind} id={id} name={name} />{' '}
            <span class="hint">{change}</span>
          </h3>
          <Table
            caption={`Fields of ${kind} ${name === '' ? id : name}`}
            columns={fieldColumns}
            rows={Object.entries(fields)}
            keyOf={([field]) => field}
          />
        </article>
      ))}
      <Rest shown={changes.length} total={changesTotal} />
    </section>
  );
}

function Rest({ shown, total }: { readonly shown: number; readonly total: number }) {
  if (shown >= total) return null;
  return <p class="hint">and {formatCount(total - shown)} more</p>;
}

type Follower = Frame['followers'][number];

const followerColumns: readonly Column<Follower>[] = [
  { head: 'LSN', cell: ({ lsn }) => <LsnLink lsn={lsn} /> },
  { head: 'Time', class: 'figure', cell: ({ timeMs }) => <Moment at={timeMs} isShort /> },
  { head: 'Operation', cell: ({ operation }) => operation },
  { head: 'Transitions', isNumber: true, cell: ({ transitions }) => formatCount(transitions) },
  { head: 'Changes', isNumber: true, cell: ({ changes }) => formatCount(changes) },
];

type Searched = Pick<Frame, 'followers' | 'followersUntilLsn' | 'hasMore'>;

/** Later frames whose cause it is, as far as the log was searched for them. */
function Followers({ frame }: { readonly frame: Frame }) {
  const { ask } = usePage();
  const { isBusy, problem, start } = useAttempt();
  const [searched, setSearched] = useState<Searched>(frame);
  useEffect(() => setSearched(frame), [frame]);
  const { followers, followersUntilLsn, hasMore } = searched;
  const look = () =>
    start(async () => {
      const path = pathWith(`/inspect/log/${frame.lsn}`, { afterLsn: followersUntilLsn });
      const { data } = await ask<Frame>(path);
      setSearched({ ...data, followers: [...followers, ...data.followers] });
    });
  return (
    <section aria-label="What followed">
      <h2>What followed</h2>
      <ProblemNote text={problem} />
      {followers.length === 0 ? null : (
        <Table
          caption="Frames that followed"
          columns={followerColumns}
          rows={followers}
          keyOf={({ lsn }) => String(lsn)}
        />
      )}
      <p class="list-end">
        {hasMore ? (
          <button type="button" disabled={isBusy} onClick={look}>
            Look further
          </button>
        ) : null}
        <span class="hint">
          {followers.length === 0 ? 'Nothing followed' : 'That is all'} up to LSN{' '}
          <LsnLink lsn={followersUntilLsn} />.
        </span>
      </p>
    </section>
  );
}

// Transitions as a table: of one instance, or of all.

import type { Transition } from '../../contract.ts';
import { hashOf } from '../route.ts';
import { StateMark } from './states.tsx';
import { Cell, Table, TableRow } from './table.tsx';
import { Moment } from './times.tsx';

/** Transitions, newest first. */
export interface TransitionTableProps {
  readonly caption: string;
  readonly transitions: readonly Transition[];
  /** Whether to show the instance of each. */
  readonly hasInstance?: boolean;
}

/** One row per transition. */
export function TransitionTable({
  caption,
  transitions,
  hasInstance = false,
}: TransitionTableProps) {
  const instance = hasInstance ? ['Kind', 'Id'] : [];
  const heads = ['Time', ...instance, 'Event', 'From', 'To', 'Who', 'Operation', 'LSN'];
  return (
    <Table caption={caption} heads={heads} isStacked>
      {transitions.map((step) => (
        <TransitionRow key={keyOf(step)} step={step} hasInstance={hasInstance} />
      ))}
    </Table>
  );
}

/** One frame may hold several steps of one instance. */
function keyOf({ lsn, kind, id, event, from, to }: Transition): string {
  return [lsn, kind, id, event, from, to].join(' ');
}

function TransitionRow({ step, hasInstance }: { step: Transition; hasInstance: boolean }) {
  const { lsn, timeMs, kind, id, event, from, to, actor, actorName, operation } = step;
  return (
    <TableRow>
      <Cell head="Time" class="figure">
        <Moment at={timeMs} isShort />
      </Cell>
      {hasInstance ? <Cell head="Kind">{kind}</Cell> : null}
      {hasInstance ? (
        <Cell head="Id">
          <a class="id" href={hashOf({ view: 'instance', kind, id })}>
            {id}
          </a>
        </Cell>
      ) : null}
      <Cell head="Event" class="event">
        {event}
      </Cell>
      <Cell head="From">
        <StateMark kind={kind} state={from} />
      </Cell>
      <Cell head="To">
        <StateMark kind={kind} state={to} />
      </Cell>
      <Cell head="Who" title={actor}>
        {actorName === '' ? (
          actor
        ) : (
          <a href={hashOf({ view: 'instance', kind: 'identity', id: actor })}>{actorName}</a>
        )}
      </Cell>
      <Cell
        head="Operation"
        title={step.requestId === '' ? undefined : `request ${step.requestId}`}
      >
        {operation}
      </Cell>
      <Cell head="LSN" class="is-number figure" title={causeOf(step)}>
        {lsn}
      </Cell>
    </TableRow>
  );
}

function causeOf({ causeLsn }: Transition): string | undefined {
  return causeLsn === 0 ? undefined : `follows from LSN ${causeLsn}`;
}

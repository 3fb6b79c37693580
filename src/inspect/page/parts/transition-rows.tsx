// Transitions as rows of a table: of one instance, or of all.

import type { Transition } from '../../contract.ts';
import { hashOf } from '../route.ts';
import { Moment } from './moment.tsx';
import { StateMark } from './state-mark.tsx';
import { Cell, TableRow } from './table-row.tsx';

/** Newest first. */
export interface TransitionRowsProps {
  readonly transitions: readonly Transition[];
  /** Whether to show the instance of each. */
  readonly hasInstance: boolean;
}

/** Heads of the columns that the rows fill. */
export function transitionHeads(hasInstance: boolean): readonly string[] {
  const instance = hasInstance ? ['Kind', 'Id'] : [];
  return ['Time', ...instance, 'Event', 'From', 'To', 'Who', 'Operation', 'LSN'];
}

/** The rows. */
export function TransitionRows({ transitions, hasInstance }: TransitionRowsProps) {
  return (
    <>
      {transitions.map((step) => (
        <TransitionRow key={keyOf(step)} step={step} hasInstance={hasInstance} />
      ))}
    </>
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

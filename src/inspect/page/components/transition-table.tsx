// Transitions of all instances as a table, and the columns that it shares with other tables of what
// happened.

import type { Transition } from '../../messages.ts';
import { hashOf } from '../route.ts';
import { transitionKey } from '../stream-store.ts';
import { LsnLink } from './lsn-link.tsx';
import { StateMark } from './states.tsx';
import { type Column, Table } from './table.tsx';
import { Moment } from './times.tsx';

/** Transitions, newest first. */
export interface TransitionTableProps {
  readonly caption: string;
  readonly transitions: readonly Transition[];
}

/** One row per transition. */
export function TransitionTable({ caption, transitions }: TransitionTableProps) {
  return (
    <Table caption={caption} columns={columns} rows={transitions} keyOf={transitionKey} isStacked />
  );
}

/** What is told of every frame, and the kind of the record where there is a transition. */
type Caused = Pick<
  Transition,
  'lsn' | 'timeMs' | 'actor' | 'actorName' | 'operation' | 'requestId' | 'causeLsn'
> &
  Partial<Pick<Transition, 'kind'>>;

/** When it happened. */
export const timeColumn: Column<Caused> = {
  head: 'Time',
  class: 'figure',
  cell: ({ timeMs }) => <Moment at={timeMs} isShort />,
};

/** Who did it, by which operation, in which frame. */
export const causeColumns: readonly Column<Caused>[] = [
  { head: 'Who', title: ({ actor }) => actor, cell: (caused) => <ActorLink {...caused} /> },
  {
    head: 'Operation',
    title: ({ requestId }) => (requestId === '' ? undefined : `request ${requestId}`),
    cell: ({ operation }) => operation,
  },
  {
    head: 'LSN',
    isNumber: true,
    title: ({ causeLsn }) => (causeLsn === 0 ? undefined : `follows from LSN ${causeLsn}`),
    cell: ({ lsn, kind }) => <LsnLink lsn={lsn} kind={kind} />,
  },
];

/** An identity by its name, or the name of a part of the controller. */
export function ActorLink({ actor, actorName }: Pick<Caused, 'actor' | 'actorName'>) {
  if (actorName === '') return <>{actor === '' ? '–' : actor}</>;
  return <a href={hashOf({ view: 'instance', kind: 'identity', id: actor })}>{actorName}</a>;
}

const columns: readonly Column<Transition>[] = [
  timeColumn,
  { head: 'Kind', cell: ({ kind }) => kind },
  {
    head: 'Id',
    cell: ({ kind, id }) => (
      <a class="id" href={hashOf({ view: 'instance', kind, id })}>
        {id}
      </a>
    ),
  },
  { head: 'Event', class: 'event', cell: ({ event }) => event },
  { head: 'From', cell: ({ kind, from }) => <StateMark kind={kind} state={from} /> },
  { head: 'To', cell: ({ kind, to }) => <StateMark kind={kind} state={to} /> },
  ...causeColumns,
];

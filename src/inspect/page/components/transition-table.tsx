// Transitions as a table: of one instance, or of all.

import type { Transition } from '../../contract.ts';
import { hashOf } from '../route.ts';
import { StateMark } from './states.tsx';
import { type Column, Table } from './table.tsx';
import { Moment } from './times.tsx';

/** Transitions, newest first. */
export interface TransitionTableProps {
  readonly caption: string;
  readonly transitions: readonly Transition[];
  /** Whether to show the instance of each. */
  readonly hasInstance?: boolean;
}

/** One row per transition. */
export function TransitionTable({ caption, transitions, hasInstance }: TransitionTableProps) {
  return (
    <Table
      caption={caption}
      columns={hasInstance ? columns : columnsWithoutInstance}
      rows={transitions}
      keyOf={keyOf}
      isStacked
    />
  );
}

const columns: readonly Column<Transition>[] = [
  { head: 'Time', class: 'figure', cell: ({ timeMs }) => <Moment at={timeMs} isShort /> },
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
  {
    head: 'Who',
    title: ({ actor }) => actor,
    cell: ({ actor, actorName }) =>
      actorName === '' ? (
        actor
      ) : (
        <a href={hashOf({ view: 'instance', kind: 'identity', id: actor })}>{actorName}</a>
      ),
  },
  {
    head: 'Operation',
    title: ({ requestId }) => (requestId === '' ? undefined : `request ${requestId}`),
    cell: ({ operation }) => operation,
  },
  {
    head: 'LSN',
    isNumber: true,
    title: ({ causeLsn }) => (causeLsn === 0 ? undefined : `follows from LSN ${causeLsn}`),
    cell: ({ lsn }) => lsn,
  },
];

const columnsWithoutInstance = columns.filter(({ head }) => head !== 'Kind' && head !== 'Id');

/** One frame may hold several steps of one instance. */
function keyOf({ lsn, kind, id, event, from, to }: Transition): string {
  return [lsn, kind, id, event, from, to].join(' ');
}

// The history of one record as a table: its transitions, and the changes of its fields.

import { formatValue } from '../format.ts';
import { type ChangedField, changedFields, type HistoryRow } from '../history-rows.ts';
import { StateMark } from './states.tsx';
import { type Column, Table } from './table.tsx';
import { causeColumns, timeColumn } from './transition-table.tsx';

/** One row per transition, and one per change without a transition. */
export function HistoryTable({ rows }: { readonly rows: readonly HistoryRow[] }) {
  const hasStates = rows.some(({ transition }) => transition !== undefined);
  return (
    <Table
      caption="History"
      columns={hasStates ? columns : columnsWithoutStates}
      rows={rows}
      keyOf={({ key }) => key}
      isStacked
    />
  );
}

const stateColumns: readonly Column<HistoryRow>[] = [
  {
    head: 'From',
    cell: ({ transition }) =>
      transition && <StateMark kind={transition.kind} state={transition.from} />,
  },
  {
    head: 'To',
    cell: ({ transition }) =>
      transition && <StateMark kind={transition.kind} state={transition.to} />,
  },
];

const columns: readonly Column<HistoryRow>[] = [
  timeColumn,
  {
    head: 'Event',
    class: 'event',
    cell: ({ transition, change }) => transition?.event ?? change?.change,
  },
  ...stateColumns,
  {
    head: 'Changed',
    class: 'changes',
    cell: ({ change }) =>
      change === undefined ? null : <Changed fields={changedFields(change)} />,
  },
  ...causeColumns,
];

const columnsWithoutStates = columns.filter((column) => !stateColumns.includes(column));

function Changed({ fields }: { readonly fields: readonly ChangedField[] }) {
  if (fields.length === 0) return null;
  return (
    <ul class="plain">
      {fields.map(({ field, before, after }) => (
        <li key={field}>
          <span class="event">{field}</span> <ShortValue value={before} /> →{' '}
          <ShortValue value={after} />
        </li>
      ))}
    </ul>
  );
}

/** Enough to recognize a value; the page of the frame shows all of it. */
const charactersShown = 60;

function ShortValue({ value }: { readonly value: unknown }) {
  const text = formatValue(value).replace(/\s+/g, ' ');
  if (text.length <= charactersShown) return <>{text}</>;
  return <span title={text}>{`${text.slice(0, charactersShown)}…`}</span>;
}

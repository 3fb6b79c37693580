// Instances of one kind: filtered, ordered, and only ever a page of them.

import type { InstanceRow } from '../../contract.ts';
import { instancesPath, pathWith } from '../api-base.ts';
import { filterOf } from '../filter-text.ts';
import { useAnswer } from '../hooks/use-answer.ts';
import { goTo } from '../hooks/use-route.ts';
import { hashOf, type Route } from '../route.ts';
import { Countdown } from './countdown.tsx';
import { FilterForm } from './filter-form.tsx';
import { Moment } from './moment.tsx';
import { PageTurner } from './page-turner.tsx';
import { ProblemNote } from './problem-note.tsx';
import { SortSelect } from './sort-select.tsx';
import { StateMark } from './state-mark.tsx';
import { StateSelect } from './state-select.tsx';
import { TableFrame } from './table-frame.tsx';
import { Cell, TableRow } from './table-row.tsx';

const pageRows = 25;
const everyMs = 3_000;
const heads = ['Name', 'Id', 'State', 'Created', 'Updated', 'LSN', 'Deadline'] as const;

type KindRoute = Extract<Route, { view: 'kind' }>;

/** The list, kept fresh while it is looked at. */
export function InstanceList({ route }: { readonly route: KindRoute }) {
  const { kind, filter, sort, offset } = route;
  const path = pathWith(instancesPath(kind), { filter, sort, limit: pageRows, offset });
  const { answer, problem } = useAnswer<readonly InstanceRow[]>(path, everyMs);
  const show = (change: Partial<KindRoute>) => goTo({ ...route, offset: 0, ...change });
  return (
    <section class="list" aria-label="Instances">
      <div class="list-tools">
        <FilterForm
          label="Filter"
          name="Filter instances"
          value={filter}
          example='state = "full" and name contains "desk"'
          onApply={(text) => show({ filter: filterOf(text) })}
        />
        <StateSelect kind={kind} filter={filter} onFilter={(text) => show({ filter: text })} />
        <SortSelect sort={sort} onSort={(text) => show({ sort: text })} />
      </div>
      <ProblemNote text={problem?.message} />
      <TableFrame
        caption={`Instances of ${kind}`}
        heads={heads}
        numbers={['LSN']}
        isCaptionHidden
        isStacked
      >
        {answer?.data.map((row) => (
          <Row key={row.id} kind={kind} row={row} />
        ))}
      </TableFrame>
      {answer === undefined && problem === undefined ? <p class="hint">Loading…</p> : null}
      {answer?.data.length === 0 ? <p class="hint">No instance matches.</p> : null}
      <PageTurner
        offset={offset}
        rows={answer?.data.length ?? 0}
        pageRows={pageRows}
        total={answer?.totalCount ?? 0}
        onOffset={(next) => show({ offset: next })}
      />
    </section>
  );
}

function Row({ kind, row }: { readonly kind: string; readonly row: InstanceRow }) {
  const { id, name, state, createdAt, updatedAt, lsn, deadline } = row;
  return (
    <TableRow>
      <Cell head="Name">{name === '' ? '–' : name}</Cell>
      <Cell head="Id">
        <a class="id" href={hashOf({ view: 'instance', kind, id })}>
          {id}
        </a>
      </Cell>
      <Cell head="State">
        <StateMark kind={kind} state={state} />
      </Cell>
      <Cell head="Created" class="figure">
        <Moment at={createdAt} />
      </Cell>
      <Cell head="Updated" class="figure">
        <Moment at={updatedAt} />
      </Cell>
      <Cell head="LSN" class="is-number figure">
        {lsn}
      </Cell>
      <Cell head="Deadline">{deadline === undefined ? '–' : <Countdown at={deadline} />}</Cell>
    </TableRow>
  );
}

// One kind of machine: its statechart, and a list of its instances, page by page.

import type { InstanceRow, MachineView } from '../../messages.ts';
import { instancesPath, pathWith } from '../api.ts';
import { ChartLegend } from '../components/chart-legend.tsx';
import { Choice, FilterForm } from '../components/form-controls.tsx';
import { LsnLink } from '../components/lsn-link.tsx';
import { PageTurner } from '../components/page-turner.tsx';
import { Statechart } from '../components/statechart.tsx';
import { StateBar, StateMark } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Countdown, Moment } from '../components/times.tsx';
import { ProblemNote, ViewTitle } from '../components/view-head.tsx';
import { filterOf, stateFilter, stateOfFilter } from '../filter-text.ts';
import { formatCount, formatState } from '../format.ts';
import { useMachine } from '../page-context.ts';
import { hashOf, type Route } from '../route.ts';
import { useAnswer } from '../use-api.ts';
import { goTo } from '../use-route.ts';

type KindRoute = Extract<Route, { view: 'kind' }>;

/** The view of a kind; its route holds the parameters of the list. */
export function KindView({ route }: { readonly route: KindRoute }) {
  const machine = useMachine(route.kind);
  return (
    <>
      <nav aria-label="Path" class="path">
        <a href="#/">Machines</a>
      </nav>
      <ViewTitle title={route.kind}>
        {machine === undefined ? null : (
          <span class="figure total">{formatCount(machine.total)}</span>
        )}
      </ViewTitle>
      {machine === undefined || machine.states.length === 0 ? null : (
        <>
          <div class="card is-wide">
            <StateBar machine={machine} />
          </div>
          <Statechart machine={machine} state={sharedState(machine)} />
          <ChartLegend machine={machine} />
        </>
      )}
      <InstanceList
        route={route}
        states={Object.keys(machine?.counts ?? {})}
        hasStates={machine?.states.length !== 0}
      />
    </>
  );
}

/** The state of a live machine, which has one instance as a rule; empty where there are several. */
function sharedState({ isLive, counts }: MachineView): string {
  const taken = Object.keys(counts).filter((state) => counts[state] !== 0);
  return isLive && taken.length === 1 ? (taken[0] ?? '') : '';
}

const pageRows = 25;
const everyMs = 3_000;

/** Sorts of the list language with their names. */
const orders = [
  ['', 'as it is kept'],
  ['name', 'name'],
  ['createdAt desc', 'newest'],
  ['createdAt', 'oldest'],
  ['updatedAt desc', 'last changed'],
] as const;

interface InstanceListProps {
  readonly route: KindRoute;
  /** That instances can be in. */
  readonly states: readonly string[];
  /** Records of a kind without a machine have no state. */
  readonly hasStates: boolean;
}

/** A list of instances, kept fresh while it is looked at. */
function InstanceList({ route, states, hasStates }: InstanceListProps) {
  const { kind, filter, sort, offset } = route;
  const path = pathWith(instancesPath(kind), { filter, sort, limit: pageRows, offset });
  const { answer, problem } = useAnswer<readonly InstanceRow[]>(path, everyMs);
  const show = (change: Partial<KindRoute>) => goTo({ ...route, offset: 0, ...change });
  const isKnownOrder = orders.some(([order]) => order === sort);
  return (
    <section class="list" aria-label="Instances">
      <div class="list-tools">
        <FilterForm
          name="Filter instances"
          value={filter}
          example={hasStates ? 'state = "full" and name contains "desk"' : 'name contains "desk"'}
          onApply={(text) => show({ filter: filterOf(text) })}
        />
        {hasStates ? (
          <Choice
            label="State"
            value={stateOfFilter(filter)}
            options={[['', 'any'], ...states.map((state) => [state, formatState(state)] as const)]}
            onChoose={(state) => show({ filter: state === '' ? '' : stateFilter(state) })}
          />
        ) : null}
        <Choice
          label="Order"
          value={sort}
          options={isKnownOrder ? orders : [[sort, sort], ...orders]}
          onChoose={(order) => show({ sort: order })}
        />
      </div>
      <ProblemNote text={problem?.message} />
      <Table
        caption={`Instances of ${kind}`}
        columns={columnsOf(kind, hasStates)}
        rows={answer?.data ?? []}
        keyOf={({ id }) => id}
        isStacked
      />
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

function columnsOf(kind: string, hasStates: boolean): readonly Column<InstanceRow>[] {
  const linkTo = (id: string) => hashOf({ view: 'instance', kind, id });
  return [
    {
      head: 'Name',
      cell: ({ id, name }) => (name === '' ? '–' : <a href={linkTo(id)}>{name}</a>),
    },
    {
      head: 'Id',
      cell: ({ id }) => (
        <a class="id" href={linkTo(id)}>
          {id}
        </a>
      ),
    },
    ...(hasStates ? [stateColumn(kind)] : []),
    ...(kind === 'apiSession' ? clientColumns : []),
    { head: 'Created', class: 'figure', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { head: 'Updated', class: 'figure', cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
    { head: 'LSN', isNumber: true, cell: ({ lsn }) => <LsnLink lsn={lsn} kind={kind} /> },
    ...(hasStates ? [deadlineColumn] : []),
  ];
}

/** What tells two API sessions of one identity apart. */
const clientColumns: readonly Column<InstanceRow>[] = [
  { head: 'Address', class: 'figure', cell: ({ client }) => client?.address || '–' },
  { head: 'SDK', cell: ({ client }) => client?.sdk || '–' },
  { head: 'Client', cell: ({ client }) => client?.version || '–' },
  {
    head: 'Active',
    class: 'figure',
    cell: ({ client }) => (client === undefined ? '–' : <Moment at={client.lastActivityAt} />),
  },
];

function stateColumn(kind: string): Column<InstanceRow> {
  return {
    head: 'State',
    cell: ({ state, stateInWords }) => (
      <>
        <StateMark kind={kind} state={state} />
        {stateInWords === undefined ? null : <div class="hint">{stateInWords}</div>}
      </>
    ),
  };
}

const deadlineColumn: Column<InstanceRow> = {
  head: 'Deadline',
  cell: ({ deadline }) => (deadline === undefined ? '–' : <Countdown at={deadline} />),
};

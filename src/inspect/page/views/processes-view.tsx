// The parts of the controller that run beside the requests, and the orders that they accept.

import type { ProcessView } from '../../messages.ts';
import { WithLsnLinks } from '../components/lsn-link.tsx';
import { Sign } from '../components/sign.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Elapsed } from '../components/times.tsx';
import { ProblemNote, ViewTitle } from '../components/view-head.tsx';
import { formatBytes, formatRate } from '../format.ts';
import { usePage, useSelected } from '../page-context.ts';
import { useAnswer } from '../use-api.ts';
import { IntegrityPanel, LogLevelPanel, SnapshotPanel } from './maintenance-panels.tsx';

/** The view of processes. */
export function ProcessesView() {
  const { stream } = usePage();
  const told = useSelected(stream, (state) => state.processes);
  // They are requested once, until the stream sends them.
  const { answer, problem } = useAnswer<readonly ProcessView[]>('/inspect/processes');
  const processes = told ?? answer?.data;
  return (
    <>
      <ViewTitle title="Processes" />
      <ProblemNote text={told === undefined ? problem?.message : ''} />
      <Table
        caption="Processes"
        columns={columns}
        rows={processes ?? []}
        keyOf={({ name }) => name}
        isStacked
      />
      <section aria-label="Maintenance">
        <h2>Maintenance</h2>
        <div class="panels">
          <SnapshotPanel processes={processes ?? []} />
          <IntegrityPanel />
          <LogLevelPanel />
        </div>
      </section>
    </>
  );
}

const columns: readonly Column<ProcessView>[] = [
  { head: 'Process', isHead: true, cell: ({ name }) => name },
  {
    head: 'State',
    cell: ({ state, meaning }) => (
      <span class="state-mark">
        <Sign meaning={meaning} />
        {state}
      </span>
    ),
  },
  { head: 'Since', class: 'figure', cell: ({ sinceMs }) => <Elapsed sinceMs={sinceMs} /> },
  { head: 'Rates', class: 'figure', cell: ({ rates }) => <Rates rates={rates} /> },
  { head: 'Detail', class: 'prose', cell: ({ detail }) => <WithLsnLinks text={detail} /> },
];

/** Nothing for a process that does nothing by the second. */
function Rates({ rates }: Pick<ProcessView, 'rates'>) {
  const all = Object.entries(rates);
  if (all.length === 0) return null;
  return (
    <ul class="plain rates">
      {all.map(([what, rate]) => (
        <li key={what}>
          {/bytes/i.test(what) ? `${formatBytes(rate)}/s` : `${formatRate(rate)} ${what}/s`}
        </li>
      ))}
    </ul>
  );
}

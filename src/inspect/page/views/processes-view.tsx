// The parts of the controller that run beside the requests, and the orders that they accept.

import type { ProcessView } from '../../contract.ts';
import { useAnswer } from '../hooks/use-answer.ts';
import { useSelected } from '../hooks/use-selected.ts';
import { usePage } from '../page-context.ts';
import { IntegrityPanel } from '../parts/integrity-panel.tsx';
import { LogLevelPanel } from '../parts/log-level-panel.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ProcessRow } from '../parts/process-row.tsx';
import { SnapshotPanel } from '../parts/snapshot-panel.tsx';
import { TableFrame } from '../parts/table-frame.tsx';
import { ViewTitle } from '../parts/view-title.tsx';

const heads = ['Process', 'State', 'Since', 'Rates', 'Detail'] as const;

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
      <TableFrame caption="Processes" heads={heads} isCaptionHidden isStacked>
        {processes?.map((process) => (
          <ProcessRow key={process.name} process={process} />
        ))}
      </TableFrame>
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
